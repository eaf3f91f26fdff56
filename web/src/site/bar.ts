import { keepClear } from '../ui/clear';

/** A question of the site itself, at the foot of the window where nothing moves: one at a time. */
export function bar(text: string, ...ways: HTMLElement[]): HTMLElement {
  const box = document.createElement('aside');
  box.className = 'begun';
  box.setAttribute('aria-label', text);
  const words = document.createElement('p');
  words.textContent = text;
  box.append(words, ...ways);
  const show = () => {
    document.body.append(box);
    keepClear(box, ', .step-card :is(.choice, .input)');
  };
  const other = document.querySelector('aside.begun');
  if (other)
    new MutationObserver((_, seen) => {
      if (other.isConnected) return;
      seen.disconnect();
      show();
    }).observe(document.body, { childList: true });
  else show();
  return box;
}

export function button(look: string, text: string, press: () => void): HTMLButtonElement {
  const one = document.createElement('button');
  one.type = 'button';
  one.className = look;
  one.textContent = text;
  one.onclick = press;
  return one;
}
