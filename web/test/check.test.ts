import { expect, test } from 'vitest';
import type { Data, Schema, Ui } from '../src/api/open';
import { ordered } from '../src/renderer/form/arrange';
import { check } from '../src/renderer/form/check';
import { askedData, effectiveSchema } from '../src/renderer/form/effective';
import { normaliseData } from '../src/renderer/form/normalise';

const TODAY = '2026-11-21';

/** Errors as `pointer: text`, as a submit would find them. */
function errors(schema: Schema, ui: Ui, data: Data): string[] {
  const flat = ordered(effectiveSchema(schema, ui, data), ui);
  return check(flat, askedData(flat, normaliseData(flat, data)), TODAY).map(
    ({ pointer, text }) => `${pointer}: ${text}`,
  );
}

const one = (property: Schema, required = true): Schema => ({
  type: 'object',
  required: required ? ['x'] : [],
  properties: { x: property },
});

test.each<[string, Schema, unknown, string[]]>([
  ['missing', { type: 'string', title: 'Name' }, undefined, ['/x: Please enter Name']],
  ['empty is missing', { type: 'string', title: 'Name' }, '', ['/x: Please enter Name']],
  ['own words', { type: 'string', 'x-messages': { required: 'Give it' } }, undefined, ['/x: Give it']],
  ['choice', { title: 'one', oneOf: [{ const: 'a' }] }, undefined, ['/x: Please choose one']],
  [
    'equal bounds (R5-01)',
    { type: 'string', title: 'PAN', minLength: 10, maxLength: 10 },
    'ABCDE',
    ['/x: Please enter PAN of length 10 characters'],
  ],
  [
    'bounds (R5-02)',
    { type: 'string', title: 'Name', minLength: 3, maxLength: 50 },
    'A',
    ['/x: Please enter Name between 3 - 50 characters'],
  ],
  [
    'length before pattern',
    { type: 'string', title: 'N', minLength: 3, maxLength: 5, pattern: '^[a-z]+$' },
    '1',
    ['/x: Please enter N between 3 - 5 characters'],
  ],
  [
    'pattern',
    { type: 'string', title: 'M', pattern: '^[6-9][0-9]{9}$', 'x-messages': { pattern: 'Invalid mobile number.' } },
    '5000000001',
    ['/x: Invalid mobile number.'],
  ],
  [
    'consent missing',
    { type: 'boolean', const: true, title: 'terms', 'x-messages': { required: 'Tick it' } },
    undefined,
    ['/x: Tick it'],
  ],
  ['maximum', { type: 'integer', title: 'Share', maximum: 110 }, 111, ['/x: Share must be 110 or less']],
  ['not a number', { type: 'integer', title: 'Weight' }, '12.', ['/x: Please enter a valid Weight']],
  ['no such day', { type: 'string', format: 'date', title: 'day' }, '2026-02-30', ['/x: Please enter a valid day']],
  ['half a day', { type: 'string', format: 'date', title: 'day' }, '2026-3-', ['/x: Please enter a valid day']],
  [
    'x-date',
    { type: 'string', format: 'date', title: 'Day', 'x-date': { min: 'today' } },
    '2026-11-20',
    ['/x: Day must be on or after 21 Nov 2026'],
  ],
  [
    'list',
    { type: 'array', title: 'L', maxItems: 1, items: { enum: ['a', 'b'] } },
    ['a', 'b'],
    ['/x: Please choose at most 1'],
  ],
  ['list item', { type: 'array', title: 'L', items: { enum: ['a'] } }, ['z'], ['/x: Please choose L']],
  ['good', { type: 'string', pattern: '^[6-9][0-9]{9}$', 'x-normalise': [{ unprefix: ['+91'] }] }, '+919876543210', []],
])('%s', (_, property, value, expected) => expect(errors(one(property), {}, { x: value })).toEqual(expected));

test('a pattern that the browser cannot read is left to the server', () =>
  expect(errors(one({ type: 'string', pattern: '(?i)a' }), {}, { x: 'b' })).toEqual([]));

const conditional: Schema = {
  type: 'object',
  required: ['kind'],
  properties: {
    kind: { type: 'string' },
    other: { type: 'string', title: 'Other' },
    deep: { type: 'string', title: 'Deep' },
  },
  allOf: [{ if: { properties: { kind: { const: 'b' } }, required: ['kind'] }, then: { required: ['other'] } }],
  unevaluatedProperties: false,
};
const show: Ui = { other: { 'ui:show': { kind: 'b' } }, deep: { 'ui:show': { other: { not: 'plain' } } } };

test.each<[Data, string[]]>([
  [{ kind: 'a' }, []],
  [{ kind: 'a', other: 'left over' }, []],
  [{ kind: 'b' }, ['/other: Please enter Other']],
  [{ kind: 'b', other: 'x' }, []],
])('questions that are not asked have no errors: %j', (data, expected) =>
  expect(errors(conditional, show, data)).toEqual(expected));

test.each<[Data, string[]]>([
  [{ kind: 'a', other: 'plain' }, ['kind', 'deep']], // what is hidden counts as not answered
  [{ kind: 'b', other: 'plain' }, ['kind', 'other']],
  [{ kind: 'b', other: 'rare' }, ['kind', 'other', 'deep']],
])('asked for %j', (data, expected) =>
  expect(Object.keys(effectiveSchema(conditional, show, data).properties)).toEqual(expected));

test('errors come in the order in which the fields stand', () => {
  const schema = {
    type: 'object',
    required: ['a', 'b', 'c'],
    properties: {
      a: { title: 'A' },
      b: { title: 'B' },
      c: { type: 'object', required: ['d'], properties: { d: { title: 'D' } } },
    },
  };
  const ui = { 'ui:order': ['c', 'b', '*'] };
  expect(errors(schema, ui, {})).toEqual(['/c/d: Please enter D', '/b: Please enter B', '/a: Please enter A']);
  expect(errors(schema, ui, { c: { e: 1 } as Data, b: '1', a: '1' })).toEqual(['/c/d: Please enter D']);
});
