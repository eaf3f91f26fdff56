/** All errors of a form's answers, at most one a field, in the order of the fields, each with its words. */
import type { Data, Schema } from '../../api/open';
import { brokenBound, isDay } from './dates';
import { messageFor } from './messages';
import { isMap, toPath } from './pointer';
import { validate } from './validator';

export interface FieldError {
  pointer: string;
  text: string;
}

/** `flat` is the effective schema, `data` the normalised answers to what it asks. */
export function check(flat: Schema, data: Data, today: string): FieldError[] {
  const found = new Map<string, { keyword: string; limit?: unknown }>();
  const add = (pointer: string, keyword: string, limit?: unknown) => {
    const before = found.get(pointer);
    if (!before || rank(keyword) < rank(before.keyword)) found.set(pointer, { keyword, limit });
  };
  for (const error of validate(withoutOurs(flat), data)) {
    const at = error.instanceLocation.slice(1);
    const property = propertyAt(flat, at);
    if (error.keyword === 'required') {
      const value =
        at === '' ? data : toPath(at).reduce<unknown>((inner, part) => (isMap(inner) ? inner[part] : undefined), data);
      for (const name of property?.required ?? [])
        if (!isMap(value) || value[name] === undefined) add(`${at}/${name}`, 'required');
    } else if (property && property.type !== 'object' && LEAF.has(error.keyword)) {
      add(leafPointer(flat, at), error.keyword, property[error.keyword]);
    }
  }
  const pointers = leaves(flat);
  for (const [pointer, property] of pointers) {
    const value = toPath(pointer).reduce<unknown>((inner, part) => (isMap(inner) ? inner[part] : undefined), data);
    if (property['x-date'] && typeof value === 'string' && isDay(value)) {
      const broken = brokenBound(value, property['x-date'], today);
      if (broken) add(pointer, broken.keyword, broken.limit);
    }
  }
  return pointers.flatMap(([pointer, property]) => {
    const error = found.get(pointer);
    return error ? [{ pointer, text: messageFor(property, error.keyword, error.limit) }] : [];
  });
}

/** Pointer and schema of every leaf, in the order of the schema. */
export function leaves(flat: Schema, base = ''): [string, Schema][] {
  return Object.entries<Schema>(flat.properties ?? {}).flatMap(([name, property]) =>
    property.type === 'object'
      ? leaves(property, `${base}/${name}`)
      : ([[`${base}/${name}`, property]] as [string, Schema][]),
  );
}

/** Tells the more helpful error first: an empty field is empty before it is too short, too short before it is wrongly made. */
const ORDER = ['required', 'type', 'const', 'minLength', 'maxLength', 'format', 'pattern'];
const LEAF = new Set([
  ...ORDER,
  ...[
    'enum',
    'oneOf',
    'anyOf',
    'not',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'multipleOf',
    'minItems',
    'maxItems',
    'uniqueItems',
  ],
]);
const rank = (keyword: string): number => ORDER.indexOf(keyword) + 1 || ORDER.length + 1;

function propertyAt(flat: Schema, pointer: string): Schema | undefined {
  return toPath(pointer).reduce<Schema | undefined>(
    (at, part) => at?.properties?.[part] ?? (at?.type === 'array' ? at : undefined),
    flat,
  );
}

/** An error inside an array belongs to the field that shows the array. */
function leafPointer(flat: Schema, pointer: string): string {
  let [at, out]: [Schema | undefined, string] = [flat, ''];
  for (const part of toPath(pointer)) {
    if (!at?.properties?.[part]) break;
    at = at.properties[part];
    out += `/${part}`;
  }
  return out;
}

/** `unevaluatedProperties` and friends are the server's business. */
function withoutOurs(flat: Schema): Schema {
  const { unevaluatedProperties: _, additionalProperties: __, ...rest } = flat;
  return rest;
}
