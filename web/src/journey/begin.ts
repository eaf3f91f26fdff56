/**
 * When the journey's app comes to a page that carries a step: of a later step there is only the frame; a first step is drawn and
 * works as it stands, so its app comes with the first sign of a person, or at once for one who has been here before.
 */
import { hasBegun, hasTyped } from '../site/begun';
import type { Boot } from '../site/boot';

const RUPEE = 'U+20B9';

export function begin(boot: Boot): void {
  const ahead = document.querySelectorAll<HTMLLinkElement>('link[data-module]');
  const start = () => {
    // prices come with the step: a sign that comes after them would have all of it laid out again
    for (const face of document.fonts) if (face.unicodeRange === RUPEE) face.load();
    for (const link of ahead) link.rel = 'modulepreload';
    import('./app').then(
      (app) => app.start(boot),
      () => failed(boot.site?.words?.try_again),
    );
  };
  if (ahead.length === 0 || isHere()) {
    start();
    return;
  }
  const first = new AbortController();
  const touched = () => {
    first.abort();
    start();
  };
  for (const sign of ['pointermove', 'pointerdown', 'focusin', 'keydown'])
    addEventListener(sign, touched, { signal: first.signal, passive: true });
}

function isHere(): boolean {
  return document.activeElement !== document.body || hasBegun() || hasTyped() || /[?&]_[au]id=/.test(location.search);
}

function failed(tryAgain = '↻'): void {
  // a drawn first step works as it stands; of any other there is only the frame
  const app = document.querySelector('#app:not([data-server])');
  const button = document.createElement('button');
  button.className = 'button';
  button.textContent = tryAgain;
  button.onclick = () => location.reload();
  app?.replaceChildren(button);
}
