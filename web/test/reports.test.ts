import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { collectErrors } from '../src/site/reports';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const raise = (message: string) =>
  window.dispatchEvent(new ErrorEvent('error', { message, filename: '/a.js', lineno: 7, error: new Error(message) }));

function begin(libraries: string[] = []) {
  const batches: string[][] = [];
  collectErrors({ url: '', wait_ms: 5_000, max: 4, libraries }, (errors) =>
    batches.push(errors.map((error) => error.message)),
  );
  return batches;
}

test('three errors within five seconds are one batch, five seconds after the first (R7.2-19, R9-51)', () => {
  const batches = begin();
  raise('a');
  vi.advanceTimersByTime(2_000);
  raise('b');
  window.dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason: new Error('c') }));
  vi.advanceTimersByTime(2_999);
  expect(batches).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(batches).toEqual([['a', 'b', 'c']]);
  vi.advanceTimersByTime(60_000);
  raise('d');
  vi.advanceTimersByTime(5_000);
  expect(batches).toEqual([['a', 'b', 'c'], ['d']]);
});

test('known missing libraries are not reported, others are (R8-11)', () => {
  const batches = begin(['gtag']);
  raise('Uncaught ReferenceError: gtag is not defined');
  raise("Can't find variable: gtag");
  vi.advanceTimersByTime(10_000);
  expect(batches).toEqual([]);
  raise('Uncaught ReferenceError: basket is not defined');
  vi.advanceTimersByTime(5_000);
  expect(batches).toEqual([['Uncaught ReferenceError: basket is not defined']]);
});

test('a flood is cut, a page that ends sends what it has', () => {
  const batches = begin();
  for (const message of 'abcdefgh') raise(message);
  window.dispatchEvent(new Event('pagehide'));
  expect(batches).toEqual([['a', 'b', 'c', 'd']]);
});
