/** Offers the page in the language that the browser prefers: once, in its own words, at the foot of the window where nothing moves. */
import type { LanguageOffer } from './boot';

const PLACE = 'language-offered';

/** Whether this browser has seen the offer; a storage that forgets never gets it. */
function isNew(): boolean {
  try {
    if (localStorage.getItem(PLACE)) return false;
    localStorage.setItem(PLACE, '1');
    return localStorage.getItem(PLACE) !== null;
  } catch {
    return false;
  }
}

export function offer({ language, text, yes, close }: LanguageOffer): void {
  if (!isNew()) return;
  const bar = document.createElement('aside');
  bar.className = 'begun';
  bar.lang = language;
  bar.setAttribute('aria-label', text);
  const words = document.createElement('p');
  words.textContent = text;
  const link = document.createElement('a');
  link.className = 'button small';
  link.href = `?lang=${language}`;
  link.textContent = yes;
  const no = document.createElement('button');
  no.type = 'button';
  no.className = 'link-button';
  no.textContent = close;
  no.onclick = () => bar.remove();
  bar.append(words, link, no);
  document.body.append(bar);
}
