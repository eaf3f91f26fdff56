/**
 * The journey that stands in a page. In the page itself it is taken over when it is touched. As a dialog it opens with its hash,
 * by a link or by itself, its steps have hashes of their own, and closing it restores the address.
 */
import { t } from '../ui/words';
import { forgetTyped, hasTyped } from './begun';
import type { Place, Site } from './boot';

const VISIT = 'prompts';
/** Who is busy is not asked before so long. */
const BUSY_MS = 5_000;
const PAUSED = 'paused';

/** What this visit has seen by itself, and whether it wants to see more: kept as long as the tab. */
const visit = {
  seen: (): string[] => {
    try {
      return JSON.parse(sessionStorage.getItem(VISIT) ?? '[]') as string[];
    } catch {
      return [];
    }
  },
  keep: (seen: string[]) => {
    try {
      sessionStorage.setItem(VISIT, JSON.stringify(seen));
    } catch {
      // a full or forbidden storage costs only this comfort
    }
  },
};

export function start(place: Place, site: Site): void {
  const element = document.querySelector<HTMLElement>('.place');
  const dialog = element?.closest('dialog');
  if (!element) return;
  const draw = async () => {
    import('../journey/app').catch(() => 0); // comes beside it
    return (await import('../journey/within')).draw(element, place, site);
  };
  if (!dialog || !place.hash) {
    whenTouched(element, draw);
    return;
  }
  // one offer on many pages is one
  const name = `${place.view.journey.workflow}#${place.hash}`;
  const opened = () => {
    visit.keep([...visit.seen(), name]);
    return draw();
  };
  opens(dialog, place.hash, opened, () => forgetTyped(`${place.view.journey.workflow}:`));
  if (place.after_ms ?? place.idle_ms) asks(dialog, place, name);
}

/** Once somebody is at it: that may have been before this script came, or before the page was loaded again. */
function whenTouched(element: HTMLElement, run: () => void): void {
  if (element.contains(document.activeElement) || hasTyped()) {
    run();
    return;
  }
  const first = new AbortController();
  const touched = () => {
    first.abort();
    run();
  };
  for (const sign of ['pointerdown', 'focusin']) element.addEventListener(sign, touched, { signal: first.signal });
}

/** The dialog follows the address: it opens with its own hash, stays with those of its steps, closes with any other. */
function opens(dialog: HTMLDialogElement, own: string, draw: () => Promise<() => void>, closed: () => void): void {
  let drawn: Promise<() => void> | undefined;
  /** the address of the page stands in the entry before those of the dialog */
  let entered = false;
  const follow = (isFirst: boolean) => {
    const at = location.hash.slice(1);
    if (at === own && !dialog.open) {
      entered = !isFirst && history.state === null;
      dialog.showModal();
      document.documentElement.dataset.modal = 'open';
      drawn = draw();
    } else if (at === '' && dialog.open) dialog.close();
  };
  addEventListener('hashchange', () => follow(false));
  addEventListener('popstate', () => follow(false));
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  dialog.addEventListener('close', () => {
    delete document.documentElement.dataset.modal;
    drawn?.then((remove) => remove()).then(closed);
    // the browser gives the focus back, unless the link was followed before this script came
    const at = document.activeElement;
    if (at === document.body || dialog.contains(at)) opener(own)?.focus({ preventScroll: true });
    if (location.hash === '') return;
    const depth = (history.state as { depth?: number } | null)?.depth ?? 0;
    if (entered) history.go(-1 - depth);
    else history.replaceState(null, '', location.pathname + location.search);
  });
  follow(true);
}

/** The link of the page that opens it. */
const opener = (hash: string) =>
  [...document.querySelectorAll<HTMLAnchorElement>('a[href]')].find(
    (link) => link.hash === `#${hash}` && link.checkVisibility(),
  );

/** Somebody is at something that no offer may cover. */
const isBusy = () =>
  document.querySelector('dialog[open]') !== null ||
  document.activeElement?.matches('input, select, textarea') === true;

/** Runs it once the page was looked at for so long, or nothing was done on it; the way to call that off. */
function afterwards({ after_ms = 0, idle_ms }: Place, run: () => void): () => void {
  const own = new AbortController();
  let [left, since] = [idle_ms ?? after_ms - performance.now(), performance.now()];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const go = () => {
    clearTimeout(timer);
    since = performance.now();
    timer = document.hidden ? undefined : setTimeout(run, Math.max(0, left));
  };
  const looked = () => {
    if (document.hidden && timer !== undefined) left -= performance.now() - since;
    go();
  };
  document.addEventListener('visibilitychange', looked, { signal: own.signal });
  if (idle_ms !== undefined)
    for (const sign of ['pointermove', 'pointerdown', 'keydown', 'scroll'])
      addEventListener(
        sign,
        () => {
          left = idle_ms;
          go();
        },
        { signal: own.signal, passive: true },
      );
  go();
  return () => {
    clearTimeout(timer);
    own.abort();
  };
}

/** It opens by itself, once a visit, unless the visitor has asked for quiet; that can be taken back. */
function asks(dialog: HTMLDialogElement, place: Place, name: string): void {
  const wait = (): (() => void) => {
    let again: ReturnType<typeof setTimeout> | undefined;
    const open = () => {
      if (visit.seen().some((one) => one === name || one === PAUSED)) return;
      if (isBusy()) again = setTimeout(open, BUSY_MS);
      else location.hash = place.hash!;
    };
    const stop = afterwards(place, open);
    return () => {
      clearTimeout(again);
      stop();
    };
  };
  let stop = wait();
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'link-button place-pause';
  const say = () => {
    const isPaused = visit.seen().includes(PAUSED);
    button.textContent = t(isPaused ? 'offers_again' : 'fewer_offers');
    // taken back is where one still is when the dialog has gone
    (isPaused ? document.getElementById('main') : dialog.querySelector('.dialog-body'))?.append(button);
  };
  button.addEventListener('click', () => {
    const seen = visit.seen();
    if (seen.includes(PAUSED)) {
      visit.keep([]);
      stop = wait();
    } else {
      visit.keep([...seen, PAUSED]);
      stop();
      dialog.close();
    }
    say();
  });
  say();
}
