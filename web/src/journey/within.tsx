/** A journey that stands in a page that is not its own: taken over where it is drawn, begun anew whenever its dialog opens. */
import { useEffect, useRef, useState } from 'react';
import { createRoot, hydrateRoot, type Root } from 'react-dom/client';
import type { StepView } from '../contract/api';
import type { Place, Site } from '../site/boot';
import { keepFocus } from '../ui/keep-focus';
import { Journey } from './journey';
import { keepTexts } from './keep-texts';
import { loadParts } from './parts';

/** Draws it in its place; the result takes it away. */
export async function draw(element: HTMLElement, place: Place, site: Site): Promise<() => void> {
  await loadParts(place.view);
  const ends = [keepTexts(element), keepFocus(element)];
  const page = <Within place={place} site={site} element={element} />;
  let root: Root;
  if (element.dataset.ready || !element.hasChildNodes()) {
    root = createRoot(element);
    root.render(page);
  } else {
    element.dataset.server = 'true';
    root = hydrateRoot(element, page);
  }
  return () => {
    root.unmount();
    for (const end of ends) end();
    element.dataset.server = '';
  };
}

/** When it is over, the way back leads to a first step that is empty again, the way forward to how it ended. */
function Within({ place, site, element }: { place: Place; site: Site; element: HTMLElement }) {
  const [shown, show] = useState({ view: place.view, serial: 0 });
  const over = useRef<StepView>(undefined);
  useEffect(() => {
    const listen = () => {
      const at = window.location.hash.slice(1);
      const view = at === (place.hash ?? '') ? place.view : at === over.current?.step.path ? over.current : undefined;
      if (over.current && view) {
        element.dataset.server = '';
        show(({ serial }) => ({ view, serial: serial + 1 }));
      }
    };
    // the browser may have kept the page as it was left
    const back = ({ persisted }: PageTransitionEvent) => {
      if (!persisted || !element.dataset.left) return;
      delete element.dataset.left;
      element.dataset.server = '';
      show(({ serial }) => ({ view: place.view, serial: serial + 1 }));
    };
    window.addEventListener('popstate', listen);
    window.addEventListener('pageshow', back);
    return () => {
      window.removeEventListener('popstate', listen);
      window.removeEventListener('pageshow', back);
    };
  }, [place, element]);
  return (
    <Journey
      key={shown.serial}
      view={shown.view}
      site={site}
      place={element}
      within={place}
      onStep={(view) => {
        const isOver = view.journey.status !== 'active';
        if (isOver) over.current = view;
        // a step that only says something ends it for the page as well: it may be gone on from at its own address
        const isEnd = isOver || (place.end !== undefined && view.step.kind === 'message');
        const end = place.end?.replace('{request}', view.journey.id ?? '');
        const next = isEnd ? end : place.goes_on && view.journey.id !== null ? view.step.url : undefined;
        if (!next) return;
        element.dataset.left = 'true';
        window.location.assign(next);
      }}
    />
  );
}
