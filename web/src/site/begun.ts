/** Whether this browser has begun something: only then a page asks what it is. Nothing personal is kept. */
const PLACE = 'begun';

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
