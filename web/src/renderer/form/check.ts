/**
 * All errors of a form's answers, at most one a field, in the order of the fields, each with its words. The server finds the same
 * ones (engine/definitions/src/form/validate.rs); tests/forms holds both to it.
 */
import type { Data, Schema } from '../../api/open';
import { type Asked, asked, fieldsOf, prune } from './answers';
import { same } from './condition';
import { normaliseData, pattern, refuses } from './normalise';
import { below, isMap } from './pointer';
import { isList, keyName, rowsOf } from './rows';

export interface FieldError {
  pointer: string;
  code: string;
  text: string;
}

/** The answers as they are sent: in their shape, and only of what is shown. */
export const answersOf = (schema: Schema, data: Data): Data => prune(schema, normaliseData(schema, data));

/** The answers as they would be sent, when nothing is missing or wrong. */
export function completeAnswers(schema: Schema, data: Data): Data | undefined {
  const answers = answersOf(schema, data);
  return check(schema, answers).length === 0 ? answers : undefined;
}

/** What one answer says at most. */
const ERRORS_MAX = 50;

/** `answers` come from `answersOf`. */
export function check(schema: Schema, answers: Data): FieldError[] {
  const found = asked(schema, answers).flatMap((field) => {
    const code = broken(field);
    return code ? [error(field.rule, field.pointer, code)] : [];
  });
  const unknown: string[] = [];
  findUnknown(schema, answers, '', undefined, unknown);
  return [...found, ...unknown.map((pointer) => error(schema, pointer, 'unknown'))].slice(0, ERRORS_MAX);
}

function broken({ rule, value, required }: Asked): string | undefined {
  if (value === undefined) return required ? 'required' : undefined;
  const codes = [wrong(rule, value)];
  if (Array.isArray(value)) {
    if (isList(rule)) codes.push(value.every(isMap) ? undefined : 'type');
    else if (rule.items) codes.push(...value.map((item) => wrong(rule.items, item)));
  }
  const said = codes.filter((code) => code !== undefined).sort((a, b) => rank(a) - rank(b));
  return said[0] ?? (rule['x-date'] && typeof value === 'string' ? outside(rule['x-date'], value) : undefined);
}

/** What is said first when several rules are broken. */
const CODES = [
  ...['required', 'letters', 'type', 'const', 'enum', 'minLength', 'maxLength', 'pattern', 'format'],
  ...['minimum', 'maximum', 'multipleOf', 'minItems', 'maxItems', 'uniqueItems'],
];
const rank = (code: string): number => CODES.indexOf(code);

/** The first rule that a value breaks, in the order of `CODES`. */
function wrong(rule: Schema, value: unknown): string | undefined {
  if (typeof value === 'number' && Math.abs(value) >= 1e15) return 'type';
  const refused = typeof value === 'string' ? isRefused(rule, value) : undefined;
  if (refused) return refused;
  if (rule.type !== undefined && !isOfType(rule.type, value)) return 'type';
  if ('const' in rule && !same(rule.const, value)) return 'const';
  const choices: unknown[] | undefined = rule.enum ?? rule.oneOf?.map((choice: Schema) => choice.const ?? null);
  if (choices && !choices.some((choice) => same(choice, value))) return 'enum';
  if (typeof value === 'string') return ofText(rule, value);
  if (typeof value === 'number') {
    if (value < rule.minimum) return 'minimum';
    if (value > rule.maximum) return 'maximum';
    return rule.multipleOf !== undefined && value % rule.multipleOf !== 0 ? 'multipleOf' : undefined;
  }
  if (!Array.isArray(value)) return undefined;
  if (value.length < rule.minItems) return 'minItems';
  if (value.length > rule.maxItems) return 'maxItems';
  const isTwice = (item: unknown, i: number) => value.slice(0, i).some((before) => same(before, item));
  return rule.uniqueItems && value.some(isTwice) ? 'uniqueItems' : undefined;
}

/** A text that cannot be written so, or of a shape that has words of its own: said before all else. */
function isRefused(rule: Schema, text: string): string | undefined {
  if (rule['x-normalise'] && refuses(rule['x-normalise'], text)) return 'letters';
  const shapes: Refusal[] = rule['x-refuse'] ?? [];
  const at = shapes.findIndex(
    (shape) => (shape.length ?? [...text].length) === [...text].length && pattern(shape.pattern).test(text),
  );
  return at < 0 ? undefined : `refused.${at}`;
}

interface Refusal {
  pattern: string;
  length?: number;
}

function ofText(rule: Schema, text: string): string | undefined {
  const length = [...text].length;
  if (length < rule.minLength) return 'minLength';
  if (length > rule.maxLength) return 'maxLength';
  if (rule.pattern !== undefined && !pattern(rule.pattern).test(text)) return 'pattern';
  const isGood = rule.format === 'date' ? isDay(text) : rule.format !== 'email' || isEmail(text);
  return isGood ? undefined : 'format';
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  return type === 'object' ? isMap(value) : typeof value === type;
}

/** A real day of the calendar, as `2026-11-21`: 2026-02-30 is none. */
export function isDay(text: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return false;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** The bound of `x-date` that a day breaks; days compare as texts. */
function outside(rule: { min?: string; max?: string }, day: string): string | undefined {
  if (!isDay(day)) return undefined;
  if (rule.min !== undefined && day < rule.min) return 'x-date.min';
  return rule.max !== undefined && day > rule.max ? 'x-date.max' : undefined;
}

/** A mailbox with a domain of at least two names, the last one of letters. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  const [name, labels] = [text.slice(0, at), text.slice(at + 1).split('.')];
  return (
    at > 0 &&
    /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/.test(name) &&
    !/^\.|\.$|\.\./.test(name) &&
    labels.length > 1 &&
    labels.every((label) => /^[A-Za-z0-9-]{1,63}$/.test(label) && !/^-|-$/.test(label)) &&
    /^[A-Za-z]{2,}$/.test(labels.at(-1) as string)
  );
}

/** Keys that no field has, by name at each level. */
function findUnknown(schema: Schema, data: Data, at: string, key: string | undefined, found: string[]) {
  const unknown = Object.keys(data).filter((name) => name !== key && !Object.hasOwn(schema.properties ?? {}, name));
  found.push(...unknown.sort().map((name) => below(at, name)));
  for (const [name, rule] of fieldsOf(schema)) {
    const value = data[name];
    const pointer = below(at, name);
    if (isMap(value) && rule.properties) findUnknown(rule, value, pointer, undefined, found);
    for (const [row, item, i] of rowsOf(rule, value))
      if (isMap(item)) findUnknown(row, item, `${pointer}/${i}`, keyName(rule), found);
  }
}

/** The server completes the texts of every rule. */
const error = (rule: Schema, pointer: string, code: string): FieldError => ({
  pointer,
  code,
  text: rule['x-messages']?.[code] ?? code,
});
