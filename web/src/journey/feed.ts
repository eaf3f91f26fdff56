/** News of a journey: Server-Sent Events; where they do not come, the machine is asked to look every few seconds instead. */
import { fromCallback } from 'xstate';
import type { ChangeNote } from '../contract/api';
import type { Events } from './machine';

const POLL_MS = 4_000;
/** a healthy stream pings every 20 s */
const SILENCE_MS = 45_000;

export const feed = fromCallback<Events, { url: string }>(({ sendBack, input }) => {
  let source: EventSource | undefined;
  let poll: ReturnType<typeof setInterval> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let reopen: ReturnType<typeof setTimeout> | undefined;

  const alive = () => {
    clearInterval(poll);
    poll = undefined;
    clearTimeout(silence);
    silence = setTimeout(failed, SILENCE_MS);
  };
  const failed = () => {
    poll ??= setInterval(() => document.visibilityState === 'visible' && sendBack({ type: 'CHANGED' }), POLL_MS);
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
  const visible = () => document.visibilityState === 'visible' && sendBack({ type: 'CHANGED' });

  open();
  silence = setTimeout(failed, 6_000);
  document.addEventListener('visibilitychange', visible);
  return () => {
    source?.close();
    clearInterval(poll);
    clearTimeout(silence);
    clearTimeout(reopen);
    document.removeEventListener('visibilitychange', visible);
  };
});

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
