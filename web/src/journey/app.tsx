/** Starts the journey's app on a page that carries a step: drawn beside the server's HTML, then swapped in. */
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import type { Boot } from '../site/boot';
import { takeAttribution } from './address';
import { Ended } from './ended';
import { Journey } from './journey';
import { remembered } from './start-draft';
import { swap, typedBefore } from './takeover';

export function start(boot: Boot): void {
  const from = document.getElementById('app');
  if (!from) return;
  const to = document.createElement('div');
  to.id = 'app';
  const root = createRoot(to);
  const { view, site = { name: '' } } = boot;
  const attribution = takeAttribution();
  flushSync(() => {
    if (!view) {
      root.render(<Ended reason={boot.problem?.status === 410 ? 'expired' : 'gone'} base="/" />);
      return;
    }
    const typed = { ...remembered(view), ...typedBefore(from, view.step.form) };
    root.render(<Journey view={view} site={site} typed={typed} attribution={attribution} />);
  });
  swap(from, to);
}
