/**
 * Runs a change of the page only when no finger or mouse button is down and the click of the last press has been delivered:
 * an error that appears on leaving a field must not move the button away from under the press that left it.
 */
let down = false;

if (typeof document !== 'undefined') {
  document.addEventListener('pointerdown', () => (down = true), true);
  for (const name of ['pointerup', 'pointercancel', 'dragend'])
    document.addEventListener(name, () => (down = false), true);
}

export function afterPointer(run: () => void): void {
  if (!down) {
    setTimeout(run, 0);
    return;
  }
  const done = () => {
    for (const name of ['pointerup', 'pointercancel', 'dragend']) document.removeEventListener(name, done, true);
    setTimeout(run, 60);
  };
  for (const name of ['pointerup', 'pointercancel', 'dragend']) document.addEventListener(name, done, true);
}
