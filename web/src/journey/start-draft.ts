/** What was typed on a first page, before a journey exists to keep it: in this tab, without anything personal. */
import type { Data } from '../api/open';
import type { StepView } from '../contract/api';
import { TYPED } from '../site/begun';
import { storable } from './views';

const place = (view: StepView) => `${TYPED}${view.journey.workflow}:${view.step.id}`;

export function remember(view: StepView, data: Data): void {
  if (view.journey.id !== null) return;
  try {
    sessionStorage.setItem(place(view), JSON.stringify(storable(view.step.form?.schema, data)));
  } catch {
    // a full or forbidden storage costs only this comfort
  }
}

export function remembered(view: StepView): Data {
  if (view.journey.id !== null) return {};
  try {
    return JSON.parse(sessionStorage.getItem(place(view)) ?? '{}') as Data;
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
