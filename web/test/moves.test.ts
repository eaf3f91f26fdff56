import { beforeEach, expect, test, vi } from 'vitest';
import words from '../dev/words.json';

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetModules();
  window.matchMedia = () => ({ matches: false }) as MediaQueryList;
  document.body.innerHTML = `<section class="block"><p data-moves="countdown" data-until="2024-03-31">
    <span>Left</span> <strong role="timer">31 Mar 2024</strong> <button class="moves-pause" hidden>Pause</button></p></section>`;
  return () => vi.useRealTimers();
});

const block = () => document.querySelector<HTMLElement>('.block')!;
const timer = () => document.querySelector('strong')!.textContent;
const at = async (moment: string) => {
  vi.setSystemTime(moment);
  (await import('../src/ui/words')).speak('en', words.en);
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

test('it pauses at its day, and goes on: the button says what it does next', async () => {
  await at('2024-03-30T23:59:59+05:30');
  const button = document.querySelector('button')!;
  expect([button.hidden, button.textContent]).toEqual([false, 'Pause']);
  button.click();
  vi.advanceTimersByTime(60_000);
  expect([timer(), button.textContent]).toEqual(['31 Mar 2024', 'Play']);
  button.click();
  expect(timer()).toBe('23 h 59 min 0 s');
  expect(button.textContent).toBe('Pause');
});

test('slides turn until they are paused, and again from there', async () => {
  document.body.innerHTML = `<div data-moves="slider" data-every="4500"><ul><li></li></ul><button class="moves-pause" hidden>Pause</button></div>`;
  const turned = vi.fn();
  document.querySelector('ul')!.scrollTo = turned;
  await at('2024-03-30T12:00:00Z');
  const button = document.querySelector('button')!;
  vi.advanceTimersByTime(4_500);
  expect(turned).toHaveBeenCalledTimes(1);
  button.click();
  vi.advanceTimersByTime(20_000);
  expect([turned.mock.calls.length, button.textContent]).toEqual([1, 'Play']);
  button.click();
  expect([turned.mock.calls.length, button.textContent]).toEqual([2, 'Pause']);
  vi.advanceTimersByTime(4_500);
  expect(turned).toHaveBeenCalledTimes(3);
});

test('a day that has passed is not shown at all', async () => {
  await at('2024-04-01T00:00:01+05:30');
  expect(block().hidden).toBe(true);
});
