/**
 * The sentences that the app says by itself, in the language of the page. They come with the page (workflows/site/browser.yaml);
 * `{{n}}` is a place, `{{n: offer | offers}}` the words for one or for any other number.
 */
import type { Words } from '../contract/words';

type Name = keyof Words;
type Said = { [N in Name]?: string };
type Places<N extends Name> = [Words[N]] extends [never] ? [] : [{ [Place in Words[N]]: string | number }];

let said: Said = {};
let language = 'en';

/** From now on in this language. */
export function speak(of: string | undefined, words: Said | undefined): void {
  said = words ?? {};
  language = of ?? 'en';
}

if (typeof document !== 'undefined') {
  const boot = document.getElementById('boot')?.textContent;
  if (boot) speak(document.documentElement.lang, (JSON.parse(boot) as { site?: { words?: Said } }).site?.words);
}

/** Whether a number takes the words for one; Hindi counts nothing as one (CLDR). No `Intl`: the server has none. */
const isOne = (n: number): boolean => n === 1 || (n === 0 && language === 'hi');

const PLACE = /\{\{(\w+)(?:: ([^{}|]*) \| ([^{}|]*))?\}\}/g;

/** A sentence as it is put together: words and what stands in its places. */
export function pieces<Shown>(name: Name, places: Record<string, Shown>): (Shown | string)[] {
  const text = said[name] ?? name;
  const out: (Shown | string)[] = [];
  let at = 0;
  for (const found of text.matchAll(PLACE)) {
    const [whole, place, one, others] = found;
    const shown = places[place!] ?? '';
    out.push(text.slice(at, found.index), one === undefined ? shown : isOne(Number(shown)) ? one : others!);
    at = found.index + whole.length;
  }
  return [...out, text.slice(at)];
}

export const t = <N extends Name>(name: N, ...[places]: Places<N>): string => pieces(name, places ?? {}).join('');

export const speaksEnglish = (): boolean => language === 'en';
