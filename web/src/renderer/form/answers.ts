/** What a form asks, given the answers so far: which fields are shown, which of them are required. (engine/definitions/src/form/answers.rs) */
import type { Data, Schema } from '../../api/open';
import { type Answers, holds, shows } from './condition';
import { below, isMap } from './pointer';
import { rowSchema, rowsOf } from './rows';

/** A field that is shown. */
export interface Asked {
  pointer: string;
  rule: Schema;
  required: boolean;
  value: unknown;
}

export const fieldsOf = (schema: Schema): [string, Schema][] => Object.entries<Schema>(schema.properties ?? {});

export const requires = (schema: Schema, name: string): boolean => Boolean(schema.required?.includes(name));

/** A copy without the values of fields that are not shown, and without optional objects that nothing is left of. */
export function prune(schema: Schema, data: Data): Data {
  const out = copy(data);
  while (dropHidden(schema, { own: out, root: out }));
  dropEmpty(schema, out);
  return out;
}

const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** One round, over what was there at its beginning; whether anything was hidden. */
function dropHidden(schema: Schema, answers: Answers): boolean {
  const hidden: [Data, string][] = [];
  findHidden(schema, answers, hidden);
  for (const [object, name] of hidden) delete object[name];
  return hidden.length > 0;
}

function findHidden(schema: Schema, answers: Answers, hidden: [Data, string][]) {
  for (const [name, rule] of fieldsOf(schema)) {
    const value = answers.own[name];
    if (value === undefined) continue;
    if (!shows(schema, rule, answers)) hidden.push([answers.own, name]);
    else if (isMap(value)) findHidden(rule, { ...answers, own: value }, hidden);
    else
      for (const [row, item] of rowsOf(rule, value))
        if (isMap(item)) findHidden(row, { ...answers, own: item }, hidden);
  }
}

function dropEmpty(schema: Schema, data: Data) {
  for (const [name, rule] of fieldsOf(schema)) {
    const value = data[name];
    if (isMap(value) && rule.properties) {
      dropEmpty(rule, value);
      if (Object.keys(value).length === 0 && !requires(schema, name)) delete data[name];
    } else if (Array.isArray(value)) {
      value.forEach((item, i) => {
        const row = rowSchema(rule, i);
        if (row && isMap(item)) dropEmpty(row, item);
      });
    }
  }
}

/** All fields that are shown, in the order of the form. `data` was normalised and pruned. */
export function asked(schema: Schema, data: Data): Asked[] {
  const found: Asked[] = [];
  visit(schema, { own: data, root: data }, '', true, found);
  return found;
}

/** `needed`: an optional object without answers asks for nothing, though its fields are shown. */
function visit(schema: Schema, answers: Answers, at: string, needed: boolean, found: Asked[]) {
  for (const [name, rule] of fieldsOf(schema)) {
    if (!shows(schema, rule, answers)) continue;
    const pointer = below(at, name);
    const value = answers.own[name];
    const when = 'x-required' in rule && holds(rule['x-required'], answers);
    found.push({ pointer, rule, required: needed && (when || requires(schema, name)), value });
    if (rule.properties) visit(rule, { ...answers, own: isMap(value) ? value : {} }, pointer, isMap(value), found);
    else
      for (const [row, item, i] of rowsOf(rule, value))
        if (isMap(item)) visit(row, { ...answers, own: item }, `${pointer}/${i}`, true, found);
  }
}
