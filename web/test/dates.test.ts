import { expect, test } from 'vitest';
import { brokenBound, isDay, resolveDay, todayOf } from '../src/renderer/form/dates';
import { join, pasted, split } from '../src/renderer/widgets/date';

test.each([
  ['today', '2024-02-29', '2024-02-29'],
  ['-18y', '2024-02-29', '2006-02-28'],
  ['+90d', '2024-02-29', '2024-05-29'],
  ['+1m', '2026-01-31', '2026-02-28'],
  ['-13m', '2026-01-15', '2024-12-15'],
  ['-1w', '2024-02-29', '2024-02-22'],
  ['2020-01-01', '2026-11-21', '2020-01-01'],
  ['18y', '2026-11-21', undefined],
  ['soon', '2026-11-21', undefined],
])('%s of %s', (rule, today, expected) => expect(resolveDay(rule, today)).toBe(expected));

test.each([
  ['2008-11-21', undefined], // 18 today (R5-24)
  ['2008-11-22', 'x-date.max'],
  ['1927-11-21', undefined],
  ['1927-11-20', 'x-date.min'],
])('born %s', (day, expected) =>
  expect(brokenBound(day, { min: '-99y', max: '-18y' }, '2026-11-21')?.keyword).toBe(expected));

test('only real days are days', () => {
  expect(isDay('2026-02-29')).toBe(false);
  expect(isDay('2024-02-29')).toBe(true);
  expect(isDay('2026-2-1')).toBe(false);
});

test('today is the day in India, not in Greenwich', () => expect(todayOf('2026-11-21T20:00:00Z')).toBe('2026-11-22'));

test('three boxes are one day; what is incomplete survives as text', () => {
  expect(join({ day: '5', month: '3', year: '2026' })).toBe('2026-03-05');
  expect(join({ day: '', month: '', year: '' })).toBeUndefined();
  const partial = join({ day: '5', month: '', year: '20' });
  expect(split(partial)).toEqual({ day: '5', month: '', year: '20' });
});

test.each([
  ['21/11/2026', '2026-11-21'],
  ['1.2.2026', '2026-02-01'],
  ['2026-11-21', '2026-11-21'],
  ['21 Nov', undefined],
])('pasted %s', (text, expected) => expect(pasted(text)).toBe(expected));
