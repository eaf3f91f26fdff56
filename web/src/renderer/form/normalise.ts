/** `x-normalise`: the steps that turn what was typed into what is meant. (engine/definitions/src/form/normalise.rs applies the same ones.) */
import type { Data, Schema } from '../../api/open';
import { fieldsOf, requires } from './answers';
import { digits, isBlank, isForeign, latin } from './letters';
import { isMap } from './pointer';
import { arrange, isList, rowSchema } from './rows';

export type NormaliseStep =
  | 'trim'
  | 'upper'
  | 'lower'
  | 'collapse'
  | 'sanitise'
  | 'latin'
  | 'digits'
  | { keep: string }
  | { strip: string }
  | { space: string }
  | { unprefix: string[] }
  | { group: string[]; join?: string };

type Steps = readonly NormaliseStep[] | undefined;

/** Never empties what can be seen: such a text stays, to be refused. */
export function normalise(steps: Steps, text: string): string {
  const done = run(steps, text);
  return done === '' && !isBlank(text) ? trim(text) : done;
}

const run = (steps: Steps, text: string): string => (steps ?? []).reduce((value, step) => apply(step, value), text);

/**
 * Whether a text that was brought into its shape has what cannot be written here: letters of another script, or nothing that can.
 */
export const refuses = (steps: NormaliseStep[], text: string): boolean =>
  [...text].some((c) => isForeign(c) && steps.some((step) => removes(step, c))) ||
  (text !== '' && run(steps, text) === '');

/** A character that would go, were it not for the letters of other scripts, which stay. */
function removes(step: NormaliseStep, c: string): boolean {
  if (typeof step === 'string') return false;
  if ('keep' in step) return !pattern(step.keep).test(c);
  return 'strip' in step ? pattern(step.strip).test(c) : 'space' in step && pattern(step.space).test(c);
}

/** The steps that may run under the fingers: they neither move characters nor could spoil a text that is only half typed. */
export function normaliseTyped(steps: Steps, text: string): string {
  const all = steps ?? [];
  const reads = all.some((step) => typeof step === 'object' && !('keep' in step) && !('space' in step));
  return all
    .filter((step) => EARLY.has(step) || (!reads && typeof step === 'object'))
    .reduce((value, step) => apply(step, value), text);
}

const EARLY = new Set<NormaliseStep>(['upper', 'lower', 'latin', 'digits']);

/**
 * What the steps under the fingers do not take as it was typed: signs and digits that they leave out, a letter or fraction that they
 * write plainly. Marks that are only written in another way, such as a curled apostrophe, are not worth a word.
 */
export function rewritten(steps: Steps, text: string): { left: string[]; plain?: { from: string; to: string } } {
  const all = steps ?? [];
  if (all.some((step) => typeof step === 'object' && !('keep' in step) && !('space' in step))) return { left: [] };
  const read = (all.includes('latin') ? latin : String)(text);
  const isLeft = (c: string) => /\S/u.test(c) && !isForeign(c) && !isBlank(c) && all.some((step) => removes(step, c));
  const from = all.includes('latin')
    ? [...text.normalize('NFC')].find((c) => isForeign(c) && latin(c) !== c)
    : undefined;
  return { left: [...new Set([...read].filter(isLeft))], plain: from ? { from, to: latin(from) } : undefined };
}

/**
 * The answers of an object: texts normalised, numbers and booleans read from them, nothing empty, rows by their keys; what always
 * is, required objects and lists of rows, is put there.
 */
export function normaliseData(schema: Schema, data: Data): Data {
  const out: Data = {};
  for (const [name, value] of Object.entries(data)) {
    const isEmpty = value === undefined || value === null || value === '';
    if (!isEmpty && !schema['x-gone']?.includes(name)) out[name] = value;
  }
  for (const [name, rule] of fieldsOf(schema)) {
    if (out[name] === undefined) {
      if (isList(rule)) out[name] = [];
      else if (rule.properties && requires(schema, name)) out[name] = {};
      else continue;
    }
    const value = field(rule, out[name]);
    if (value === '') delete out[name];
    else out[name] = value;
  }
  return out;
}

