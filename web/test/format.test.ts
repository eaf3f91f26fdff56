import { expect, test } from 'vitest';
import cases from '../../tests/forms/amounts.json';
import clock from '../../tests/forms/clock.json';
import words from '../dev/words.json';
import { time } from '../src/renderer/blocks/time';
import { brief, date, dayChip, dayInIndia, dayName, grouped, money, spelled, value } from '../src/ui/format';
import { speak } from '../src/ui/words';

const INDIA = 'en-IN';
const DAY_MS = 86_400_000;

/** Node's own data, which the product does not use: the engine and browsers have other ones. */
test('sums, days and instants read as an Indian locale has them', () => {
  const whole = new Intl.NumberFormat(INDIA, { maximumFractionDigits: 0 });
  const exact = new Intl.NumberFormat(INDIA, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  for (let paise = 0; paise < 10 ** 12; paise = Math.ceil(paise * 1.01) + 7) {
    expect(grouped(paise)).toBe(whole.format(paise));
    expect(money(paise, { paisa: true })).toBe(`₹${exact.format(paise / 100)}`);
    expect(money(-paise)).toBe(
      `${paise > 0 ? '−' : ''}₹${paise % 100 ? exact.format(paise / 100) : whole.format(paise / 100)}`,
    );
  }
  const of = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(INDIA, { day: 'numeric', timeZone: 'Asia/Kolkata', ...options });
  const moment = of({ month: 'short', hour: 'numeric', minute: '2-digit', hour12: true });
  const [year, long, brief] = [
    of({ month: 'short', year: 'numeric' }),
    of({ weekday: 'long', month: 'long' }),
    of({ weekday: 'short', month: 'short' }),
  ];
  for (let at = Date.UTC(2024, 0, 1); at < Date.UTC(2028, 0, 1); at += DAY_MS + 1_234_567) {
    const instant = new Date(at);
    const day = dayInIndia(instant);
    const part = (format: Intl.DateTimeFormat, name: string) =>
      format.formatToParts(instant).find(({ type }) => type === name)?.value;
    expect(date(instant.toISOString())).toBe(moment.format(instant));
    expect(date(day)).toBe(year.format(instant));
    expect(dayName(day)).toBe(`${part(long, 'weekday')}, ${part(long, 'day')} ${part(long, 'month')}`);
    expect(dayChip(day)).toEqual({
      weekday: part(brief, 'weekday'),
      day: part(brief, 'day'),
      month: part(brief, 'month'),
    });
  }
});

test.each(cases)('$paise paise, said briefly and in words', (amount) => {
  expect(brief(amount.paise)).toBe(amount.brief);
  expect(spelled(amount.paise)).toBe(amount.spelled);
});

test.each([
  ['today', '2026-12-01T11:00:00Z', '4:30 pm', 'शाम 4:30 बजे'],
  ['the last minute of the day in India', '2026-12-01T18:29:00Z', '11:59 pm', 'रात 11:59 बजे'],
  ['the next day in India, the same one in London', '2026-12-01T18:30:00Z', '2 Dec, 12:00 am', '2 दिस॰, रात 12:00 बजे'],
  ['the same day of another year', '2027-12-01T11:00:00Z', '1 Dec, 4:30 pm', '1 दिस॰, शाम 4:30 बजे'],
])('a time of another day than today says its day: %s', (_, iso, english, hindi) => {
  const now = Date.parse('2026-11-30T18:30:00Z'); // midnight in India
  expect(time(iso, now)).toBe(english);
  speak('hi', words.hi);
  expect(time(iso, now)).toBe(hindi);
  speak('en', words.en);
});

test.each(clock)('$at: the time of day as the engine says it', ({ at, en, hi }) => {
  expect(time(at, Date.parse(at))).toBe(en);
  speak('hi', words.hi);
  expect(time(at, Date.parse(at))).toBe(hi);
  speak('en', words.en);
});

test('a time that stands alone says its day: nobody knows when it is read', () => {
  expect(value({ time: '2026-11-21T11:22:00Z' })).toBe('21 Nov, 4:52 pm');
  expect(time('soon', 0)).toBe('soon');
});

test('amounts in words are counted in lakh and crore, and grouped by them (R9-44)', () => {
  expect([1_00_000, 1_00_00_000].map((rupees) => spelled(rupees * 100))).toEqual(['1 lakh rupees', '1 crore rupees']);
  expect(grouped(12_34_567)).toBe('12,34,567');
});

test('from a crore on in Cr, from a lakh in Lakh, from a thousand in K (R9-70)', () => {
  expect([1_50_00_000, 5_00_000, 50_000, 999].map((rupees) => brief(rupees * 100))).toEqual([
    '₹1.5 Cr',
    '₹5 Lakh',
    '₹50 K',
    '₹999',
  ]);
});

test('lakh and crore, thousands in pairs (R9-44)', () => {
  expect([brief(1_00_000_00), brief(1_00_00_000_00), grouped(12_34_567)]).toEqual(['₹1 Lakh', '₹1 Cr', '12,34,567']);
});
