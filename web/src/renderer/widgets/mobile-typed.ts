import { digits } from '../form/letters';

/**
 * A `+` that is being typed stays until its country is known; `+91` and zeros before the number go, for the country stands before
 * the field. `91` without a plus goes once the number behind it is whole: until then it may be the number itself, and no digit is
 * cut. Else an eleventh digit is not taken; a longer text that was pasted stays as it is, to be refused: nobody's number is made of it.
 */
export function mobileTyped(typed: string, before: string): string {
  const text = digits(typed);
  const all = text.replace(/[^0-9]/g, '').slice(0, 30);
  const plus = /^[^0-9]*[+]/.test(text);
  if (plus && !all.startsWith('91')) return `+${all}`;
  const number = (plus ? all.slice(2) : all).replace(/^0+/, '');
  if (number.startsWith('91') && number.length > 10 && number.length < 14)
    return number.length === 11 ? number : number.slice(2).replace(/^0+/, '');
  return number.length === 11 && number.startsWith(before) && before.length === 10 ? before : number;
}