function field(rule: Schema, value: unknown): unknown {
  if (typeof value === 'string') {
    const shaped = normalise(rule['x-normalise'], value);
    const text = rule.format === 'date' ? digits(shaped) : shaped;
    return typed(rule, text) ?? text;
  }
  if (isMap(value)) return normaliseData(rule, value);
  if (!Array.isArray(value)) return value;
  if (!isList(rule)) return rule.items ? value.map((item) => field(rule.items, item)) : value;
  return arrange(rule, value).map((item, i) => {
    const row = rowSchema(rule, i);
    return row && isMap(item) ? normaliseData(row, item) : item;
  });
}

/** What was typed as text: digits with or without commas, yes and no; one value of a list. */
function typed(rule: Schema, text: string): unknown {
  const plain = trim(text);
  if (rule.type === 'integer' || rule.type === 'number') {
    const number = digits(plain).replace(/,/g, '');
    const pattern = rule.type === 'integer' ? /^-?[0-9]{1,15}$/ : /^-?[0-9]{1,15}(?:\.[0-9]{1,9})?$/;
    return pattern.test(number) ? Number(number) + 0 : undefined; // no negative zero
  }
  if (rule.type === 'boolean') {
    if (['true', 'on', 'yes'].includes(plain)) return true;
    return ['false', 'off', 'no'].includes(plain) ? false : undefined;
  }
  return rule.type === 'array' && plain !== '' && !isList(rule) ? [text] : undefined;
}

/** White space of Unicode and of JavaScript. */
const SPACE = '[\\s\\u0085]';
const trim = (text: string): string => text.replace(new RegExp(`^${SPACE}+`), '').replace(new RegExp(`${SPACE}+$`), '');
const collapse = (text: string): string => text.replace(new RegExp(`${SPACE}+`, 'g'), ' ');

function apply(step: NormaliseStep, text: string): string {
  if (step === 'trim') return trim(text);
  if (step === 'upper') return text.toUpperCase();
  if (step === 'lower') return text.toLowerCase();
  if (step === 'collapse') return collapse(text);
  if (step === 'sanitise') return text.replace(MARKERS, ' ');
  if (step === 'latin') return latin(text);
  if (step === 'digits') return digits(text);
  if ('keep' in step) {
    const kept = pattern(step.keep);
    return [...text].filter((character) => isForeign(character) || kept.test(character)).join('');
  }
  if ('strip' in step) return text.replace(pattern(step.strip, 'gu'), (found) => foreign(found));
  if ('space' in step) return text.replace(pattern(step.space, 'gu'), (found) => foreign(found) || ' ');
  if ('unprefix' in step) {
    const prefix = step.unprefix.find((one) => text.startsWith(one));
    return prefix === undefined ? text : text.slice(prefix.length);
  }
  for (const one of step.group) {
    const found = pattern(one).exec(text);
    if (found)
      return found
        .slice(1)
        .filter((part) => part !== undefined)
        .join(step.join ?? '');
  }
  return text;
}

const foreign = (text: string): string => [...text].filter(isForeign).join('');

const patterns = new Map<string, RegExp>();

/** Patterns are of the part of the dialect that server and browser read alike; they are compiled once. */
export function pattern(text: string, flags = 'u'): RegExp {
  const known = patterns.get(flags + text);
  if (known) {
    known.lastIndex = 0;
    return known;
  }
  const made = new RegExp(text, flags);
  patterns.set(flags + text, made);
  return made;
}

/** R5-39: tags and markers of scripts, and angle brackets, become a space: nothing is glued together by it. */
const MARKERS = /<\/?[a-z][^<>]*>|<\/?[ ]?(?:script|img|svg)|\bon[a-z]+[ ]?=|\bhref[ ]?=|javascript:|[<>]/gi;
