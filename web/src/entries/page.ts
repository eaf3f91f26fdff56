/**
 * The entry of every page of the site, about a kilobyte: content pages need nothing more. A page that carries a step loads the
 * journey's app: of a later step there is only the frame; a first step is drawn and works as it stands, so its app comes with
 * the first sign of a person, or at once for one who has been here before.
 */
import '../styles/index.css';
import { hasBegun, hasTyped } from '../site/begun';
import type { Boot } from '../site/boot';
import { collectErrors } from '../site/reports';
import { t } from '../ui/words';

const boot = JSON.parse(document.getElementById('boot')!.textContent) as Boot;
const reports = boot.site?.reports;
if (reports)
  collectErrors(reports, (errors) => {
    fetch(reports.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(errors),
      keepalive: true,
    }).catch(() => 0);
  });

const ahead = document.querySelectorAll<HTMLLinkElement>('link[data-module]');
const start = () => {
  for (const link of ahead) link.rel = 'modulepreload';
  import('../journey/app').then(
    (app) => app.start(boot),
    () => {
      // a drawn first step works as it stands; of any other there is only the frame
      const app = document.querySelector('#app:not([data-server])');
      const button = document.createElement('button');
      button.className = 'button';
      button.textContent = t('try_again');
      button.onclick = () => location.reload();
      app?.replaceChildren(button);
    },
  );
};
const isHere = () =>
  document.activeElement !== document.body || hasBegun() || hasTyped() || /[?&]_[au]id=/.test(location.search);
if (ahead.length > 0 && !isHere()) {
  const first = new AbortController();
  const touched = () => {
    first.abort();
    start();
  };
  for (const sign of ['pointermove', 'pointerdown', 'focusin', 'keydown'])
    addEventListener(sign, touched, { signal: first.signal, passive: true });
} else if (boot.view || boot.problem || boot.own) start();

// whoever is not logged in does so before the account opens (R2.1-04); the popup comes when it is asked for
const login = () => import('../site/login').then((popup) => popup.open());
const isKnown = () => {
  try {
    return localStorage.token;
  } catch {
    // a forbidden storage knows nobody
  }
};
const ask = () => {
  if (location.hash === '#login') login();
};
addEventListener('hashchange', ask);
addEventListener('click', (event) => {
  if (isKnown() || !(event.target as Element).closest('a[href^="/dashboard"]')) return;
  event.preventDefault();
  login();
});
if (boot.login) login();
else {
  ask();
  if (isKnown()) import('../site/person').then((person) => person.greet());
}

// from here on the header stays in sight
const stick = () => document.body.toggleAttribute('data-stuck', scrollY > 50);
addEventListener('scroll', stick, { passive: true });
stick();

// menus open by themselves; what else they need comes with the first press, and the rest in a moment
const later = () => import('../site/later');
addEventListener('click', later, { once: true });
setTimeout(later, boot.place ? 0 : 1e3);
