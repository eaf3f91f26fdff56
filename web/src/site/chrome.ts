/** A step says which parts of header and footer it hides. */
export function setHidden(parts: string[]): void {
  const { dataset } = document.body;
  // the same in another order would have the browser look at every element of the page again
  const before = new Set(dataset.hide?.split(' ').filter(Boolean));
  const now = new Set(parts);
  if (now.size !== before.size || [...now].some((part) => !before.has(part))) dataset.hide = [...now].join(' ');
}

/** Who has begun sees less of what leads elsewhere. */
export function setBegun(begun: boolean): void {
  document.body.toggleAttribute('data-begun', begun);
}
