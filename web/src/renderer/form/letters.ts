/** Letters and digits as people write them and as forms keep them. (engine/definitions/src/form/letters.rs does the same.) */
import { PLAIN } from '../../contract/letters';

/**
 * Accents go, ligatures and wide letters are spelled out, `½` is `1/2` with a space behind a figure. Letters of other scripts stay
 * as they are.
 */
export function latin(text: string): string {
  let out = '';
  let behindFigure = false;
  for (const c of text) {
    if (ACCENT.test(c) && /[A-Za-z]$/.test(out)) continue;
    const written = plain(c);
    const begins = isDigit(c) || /^[0-9]/.test(written ?? '');
    const isFigure = begins && !isDigit(c);
    if (begins && (isFigure || behindFigure) && isDigit([...out].at(-1) ?? '')) out += ' ';
    behindFigure = isFigure;
    out += written ?? c;
  }
  return out;
}

const ACCENT = /^[\u0300-\u036f]$/;
const isAscii = (text: string): boolean => [...text].every((c) => (c.codePointAt(0) as number) < 128);

/** A character with plain letters and signs alone; nothing when it cannot be written so. */
function plain(c: string): string | undefined {
  if (isAscii(c)) return c;
  const parts = [...c.normalize('NFKD')].filter((part) => !ACCENT.test(part));
  const written = parts.map((part) => PLAIN.get(part) ?? part).join('');
  return written !== '' && isAscii(written) ? written : undefined;
}

/** Digits of every script become 0 to 9. */
export const digits = (text: string): string => (isAscii(text) ? text : [...text].map(digit).join(''));

/** Digits stand together from zero to nine in every script. */
function digit(c: string): string {
  if (isAscii(c) || !DIGIT.test(c)) return c;
  const at = c.codePointAt(0) as number;
  let zero = at;
  while (DIGIT.test(String.fromCodePoint(zero - 1))) zero--;
  return String((at - zero) % 10);
}

const DIGIT = /^\p{Nd}$/u;
const isDigit = (c: string): boolean => DIGIT.test(c);

/** Letters, digits and what belongs to them, of scripts other than the English one. No step takes one away. */
export const isForeign = (c: string): boolean => !isAscii(c) && FOREIGN.test(c) && !LOOKS.test(c);

const FOREIGN = /^[\p{L}\p{M}\p{N}]$/u;
/** Marks that choose how a sign looks. */
const LOOKS = /^(?:\u034f|[\u20d0-\u20ff]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}])$/u;

/** Nothing can be seen of it. */
export const isBlank = (text: string): boolean => !/[^\p{Z}\p{Cc}\p{Cf}]/u.test(text);
