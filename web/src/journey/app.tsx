/** Starts the journey's app on a page that carries a step: takes the drawn one over, or draws it where only its frame stands. */
import { createRoot, hydrateRoot } from 'react-dom/client';
import type { Boot } from '../site/boot';
import { takeAttribution } from './address';
import { Ended } from './ended';
import { Journey } from './journey';

export function start({ view, own, problem, site = { name: '' } }: Boot): void {
  const app = document.getElementById('app');
  if (!app) return;
  if (own) {
    import('../site/own').then(({ OwnPage }) => createRoot(app).render(<OwnPage {...own} />));
    return;
  }
  const page = view ? (
    <Journey view={view} site={site} problem={problem} attribution={takeAttribution()} place={app} />
  ) : (
    <Ended reason={problem?.status === 410 ? 'expired' : 'gone'} base="/" />
  );
  if (view && app.dataset.server === 'true') hydrateRoot(app, page);
  else createRoot(app).render(page);
}
