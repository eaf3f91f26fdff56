import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { StepView } from '../src/contract/api';
import { remember, remembered } from '../src/journey/start-draft';
import { forgetTyped } from '../src/site/begun';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  sessionStorage.clear();
});

const properties = {
  name: { type: 'string', 'x-personal': true },
  code: { type: 'string', 'x-secret': true },
  book: { type: 'string' },
};
const view = {
  journey: { id: null, workflow: 'loans/loan' },
  step: { id: 'loan.start', form: { schema: { type: 'object', properties } } },
} as unknown as StepView;

test('what was typed before a journey exists waits in its tab, what is personal for half an hour, a secret never', () => {
  remember(view, { name: 'Asha', code: '123456', book: 'Kim' });
  expect(remembered(view)).toEqual({ name: 'Asha', book: 'Kim' });
  vi.advanceTimersByTime(31 * 60_000);
  expect(remembered(view)).toEqual({ book: 'Kim' });
  forgetTyped();
  expect(remembered(view)).toEqual({});
});
