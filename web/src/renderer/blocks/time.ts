import { date, dayInIndia } from '../../ui/format';

/** A time of today in India: 4:52 pm; of another day: 2 Dec, 4:30 pm. */
export function time(iso: string, now: number): string {
  const whole = date(iso);
  const isToday = whole !== iso && dayInIndia(new Date(iso)) === dayInIndia(new Date(now));
  return (isToday && whole.split(', ')[1]) || whole;
}
