/**
 * The entry of every page of the site, about a kilobyte: content pages need nothing more.
 */
import '../styles/index.css';
import type { Boot } from '../site/boot';
import { collectErrors } from '../site/reports';

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

if (boot.view || boot.problem || boot.own) import('../journey/begin').then((part) => part.begin(boot));

// whoever is not logged in does so before the account opens (R2.1-04); the popup comes when it is asked for
const login = () => import('../site/login').then((popup) => popup.open());
const isKnown = () => {
  try {
    // whoever came signed in has no token yet; an empty one stays empty (R4-17)
    if (boot.site?.token) localStorage.token ??= boot.site.token;
    return localStorage.token || localStorage.menu;
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

// from here on the header stays in sight; a page that opens further down says so itself
const stick = () => document.body.toggleAttribute('data-stuck', scrollY > 50);
addEventListener('scroll', stick, { passive: true });

// menus open by themselves; what else they need comes with the first press, and the rest in a moment
const later = () => import('../site/later');
addEventListener('click', later, { once: true });
setTimeout(later, boot.place || boot.calculator ? 0 : 1e3);
