import { expect, test } from 'vitest';
import { type NormaliseStep, normaliseTyped, rewritten } from '../src/renderer/form/normalise';
import { leavesOut, mobileTyped } from '../src/renderer/widgets/mobile-typed';
import { numberTyped } from '../src/renderer/widgets/number';

const tag: NormaliseStep[] = [
  'trim',
  'upper',
  { strip: '[^A-Z0-9]' },
  {
    group: ['^([0-9]{2})(XX)([0-9]{4})([A-Z]{1,2})$', '^([A-Z]{1,2})([0-9]{1,2})([A-Z]{1,3})([0-9]{1,4})$'],
    join: '-',
  },
];

test('under the fingers only what cannot spoil a half typed text', () => {
  expect(normaliseTyped(tag, 'dl-3')).toBe('DL-3');
  expect(normaliseTyped([{ keep: '[0-9]' }], '12a34567')).toBe('1234567');
  expect(normaliseTyped(['trim', 'collapse', { space: '[-]' }, { keep: '[A-Za-z ]' }], 'Asha-')).toBe('Asha ');
  expect(normaliseTyped([{ keep: '[0-9+]' }, { unprefix: ['+91'] }], '+9')).toBe('+9');
});

const name: NormaliseStep[] = ['latin', { space: "[-'.]" }, { keep: '[A-Za-z ]' }, 'collapse', 'trim'];

test.each([
  ['José', 'Jose'],
  ['Jose\u0301', 'Jose'],
  ['आशा राव', 'आशा राव'], // until the field is left
  ['Asha1 R@o', 'Asha Ro'],
  ['Asha ', 'Asha '],
])('a name typed as %s', (typed, kept) => expect(normaliseTyped(name, typed)).toBe(kept));

test('what is not taken as it was typed has a word', () => {
  expect(rewritten(name, 'Asha1 R@o')).toEqual({ left: ['1', '@'] });
  expect(rewritten(name, 'José')).toEqual({ left: [], plain: { from: 'é', to: 'e' } });
  expect(rewritten(name, 'Jose\u0301')).toEqual({ left: [], plain: { from: 'é', to: 'e' } });
  expect(rewritten(name, 'Asha राव')).toEqual({ left: [] });
  expect(rewritten(['sanitise', 'latin', { space: '[^-A-Za-z0-9 /]' }], '12½ Lane')).toEqual({
    left: [],
    plain: { from: '½', to: '1/2' },
  });
  expect(rewritten(tag, 'dl-3')).toEqual({ left: [] }); // its signs only part it
});

/** Key by key, as a person types. */
const typedKeys = (keys: string) => [...keys].reduce((text, key) => mobileTyped(text + key, text), '');

test.each([
  ['98a76-54321099', '9876543210'], // R5-10
  ['+919876543210', '9876543210'],
  ['09876543210', '9876543210'],
  ['+91', ''],
  ['91 98123 45670', '9812345670'],
  ['+91 (0) 98765 43210', '9876543210'],
  ['0091 98765 43210', '9876543210'],
  ['91981234567', '91981234567'], // it may still be either: no digit is cut
  ['9198123456', '9198123456'],
  ['९८७६५४३२१०', '9876543210'],
  ['9715012345', '9715012345'], // a number in India
])('mobile typed %s', (keys, expected) => expect(typedKeys(keys)).toBe(expected));

test.each([
  ['+91 98765-43210', '9876543210'],
  ['919876543210', '9876543210'],
  ['9198765432', '9198765432'],
  ['+9', '+9'], // half a prefix
  ['91 98123 45670', '9812345670'],
  ['+91 (0) 98765 43210', '9876543210'],
  ['91 0 98765 43210', '9876543210'],
  ['\u202a+919876543210\u202c', '9876543210'],
  ['98765 43210 / 98123 45670', '98765432109812345670'], // two of them are refused
  ['90000000012345', '90000000012345'], // R5-12: it stays to be refused, nobody's number is made of it
  ['+971 50 123 4567', '+971501234567'], // R5-13: with its country
  ['+971 (0)50 123 4567', '+971501234567'],
  ['971501234567', '+971501234567'],
  ['00971501234567', '+971501234567'],
  ['+97', '+97'],
])('mobile pasted %s', (text, expected) => expect(mobileTyped(text, '')).toBe(expected));

test.each([
  ['501234567', '+971501234567'],
  ['0501234567', '+971501234567'],
  ['+919876543210', '9876543210'], // its country goes with it
  ['971501234567', '+971501234567'],
  ['', '+971'],
])('mobile pasted %s where the Emirates are chosen (R5-14)', (text, expected) =>
  expect(mobileTyped(text, '+971')).toBe(expected));

test('a tenth digit is not taken by a number of the Emirates', () =>
  expect(mobileTyped('5012345678', '+971501234567')).toBe('+971501234567'));

test.each<[string, boolean, unknown]>([
  ['12', false, 12],
  ['1a2', false, 12],
  ['', false, undefined],
  ['1.5', true, 1.5],
  ['1.', true, '1.'],
  ['1.0', true, '1.0'],
])('number typed %s', (typed, decimal, expected) => expect(numberTyped(typed, decimal)).toBe(expected));

test('a digit more than a number has is left out aloud', () => {
  const typed = (text: string, before: string) => leavesOut(text, before, mobileTyped(text, before));
  expect(typed('98123456701', '9812345670')).toBe(true);
  expect(typed('5012345678', '+971501234567')).toBe(true);
  for (const [text, before] of [
    ['9812345670', '981234567'],
    ['981234567', '9812345670'],
    ['98123456701234', ''],
  ] as const)
    expect(typed(text, before)).toBe(false);
});
