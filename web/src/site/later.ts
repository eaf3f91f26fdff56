/** What a page does beyond its first moment: menus, what moves, what waits for its time. Loaded a moment after the page, or with the first press on it. */
import { hasBegun, isKnown } from './begun';
import type { Boot } from './boot';
import { keepsCookies, noteVisit } from './cookies';

// an open menu closes when something else is pressed
document.addEventListener('click', (event) => {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('.site-header [open]'))
    menu.open = menu.contains(event.target as Node);
});

// while the menu of a phone is open, everything else is out of reach
const slide = document.getElementById('site-menu');
const keep = (isOpen: boolean) => {
  for (const one of document.body.children) if (one !== slide) (one as HTMLElement).inert = isOpen;
};
if (slide) {
  keep(slide.matches(':popover-open'));
  slide.addEventListener('beforetoggle', ({ newState }) => keep(newState === 'open'));
  matchMedia('(min-width: 48rem)').addEventListener('change', () => slide.hidePopover());
}

if (document.querySelector('[data-moves]')) import('./moves');
const shared = document.querySelector<HTMLElement>('[data-counts]');
if (shared) import('./share-counts').then((part) => part.tellCounts(shared));

const { site, place, calculator, view } = JSON.parse(document.getElementById('boot')!.textContent) as Boot;
if (!view?.journey.id) noteVisit();
// where something can be begun
if ((view || place) && !keepsCookies()) import('./refused').then((part) => part.tell(site?.help));
if (place && site) import('./place').then((part) => part.start(place, site));
if (calculator) import('./calculator').then((part) => part.start(calculator));
// and what was begun already, here or by who is logged in
if ((place ? !place.hash : view?.journey.id === null) && (hasBegun() || isKnown()))
  import('./go-on').then((part) => part.offer(view?.journey.workflow));

// whoever came as an agent is asked about once; a page for agents is another one
if (site?.check) {
  const { check } = site;
  import('./person').then(async ({ post }) => {
    const { agent } = await post<{ agent: object | null }>(check, {});
    if (agent) location.reload();
  });
}

// what the browser likes better than this page's language is offered, once
const { offers = [] } = site ?? {};
const liked = navigator.languages
  .map((one) => one.slice(0, 2))
  .find((one) => one === document.documentElement.lang || offers.some(({ language }) => language === one));
const better = offers.find(({ language }) => language === liked);
if (better) import('./language-offer').then((part) => part.offer(better));

/** Runs at a time of the site, counted from the page's own beginning. */
function at(name: string, run: () => void): void {
  const ms = site?.timers?.[name];
  if (ms !== undefined) setTimeout(run, Math.max(0, ms - performance.now()));
}

at('last_visit', () => {
  if (site?.keeps) import('./keeps').then((part) => part.keep(site.keeps!));
  try {
    localStorage.setItem('lastvisit', location.pathname);
  } catch {
    // a full or forbidden storage costs only this comfort
  }
});

function load(script: string): void {
  const tag = document.createElement('script');
  tag.src = script;
  tag.async = true;
  document.head.append(tag);
}
const { chat, help, analytics, timers = {} } = site ?? {};
/** Whether the page that is shown leaves out this part. */
const hides = (part: string) => document.body.dataset.hide?.split(' ').includes(part) ?? false;
/** Runs whenever another step may leave out other parts. */
const whenOthersAreHidden = (run: () => void) =>
  new MutationObserver(run).observe(document.body, { attributeFilter: ['data-hide'] });
if (chat || help) {
  const box = () => document.querySelector<HTMLElement>('.site-chat');
  let asked = false;
  /** The chat, or without one the help, comes and goes with the pages that have it. */
  const follow = () => {
    const hidden = hides('chat');
    const here = box();
    if (here) here.hidden = hidden;
    else if (!hidden && !asked) {
      asked = true;
      if (chat) load(chat);
      else if (help) import('./help').then((part) => part.draw(help));
    }
  };
  at('chat_load', follow);
  at('chat_place', () => box()?.setAttribute('data-placed', ''));
  // another step may have it where this one has not; what is not there yet is asked for again later
  whenOthersAreHidden(() => setTimeout(follow, box() ? timers.chat_follow : timers.chat_again));
}
// who asks not to be tracked is not counted
const isPrivate =
  (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl || navigator.doNotTrack === '1';
if (analytics && !isPrivate) {
  let counted = false;
  /** A visit is counted once it comes to a page that does not leave that out (R4-12). */
  const count = () => {
    if (counted || hides('analytics')) return;
    counted = true;
    import('./consent').then((part) => part.agreed(() => load(analytics)));
  };
  at('analytics', () => {
    count();
    whenOthersAreHidden(count);
  });
}
