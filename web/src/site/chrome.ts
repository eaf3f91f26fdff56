/** Header and footer are the server's; a step says which of them it hides. */
export function setHidden(parts: string[]): void {
  document.body.dataset.hide = [...new Set(parts)].join(' ');
}
