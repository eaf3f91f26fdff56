import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { followed } from '../src/journey/leave';
import { keepPresence } from '../src/journey/presence';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  end?.();
  vi.useRealTimers();
  visibility('visible');
});

let end: (() => void) | undefined;
const seconds = (n: number) => vi.advanceTimersByTimeAsync(n * 1000);
const visibility = (state: string) => {
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state });
  document.dispatchEvent(new Event('visibilitychange'));
};

/** Seconds at which pings went out, from the start. */
function begin(wanted = () => true) {
  const start = Date.now();
  const pings: number[] = [];
  end = keepPresence({ every_ms: 30_000, idle_ms: 360_000 }, async () => {
    pings.push((Date.now() - start) / 1000);
    return wanted();
  });
  return pings;
}

test('a ping every 30 s until 360 s of idling, then none; acting again resumes (R4-44, R7.2-05, R9-59)', async () => {
  const pings = begin();
  await seconds(29);
  expect(pings).toEqual([]);
  await seconds(900);
  expect(pings).toEqual([30, 60, 90, 120, 150, 180, 210, 240, 270, 300, 330]);
  window.dispatchEvent(new Event('keydown'));
  await seconds(0);
  expect(pings.slice(11)).toEqual([929]);
  await seconds(30);
  expect(pings.slice(11)).toEqual([929, 959]);
});

test('every sign of the person starts the idling anew', async () => {
  const pings = begin();
  for (const sign of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart']) {
    await seconds(300);
    window.dispatchEvent(new Event(sign));
  }
  await seconds(300);
  expect(pings).toHaveLength(60);
});

test('a hidden page is silent and goes on when it is seen again, never more often than every 30 s', async () => {
  const pings = begin();
  await seconds(40);
  visibility('hidden');
  await seconds(600);
  expect(pings).toEqual([30]);
  visibility('visible');
  visibility('hidden');
  visibility('visible');
  await seconds(1);
  expect(pings).toEqual([30, 640]);
});

test('nobody is told of a journey that is gone', async () => {
  const pings = begin(() => false);
  await seconds(30);
  window.dispatchEvent(new Event('keydown'));
  await seconds(300);
  expect(pings).toEqual([30]);
});

test('a tab follows a request to go elsewhere once', () => {
  expect([followed('j', 4), followed('j', 4), followed('j', 3), followed('j', 9), followed('k', 1)]).toEqual([
    false,
    true,
    true,
    false,
    false,
  ]);
});
