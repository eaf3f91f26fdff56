import { keepClear } from '../ui/clear';

/** A question of the site itself, at the foot of the window where nothing moves. */
export function bar(text: string, ...ways: HTMLElement[]): HTMLElement {
  const box = document.createElement('aside');
  box.className = 'begun';
  box.setAttribute('aria-label', text);
  const words = document.createElement('p');
  words.textContent = text;
  box.append(words, ...ways);
  document.body.append(box);
  keepClear(box);
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
