/** What this browser knows of what was begun in it. Nothing personal is kept. */
import type { JourneyInfo } from '../contract/api';
import type { Site } from './boot';

/** Whether it was anything: only then a page asks what it is. */
const PLACE = 'begun';
/** Begins the names of what was typed on first pages in this tab. */
export const TYPED = 'start:';

/** Which it was stands under the names that the site's definitions have for its product (R3-13). */
export function noteBegun({ id, workflow }: JourneyInfo, { storage = {} }: Site): void {
  try {
    localStorage.setItem(PLACE, '1');
    for (const name in storage) if (storage[name]) localStorage.setItem(name, JSON.stringify({ workflow, id }));
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
