/** Money, dates and shares as people in India read them. Nothing here knows where a value comes from. */
import type { Value } from '../api/types';

const LANGUAGE = 'en-IN';
const whole = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 0 });
const exact = new Intl.NumberFormat(LANGUAGE, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const day = new Intl.DateTimeFormat(LANGUAGE, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
const moment = new Intl.DateTimeFormat(LANGUAGE, {
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
  hour12: true,
  timeZone: 'Asia/Kolkata',
});

/** ₹1,23,456 — with paise when there are any, or when `paisa` asks for them (sums that must be seen to add up). */
export function money(paise: number, { paisa = false } = {}): string {
  const sign = paise < 0 ? '−' : '';
  const rupees = Math.abs(paise) / 100;
  return `${sign}₹${paisa || paise % 100 !== 0 ? exact.format(rupees) : whole.format(rupees)}`;
}

export const grouped = (number: number): string => whole.format(number);

/** `2026-11-21` → 21 Nov 2026; with a time → 21 Nov, 3:30 pm in India. Text that is no date stays. */
export function date(iso: string): string {
  const at = new Date(iso.length === 10 ? `${iso}T00:00:00Z` : iso);
  if (Number.isNaN(at.getTime())) return iso;
  return iso.length === 10 ? day.format(at) : moment.format(at).replace(/ (am|pm)$/i, (half) => half.toLowerCase());
}

/** The time of day in India: 4:52 pm. */
export const time = (iso: string): string => date(iso).split(', ').at(-1) ?? iso;

export function value(input: Value | undefined, options?: { paisa?: boolean }): string {
  if (input === null || input === undefined || input === '') return '—';
  if (typeof input === 'number') return grouped(input);
  if (typeof input === 'string') return /^\d{4}-\d{2}-\d{2}$/.test(input) ? date(input) : input;
  if ('paise' in input) return money(input.paise, options);
  if ('date' in input) return date(input.date);
  if ('percent' in input) return `${input.percent}%`;
  return input.text;
}

/** 75 s → 1 min 15 s; under a minute → 40 s. */
export function span(seconds: number): string {
  const left = Math.max(0, Math.round(seconds));
  return left < 60 ? `${left} s` : `${Math.floor(left / 60)} min${left % 60 ? ` ${left % 60} s` : ''}`;
}

const longDay = new Intl.DateTimeFormat(LANGUAGE, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });
const shortDay = new Intl.DateTimeFormat(LANGUAGE, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

/** `2026-11-23` → Monday, 23 November. */
export const dayName = (iso: string): string => {
  const part = partsOf(longDay, iso);
  return `${part.weekday}, ${part.day} ${part.month}`;
};

/** `2026-11-23` → Mon, 23, Nov. */
export const dayChip = (iso: string): { weekday: string; day: string; month: string } => {
  const { weekday = '', day = '', month = '' } = partsOf(shortDay, iso);
  return { weekday, day, month };
};

/** `10:30 AM` → Morning; from noon Afternoon, from 5 Evening. */
export function clockPart(text: string): 'Morning' | 'Afternoon' | 'Evening' {
  if (/AM$/i.test(text)) return 'Morning';
  const hour = Number.parseInt(text, 10) % 12;
  return hour < 5 ? 'Afternoon' : 'Evening';
}

function partsOf(format: Intl.DateTimeFormat, iso: string): Partial<Record<Intl.DateTimeFormatPartTypes, string>> {
  return Object.fromEntries(format.formatToParts(new Date(`${iso}T00:00:00Z`)).map(({ type, value }) => [type, value]));
}
