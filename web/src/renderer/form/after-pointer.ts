/**
 * Runs a change of the page only when no finger or mouse button is down and the click of the last press has been
 * delivered: an error that appears on leaving a field must not move the button away from under the press that left it.
 */
const ENDS = ['pointerup', 'pointercancel', 'dragend'];
let down = false;

if (typeof document !== 'undefined') {
  document.addEventListener('pointerdown', () => (down = true), true);
  for (const name of ENDS) document.addEventListener(name, () => (down = false), true);
}

/** What is returned calls it off: a form that is gone has nothing left to change. */
export function afterPointer(run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deaf = () => {
    for (const name of ENDS) document.removeEventListener(name, done, true);
  };
  const done = () => {
    deaf();
    timer = setTimeout(run, 60);
  };
  if (down) for (const name of ENDS) document.addEventListener(name, done, true);
  else timer = setTimeout(run, 0);
  return () => {
    deaf();
    clearTimeout(timer);
  };
}
