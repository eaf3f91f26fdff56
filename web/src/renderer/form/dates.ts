/** `x-date`: earliest and latest day, relative to today. Days are ISO texts (`2026-11-21`), so they compare as texts. */
import { dayInIndia } from '../../ui/format';

export interface DateRule {
  min?: string;
  max?: string;
}

/** Today where the product does business, out of a server's time. */
export const todayOf = (serverTime: string | undefined): string =>
  dayInIndia(serverTime ? new Date(serverTime) : new Date());

/** `today`, `2020-01-01`, or an offset such as `-18y`, `+90d`, `+2w`, `-6m`. A month that is too short ends on its last day. */
export function resolveDay(rule: string, today: string): string | undefined {
  if (rule === 'today') return today;
  if (isDay(rule)) return rule;
  const found = /^([+-])(\d{1,5})([dwmy])$/.exec(rule);
  if (!found) return undefined;
  const amount = Number(found[2]) * (found[1] === '-' ? -1 : 1);
  const [year, month, day] = today.split('-').map(Number) as [number, number, number];
  if (found[3] === 'd' || found[3] === 'w')
    return iso(new Date(Date.UTC(year, month - 1, day + amount * (found[3] === 'w' ? 7 : 1))));
  const months = year * 12 + (month - 1) + amount * (found[3] === 'y' ? 12 : 1);
  const [toYear, toMonth] = [Math.floor(months / 12), months % 12];
  const last = new Date(Date.UTC(toYear, toMonth + 1, 0)).getUTCDate();
  return iso(new Date(Date.UTC(toYear, toMonth, Math.min(day, last))));
}

/** Which bound a day breaks, with that bound; undefined when it keeps both. */
export function brokenBound(
  day: string,
  rule: DateRule,
  today: string,
): { keyword: 'x-date.min' | 'x-date.max'; limit: string } | undefined {
  const min = rule.min === undefined ? undefined : resolveDay(rule.min, today);
  const max = rule.max === undefined ? undefined : resolveDay(rule.max, today);
  if (min !== undefined && day < min) return { keyword: 'x-date.min', limit: min };
  if (max !== undefined && day > max) return { keyword: 'x-date.max', limit: max };
  return undefined;
}

/** A real day of the calendar: 2026-02-30 is none. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && iso(at) === text;
}

const iso = (at: Date): string => at.toISOString().slice(0, 10);
