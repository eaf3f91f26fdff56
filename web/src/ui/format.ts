/** Money, dates and shares as people in India read them. Nothing here knows where a value comes from. */
import type { Value } from '../api/open';
import { speaksEnglish, t } from './words';

/** India has one clock, without summer time. */
const OFFSET_MS = 5.5 * 3_600_000;

// No `Intl`: what the server draws and what every browser draws must be the same text, and their data differ.
const nth = (list: 'clock_parts' | 'months' | 'months_short' | 'weekdays' | 'weekdays_short', at: number): string =>
  t(list).split(' ')[at] ?? '';
const monthOf = (at: Date): string => nth('months_short', at.getUTCMonth());
const groups = (digits: string): string =>
  digits.length <= 3 ? digits : `${digits.slice(0, -3).replace(/\B(?=(\d\d)+$)/g, ',')},${digits.slice(-3)}`;

/** ₹1,23,456 — with paise when there are any, or when `paisa` asks for them (sums that must be seen to add up). */
export function money(paise: number, { paisa = false } = {}): string {
  const sign = paise < 0 ? '−' : '';
  const all = Math.abs(Math.round(paise));
  const rest = all % 100;
  const rupees = groups(String((all - rest) / 100));
  return `${sign}₹${rupees}${paisa || rest !== 0 ? `.${String(rest).padStart(2, '0')}` : ''}`;
}

const STEPS: [rupees: number, name: 'crore' | 'lakh' | 'thousand'][] = [
  [1_00_00_000, 'crore'],
  [1_00_000, 'lakh'],
  [1_000, 'thousand'],
];

/** ₹1.5 Cr, ₹5 Lakh, ₹10 K (R9-70): at most two decimals, cut off; smaller amounts as they are. The server's `brief` says the same. */
export function brief(paise: number): string {
  const rupees = Math.trunc(Math.abs(paise) / 100);
  const step = STEPS.find(([size]) => rupees >= size);
  if (!step) return money(paise);
  const hundredths = Math.trunc((rupees * 100) / step[0]);
  const decimals = String(hundredths % 100)
    .padStart(2, '0')
    .replace(/0+$/, '');
  const whole = groups(String(Math.trunc(hundredths / 100)));
  return `${paise < 0 ? '−' : ''}₹${t(step[1], { n: `${whole}${decimals && `.${decimals}`}` })}`;
}

/** 1 crore 50 lakh rupees (R9-44), in small letters; paise are left out. The server's `spelled` says the same. Other languages: in brief. */
export function spelled(paise: number): string {
  if (!speaksEnglish()) return brief(paise);
  const rupees = Math.trunc(Math.abs(paise) / 100);
  const parts: string[] = [];
  let left = rupees;
  for (const [size, name] of STEPS) {
    if (left >= size) parts.push(`${groups(String(Math.trunc(left / size)))} ${name}`);
    left %= size;
  }
  if (left > 0 || parts.length === 0) parts.push(String(left));
  return `${paise < 0 ? 'minus ' : ''}${parts.join(' ')} ${rupees === 1 ? 'rupee' : 'rupees'}`;
}

/** 123456 → 1,23,456 */
export const grouped = (number: number): string =>
  `${number <= -0.5 ? '-' : ''}${groups(String(Math.round(Math.abs(number))))}`;

/** `2026-11-21` → 21 Nov 2026; with a time → 21 Nov, 3:30 pm in India. Text that is no date stays. */
export function date(iso: string): string {
  const at = new Date(iso.length === 10 ? `${iso}T00:00:00Z` : iso);
  if (Number.isNaN(at.getTime())) return iso;
  if (iso.length === 10) return `${at.getUTCDate()} ${monthOf(at)} ${at.getUTCFullYear()}`;
  const here = new Date(at.getTime() + OFFSET_MS);
  const hour = here.getUTCHours();
  const minute = String(here.getUTCMinutes()).padStart(2, '0');
  return `${here.getUTCDate()} ${monthOf(here)}, ${t('clock', { time: `${hour % 12 || 12}:${minute}`, part: nth('clock_parts', hour >> 2) })}`;
}

/** The day in India at an instant: `2026-11-21`. */
export const dayInIndia = (at: Date): string => new Date(at.getTime() + OFFSET_MS).toISOString().slice(0, 10);

export function value(input: Value | undefined, options?: { paisa?: boolean }): string {
  if (input === null || input === undefined || input === '') return '—';
  if (typeof input === 'number') return grouped(input);
  if (typeof input === 'boolean') return t(input ? 'yes' : 'no');
  if (typeof input === 'string') return /^\d{4}-\d{2}-\d{2}$/.test(input) ? date(input) : input;
  if ('paise' in input) return money(input.paise, options);
  if ('date' in input) return date(input.date);
  if ('time' in input) return date(input.time);
  if ('percent' in input) return `${input.percent}%`;
  if ('height' in input) return height(input.height);
  return input.text;
}

/** Hundredths of a centimetre → 170 cm (5 ft 7 in). */
export function height(hundredths: number): string {
  const inches = Math.round(hundredths / 254);
  return t('height', { cm: Math.round(hundredths / 100), ft: Math.floor(inches / 12), in: inches % 12 });
}

/** 75 s → 1 min 15 s; under a minute → 40 s. */
export function span(seconds: number): string {
  const left = Math.max(0, Math.round(seconds));
  const [min, s] = [Math.floor(left / 60), left % 60];
  if (min === 0) return t('seconds', { s });
  return s === 0 ? t('minutes', { min }) : t('minutes_seconds', { min, s });
}

const dayOf = (iso: string): Date => new Date(`${iso}T00:00:00Z`);

/** `2026-11-23` → Monday, 23 November. */
export function dayName(iso: string): string {
  const at = dayOf(iso);
  return `${nth('weekdays', at.getUTCDay())}, ${at.getUTCDate()} ${nth('months', at.getUTCMonth())}`;
}

/** `2026-11-23` → Mon, 23, Nov. */
export function dayChip(iso: string): { weekday: string; day: string; month: string } {
  const at = dayOf(iso);
  return { weekday: nth('weekdays_short', at.getUTCDay()), day: String(at.getUTCDate()), month: monthOf(at) };
}

/** Part of the day in India at an instant: morning till noon, evening from 5 on. */
export function clockPart(iso: string): 'morning' | 'afternoon' | 'evening' {
  const hour = new Date(Date.parse(iso) + OFFSET_MS).getUTCHours();
  return hour >= 17 ? 'evening' : hour >= 12 ? 'afternoon' : 'morning';
}
