import { digits } from '../form/letters';

/** The countries that a mobile number may be of (R5-14); numbers of the first are written without it. */
export const COUNTRIES = ['+91', '+971'] as const;

export const countryOf = (value: string): string => (value.startsWith('+971') ? '+971' : '+91');

/** What stands in the field beside the country. */
export const numberOf = (value: string): string => value.replace(/^[+]971/, '');

/** The value of a number of this country. */
export const dialled = (country: string, number: string): string => (country === '+971' ? `+971${number}` : number);

/** Whether a digit that was typed is not taken, for the number is whole already. */
export const leavesOut = (typed: string, before: string, next: string): boolean =>
  next === before && digits(typed).replace(/[^0-9]/g, '').length > numberOf(before).length;

/**
 * The value of what was typed or pasted into the field, by the value before. A `+` stays until its country is known. A country and
 * zeros before the number go, for the country stands before the field: `+971` or twelve digits that begin with `971` choose the
 * Emirates. `91` without a plus goes once the number behind it is whole: until then it may be the number itself, and no digit is
 * cut. Else one digit more than a number has is not taken; a longer text that was pasted stays as it is, to be refused: nobody's
 * number is made of it.
 */
export function mobileTyped(typed: string, before: string): string {
  const text = digits(typed);
  const all = text.replace(/[^0-9]/g, '').slice(0, 30);
  const plus = /^[^0-9]*[+]/.test(text);
  if (plus && !/^(91|971)/.test(all)) return `+${all}`;
  const bare = (plus ? all : all.replace(/^0+/, '')).replace(plus ? /^91/ : /^$/, '').replace(/^0+/, '');
  const abroad = /^971/.test(bare) && (plus || bare.length === 12);
  const stays = !plus && before.startsWith('+971');
  if (abroad || stays) {
    const number = (abroad ? bare.slice(3) : bare).replace(/^0+/, '');
    return number.length === 10 && before.length === 13 && `+971${number}`.startsWith(before)
      ? before
      : `+971${number}`;
  }
  if (bare.startsWith('91') && bare.length > 10 && bare.length < 14)
    return bare.length === 11 ? bare : bare.slice(2).replace(/^0+/, '');
  return bare.length === 11 && bare.startsWith(before) && before.length === 10 ? before : bare;
}
