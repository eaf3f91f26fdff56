import { beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
  window.matchMedia = () => ({ matches: false }) as MediaQueryList;
  document.body.innerHTML = `<section class="block"><p data-moves="countdown" data-until="2024-03-31">
    <span>Left</span> <strong role="timer">31 Mar 2024</strong> <button class="moves-stop" hidden>Stop</button></p></section>`;
  return () => vi.useRealTimers();
});

const block = () => document.querySelector<HTMLElement>('.block')!;
const timer = () => document.querySelector('strong')!.textContent;
const at = async (moment: string) => {
  vi.setSystemTime(moment);
  await import('../src/site/moves');
};

test('a day counts down to its last moment in India, and is gone after it (R1-39)', async () => {
  await at('2024-03-30T23:59:59+05:30');
  expect(timer()).toMatch(/^1 .* 0 .* 0 .* 0 /);
  vi.advanceTimersByTime(86_399_000);
  expect(timer()).toMatch(/^1 [^0-9]*$/);
  expect(block().hidden).toBe(false);
  vi.advanceTimersByTime(5_000);
  expect(block().hidden).toBe(true);
  expect(timer()).toMatch(/^1 [^0-9]*$/); // neither nought nor less was ever shown
});

test('a day that has passed is not shown at all', async () => {
  await at('2024-04-01T00:00:01+05:30');
  expect(block().hidden).toBe(true);
});
