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

/** Whether somebody is logged in, as far as the browser knows. */
export function isKnown(): boolean {
  try {
    return Boolean(localStorage.token || localStorage.menu);
  } catch {
    return false;
  }
}

const typed = () => Object.keys(sessionStorage).filter((name) => name.startsWith(TYPED));

export function hasTyped(): boolean {
  try {
    return typed().length > 0;
  } catch {
    return false;
  }
}

/** What was typed, on all first pages or on those of one flow, is nobody's business any more. */
export function forgetTyped(workflow = ''): void {
  try {
    for (const name of typed()) if (name.startsWith(`${TYPED}${workflow}`)) sessionStorage.removeItem(name);
  } catch {
    // a forbidden storage has nothing to forget
  }
}
