/** Starts the journey's app on a page that carries a step: takes the drawn one over, or draws it where only its frame stands. */
import { startTransition } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import type { Boot } from '../site/boot';
import { keepFocus } from '../ui/keep-focus';
import { Ended } from './ended';
import { Journey } from './journey';
import { keepTexts } from './keep-texts';
import { loadParts } from './parts';

export async function start({ view, own, problem, site = { name: '' } }: Boot): Promise<void> {
  const app = document.getElementById('app');
  if (!app) return;
  keepTexts(app);
  keepFocus(app);
  if (own) {
    const { draw } = await import('../site/own');
    return draw(app, own);
  }
  const drawn = app.dataset.server === 'true';
  // without its parts a drawn first step stays as it stands: it is sent without them; any other step tells what it lacks
  if (view && !(await loadParts(view)) && drawn) return;
  const page = view ? (
    <Journey view={view} site={site} problem={problem} place={app} />
  ) : (
    <Ended reason={problem?.status === 410 ? 'expired' : 'gone'} base="/" />
  );
  // piece by piece: neither a page of many offers nor a first touch holds up anybody's finger
  startTransition(() => {
    if (view && drawn) hydrateRoot(app, page);
    else createRoot(app).render(page);
  });
}
