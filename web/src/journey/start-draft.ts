/**
 * What was typed on a first page, before a journey exists to keep it: in this tab, over reload, Back and another language. What
 * is personal stays for half an hour, and a log-out ends all of it.
 */
import type { Data } from '../api/open';
import type { StepView } from '../contract/api';
import { TYPED } from '../site/begun';
import { equal } from '../ui/equal';
import { storable } from './views';

const PERSONAL_MS = 30 * 60_000;

interface Kept {
  at: number;
  data: Data;
}

const place = (view: StepView) => `${TYPED}${view.journey.workflow}:${view.step.id}`;

export function remember(view: StepView, data: Data): void {
  if (view.journey.id !== null) return;
  // nothing was typed: a page that was only opened leaves no trace
  if (equal(data, view.step.form?.data ?? {})) {
    forget(view);
    return;
  }
  try {
    const kept: Kept = { at: Date.now(), data: storable(view.step.form?.schema, data, true) };
    sessionStorage.setItem(place(view), JSON.stringify(kept));
  } catch {
    // a full or forbidden storage costs only this comfort
  }
}

export function remembered(view: StepView): Data {
  if (view.journey.id !== null) return {};
  try {
    const { at, data } = JSON.parse(sessionStorage.getItem(place(view)) ?? '{}') as Partial<Kept>;
    const isRecent = at !== undefined && Date.now() - at < PERSONAL_MS;
    return storable(view.step.form?.schema, data ?? {}, isRecent);
  } catch {
    return {};
  }
}

export function forget(view: StepView): void {
  try {
    sessionStorage.removeItem(place(view));
  } catch {
    // as above
  }
}
