/**
 * News of a journey: Server-Sent Events while the page is seen; where they do not come, the machine is asked to look every few
 * seconds instead. All tabs of a browser share the few connections of HTTP/1.1: a hidden one holds none, and of those that are
 * seen only so many.
 */
import { fromCallback } from 'xstate';
import type { ChangeNote } from '../contract/api';
import type { Events } from './machine';

const POLL_MS = 4_000;
/** a healthy stream pings every 20 s */
const SILENCE_MS = 45_000;
/** of one browser at once, whatever is open beside each other */
const STREAMS = 2;

const isSeen = () => document.visibilityState === 'visible';

export const feed = fromCallback<Events, { url: string }>(({ sendBack, input }) => {
  let source: EventSource | undefined;
  let poll: ReturnType<typeof setInterval> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let reopen: ReturnType<typeof setTimeout> | undefined;
  /** gives the place among the streams back */
  let seen: AbortController | undefined;

  const look = () => isSeen() && sendBack({ type: 'CHANGED' });
  const alive = () => {
    clearInterval(poll);
    poll = undefined;
    clearTimeout(silence);
    silence = setTimeout(failed, SILENCE_MS);
  };
  const failed = () => {
    poll ??= setInterval(look, POLL_MS);
    if (source?.readyState === EventSource.CLOSED) {
      clearTimeout(reopen);
      reopen = setTimeout(open, 15_000);
    }
  };
  const open = () => {
    source?.close();
    source = new EventSource(input.url);
    source.addEventListener('open', alive);
    source.addEventListener('ping', alive);
    source.addEventListener('change', (event) => {
      alive();
      const { seq } = JSON.parse((event as MessageEvent<string>).data) as ChangeNote;
      sendBack({ type: 'CHANGED', seq });
    });
    source.addEventListener('error', failed);
  };
  const begin = () => {
    seen = new AbortController();
    const { signal } = seen;
    // until a stream says that it is open, the page looks by itself
    silence = setTimeout(failed, 6_000);
    takePlace(signal, open);
  };
  const rest = () => {
    seen?.abort();
    seen = undefined;
    source?.close();
    source = undefined;
    clearInterval(poll);
    poll = undefined;
    clearTimeout(silence);
    clearTimeout(reopen);
  };
  const turned = () => {
    rest();
    if (!isSeen()) return;
    look();
    begin();
  };

  if (isSeen()) begin();
  document.addEventListener('visibilitychange', turned);
  return () => {
    rest();
    document.removeEventListener('visibilitychange', turned);
  };
});

/** Runs once there is a place among the streams of this browser, and keeps it until the signal. */
async function takePlace(signal: AbortSignal, run: () => void): Promise<void> {
  // browsers that have no locks, and pages that are not secure, do without
  const { locks } = navigator as { locks?: LockManager };
  if (!locks) {
    run();
    return;
  }
  const kept = () => {
    if (signal.aborted) return undefined;
    run();
    return new Promise<void>((over) => signal.addEventListener('abort', () => over()));
  };
  const names = Array.from({ length: STREAMS }, (_, at) => `stream-${at}`);
  try {
    for (const name of names) {
      const got = await new Promise<boolean>((told) => {
        locks
          .request(name, { ifAvailable: true }, (lock) => {
            told(lock !== null);
            return lock ? kept() : undefined;
          })
          .catch(() => told(false));
      });
      if (got || signal.aborted) return;
    }
    await locks.request(names[Math.floor(Math.random() * STREAMS)]!, { signal }, kept);
  } catch {
    // the page was hidden, or has gone, while it waited
  }
}

export const network = fromCallback<Events>(({ sendBack }) => {
  const online = () => sendBack({ type: 'ONLINE' });
  const offline = () => sendBack({ type: 'OFFLINE' });
  window.addEventListener('online', online);
  window.addEventListener('offline', offline);
  if (navigator.onLine === false) offline();
  return () => {
    window.removeEventListener('online', online);
    window.removeEventListener('offline', offline);
  };
});
