import { describe, expect, test } from 'vitest';
import { type NormaliseStep, normalise, normaliseData, normaliseTyped } from '../src/renderer/form/normalise';
import { mobileTyped } from '../src/renderer/widgets/mobile';
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

describe('normalise', () => {
  const check = (steps: NormaliseStep[], typed: string, expected: string) =>
    expect(normalise(steps, typed)).toBe(expected);
  test.each<[NormaliseStep[], string, string]>([
    [[{ keep: '[A-Za-z ]' }, 'collapse', 'trim'], ' Asha1  R@o ', 'Asha Ro'], // R5-03
    [[{ keep: '[-A-Za-z0-9 *#_]' }], 'a-b*c#d_e%', 'a-b*c#d_e'], // R5-04
    [
      ['trim', { keep: '[0-9+]' }, { unprefix: ['+91', '0'] }, { keep: '[0-9]' }, { max: 10 }],
      '+91 98765-43210',
      '9876543210',
    ],
    [['trim', { unprefix: ['+91', '0'] }], '09876543210', '9876543210'], // R5-11
    [tag, 'dl3cab1234', 'DL-3-CAB-1234'], // R5-19
    [tag, 'mh-12-ab-1234', 'MH-12-AB-1234'],
    [tag, '22 xx 1234 aa', '22-XX-1234-AA'],
    [tag, 'half', 'HALF'],
    [['lower'], 'A@B.IN', 'a@b.in'],
    [[{ max: 2 }], 'नमस्ते', 'नम'],
    [[], ' as it is ', ' as it is '],
  ])('%j %s', check);

  test('active content is removed and angle brackets escaped, also twice', () => {
    const once = normalise(['sanitise'], '<script>a</script><img src=x><svg onLoad=x><a href=y>'); // R5-39
    expect(once).not.toMatch(/script|onload=|img|svg|href|[<>]/i);
    expect(normalise(['sanitise'], once)).toBe(once);
  });

  test('idempotent: what was normalised stays', () => {
    const tagged = normalise(tag, 'dl3cab1234');
    expect(normalise(tag, tagged)).toBe(tagged);
  });

  test('under the fingers only what cannot spoil a half typed text', () => {
    expect(normaliseTyped(tag, 'dl-3')).toBe('DL-3');
    expect(normaliseTyped([{ keep: '[0-9]' }, { max: 6 }], '12a34567')).toBe('123456');
    expect(normaliseTyped(['trim', 'collapse', { keep: '[A-Za-z ]' }], 'Asha ')).toBe('Asha ');
    expect(normaliseTyped([{ keep: '[0-9+]' }, { unprefix: ['+91'] }, { max: 10 }], '+9')).toBe('+9');
  });

  test('answers: nested ones too, empty texts vanish', () => {
    const schema = {
      properties: { a: { 'x-normalise': ['trim'] }, b: { properties: { c: { 'x-normalise': ['upper'] } } }, n: {} },
    };
    expect(normaliseData(schema, { a: '  ', b: { c: 'x' }, n: 0, gone: undefined })).toEqual({ b: { c: 'X' }, n: 0 });
  });
});

test.each([
  ['98a76-54321099', '9876543210'], // R5-10
  ['+919876543210', '9876543210'],
  ['919876543210', '9876543210'],
  ['09876543210', '9876543210'],
  ['9198765432', '9198765432'],
  ['+9', '+9'], // half a prefix, typed key by key
  ['+91', ''],
])('mobile typed %s', (typed, expected) => expect(mobileTyped(typed)).toBe(expected));

test.each<[string, boolean, unknown]>([
  ['12', false, 12],
  ['1a2', false, 12],
  ['', false, undefined],
  ['1.5', true, 1.5],
  ['1.', true, '1.'],
  ['1.0', true, '1.0'],
])('number typed %s', (typed, decimal, expected) => expect(numberTyped(typed, decimal)).toBe(expected));
