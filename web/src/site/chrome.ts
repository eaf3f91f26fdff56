/** A step says which parts of header and footer it hides. */
export function setHidden(parts: string[]): void {
  document.body.dataset.hide = [...new Set(parts)].join(' ');
}

/** Who has begun sees less of what leads elsewhere. */
export function setBegun(begun: boolean): void {
  document.body.toggleAttribute('data-begun', begun);
}
