/** No sentence of the app stands in its code: all of them come with the page, in its language. */
import { expect, test } from 'vitest';
import words from '../dev/words.json';
import { money, value } from '../src/ui/format';
import { pieces, speak, t } from '../src/ui/words';

const sources = import.meta.glob<string>('../src/**/*.{ts,tsx}', { eager: true, query: '?raw', import: 'default' });

/** Text between tags, and what is read aloud, said in code. */
const SAID = [
  />\s*([A-Z][a-z]+[^<>{}=;()]*?)\s*[<{]/g,
  /\s(?:aria-label|title|placeholder|alt)="([^"]*[A-Za-z]{2}[^"]*)"/g,
];

test.each(
  Object.entries(sources).filter(([file]) => file.endsWith('.tsx')),
)('%s says nothing by itself', (_, source) => {
  // the example at the end of a file is for the gallery
  const code = source.split(/\nexport const example\b/)[0]!.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  expect(SAID.flatMap((rule) => [...code.matchAll(rule)].map(([, text]) => text))).toEqual([]);
});

test('every sentence that the code names is there, and every one that is there is named', () => {
  const code = Object.values(sources).join('\n');
  const unnamed = Object.keys(words.en).filter((name) => !new RegExp(`['\`]${name}['\`]`).test(code));
  const composed = [
    'language_offer',
    'language_yes',
    'expired_why',
    'gone_why',
    'state_done',
    'state_current',
    'state_todo',
    'state_failed',
  ];
  expect(unnamed.filter((name) => !composed.includes(name))).toEqual([]);
  expect(Object.keys(words.hi)).toEqual(Object.keys(words.en));
});

test('places, numbers, months: as the language has them', () => {
  expect([0, 1, 2].map((n) => t('offers_count', { n }))).toEqual(['0 offers', '1 offer', '2 offers']);
  expect(pieces('chosen_of', { n: true, all: 3 })).toEqual(['', true, ' of ', 3, ' chosen']);
  speak('hi', words.hi);
  expect([0, 1, 2].map((n) => t('without_offer', { n }))).toEqual([
    '0 कंपनी बिना ऑफ़र के',
    '1 कंपनी बिना ऑफ़र के',
    '2 कंपनियाँ बिना ऑफ़र के',
  ]);
  expect([value({ date: '2026-11-21' }), money(5_00_000_00), value({ height: 17_000 })]).toEqual([
    '21 नव॰ 2026',
    '₹5,00,000',
    '170 सेमी (5 फ़ुट 7 इंच)',
  ]);
  speak('en', words.en);
});
