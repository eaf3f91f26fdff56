import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  localStorage.clear();
});

const counter = () => document.querySelector('script[src="/count.js"]');
/** The journey shows another step, which leaves out these parts. */
const shows = async (hide: string) => {
  document.body.dataset.hide = hide;
  await vi.advanceTimersByTimeAsync(10);
};

test('who is not counted here is counted where that is allowed, and once (R4-12)', async () => {
  const boot = {
    view: { journey: { id: 'one' } },
    site: { name: 'Journey', analytics: '/count.js', timers: { analytics: 3_200 } },
  };
  document.body.innerHTML = `<script type="application/json" id="boot">${JSON.stringify(boot)}</script>`;
  localStorage.setItem('visit-counted', 'yes');
  document.body.dataset.hide = 'chat analytics';
  await import('../src/site/later');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(counter()).toBeNull();
  await shows('footer analytics');
  expect(counter()).toBeNull();
  await shows('footer');
  await vi.waitFor(() => expect(counter()).not.toBeNull());
  await shows('analytics');
  await shows('');
  expect(document.querySelectorAll('script[src="/count.js"]')).toHaveLength(1);
});
