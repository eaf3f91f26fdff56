import type { Value } from '../api/open';
import { value as format } from '../ui/format';

export const isMoney = (value: Value | undefined): boolean =>
  typeof value === 'object' && value !== null && 'paise' in value;

/** A formatted value; figures line up. */
export function Shown({ value, paisa }: { value: Value | undefined; paisa?: boolean }) {
  const figures =
    typeof value === 'number' ||
    (typeof value === 'object' && value !== null && !('text' in value) && !('date' in value) && !('time' in value));
  return <span className={figures ? 'figures' : undefined}>{format(value, { paisa })}</span>;
}
