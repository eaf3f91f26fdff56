/** Offers the page in the language that the browser prefers: once, in its own words, at the foot of the window where nothing moves. */
import { bar, button } from './bar';
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
  const link = document.createElement('a');
  link.className = 'button small';
  link.href = `?lang=${language}`;
  link.textContent = yes;
  const box = bar(
    text,
    link,
    button('link-button', close, () => box.remove()),
  );
  box.lang = language;
}
