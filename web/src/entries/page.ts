/**
 * The entry of every page of the site, about a kilobyte: content pages need nothing more. A page that carries a step loads the
 * journey's app; a first step is already drawn, of a later one the frame.
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

if (boot.view || boot.problem) {
  import('../journey/app').then((app) => app.start(boot));
}

// from here on the header stays in sight
const stick = () => document.body.toggleAttribute('data-stuck', scrollY > 50);
addEventListener('scroll', stick, { passive: true });
stick();

// menus open by themselves; what else they need comes with the first press, and the rest in a moment
const later = () => import('../site/later');
addEventListener('click', later, { once: true });
setTimeout(later, boot.place ? 0 : 1e3);
