import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createActor, createMachine } from 'xstate';
import { feed } from '../src/journey/feed';

/** What the browser has of streams: jsdom has none. */
class Stream extends EventTarget {
  static readonly CLOSED = 2;
  static open: Stream[] = [];
  readyState = 0;
  constructor(readonly url: string) {
    super();
    Stream.open.push(this);
  }
  close() {
    this.readyState = Stream.CLOSED;
    Stream.open = Stream.open.filter((one) => one !== this);
  }
}

/** Locks of one browser, as far as pages ask for them: a name is held until what its holder returned is over. */
function lockManager() {
  const held = new Set<string>();
  const waiting: { name: string; go: () => void }[] = [];
  const request = async (name: string, { ifAvailable }: LockOptions, run: (lock: object | null) => unknown) => {
    if (held.has(name)) {
      if (ifAvailable) return run(null);
      await new Promise<void>((go) => waiting.push({ name, go }));
    }
    held.add(name);
    try {
      return await run({});
    } finally {
      held.delete(name);
      const at = waiting.findIndex((one) => one.name === name);
      if (at >= 0) waiting.splice(at, 1)[0]!.go();
    }
  };
  return { request };
}

beforeEach(() => {
  vi.useFakeTimers();
  Stream.open = [];
  vi.stubGlobal('EventSource', Stream);
});
afterEach(() => {
  for (const one of pages) one.stop();
  pages = [];
  visibility('visible');
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

let pages: { stop: () => void }[] = [];
const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
function visibility(state: string) {
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state });
  document.dispatchEvent(new Event('visibilitychange'));
}
function page(url: string) {
  const heard: unknown[] = [];
  const actor = createActor(
    createMachine({
      invoke: { src: feed, input: { url } },
      on: { CHANGED: { actions: ({ event }) => heard.push(event) } },
    }),
  ).start();
  pages.push(actor);
  return heard;
}

test('a hidden page holds no stream; shown again it looks and opens one', async () => {
  const heard = page('/one');
  await settle();
  expect(Stream.open.map(({ url }) => url)).toEqual(['/one']);
  visibility('hidden');
  await settle(60_000);
  expect([Stream.open, heard]).toEqual([[], []]);
  visibility('visible');
  await settle();
  expect(Stream.open.map(({ url }) => url)).toEqual(['/one']);
  expect(heard).toEqual([{ type: 'CHANGED' }]);
});

test('of many pages that are seen two have a stream, the others look by themselves until a place is free', async () => {
  vi.stubGlobal('navigator', Object.assign(Object.create(navigator), { locks: lockManager() }));
  const all = ['/1', '/2', '/3', '/4'].map(page);
  await settle();
  expect(Stream.open).toHaveLength(2);
  await settle(10_500);
  expect(all.at(-1)!.length).toBeGreaterThan(0);
  for (const one of pages.slice(0, 2)) one.stop();
  await settle();
  expect(Stream.open.length).toBeGreaterThan(0);
});
