/** Whether this browser has begun something: only then a page asks what it is. Nothing personal is kept. */
const PLACE = 'begun';
/** Begins the names of what was typed on first pages in this tab. */
export const TYPED = 'start:';

export function noteBegun(): void {
  try {
    localStorage.setItem(PLACE, '1');
  } catch {
    // a full or forbidden storage costs only this comfort
  }
}

export function hasBegun(): boolean {
  try {
    return localStorage.getItem(PLACE) !== null;
  } catch {
    return false;
  }
}

export function hasTyped(): boolean {
  try {
    return Object.keys(sessionStorage).some((name) => name.startsWith(TYPED));
  } catch {
    return false;
  }
}
