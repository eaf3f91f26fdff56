/**
 * Lists of objects. Rows fixed by the context have a schema each, in `prefixItems`, with their key in `x-row`; rows that people
 * add share `items`. Every row carries its key. (engine/definitions/src/form/rows.rs)
 */
import type { Data, Schema } from '../../api/open';
import { isMap } from './pointer';

export const isList = (rule: Schema): boolean => rule['x-key'] !== undefined;

export const keyName = (rule: Schema): string => rule['x-key'] ?? 'key';

/** The schema of a row by its index; none for lists of plain values and beyond fixed rows. */
export function rowSchema(rule: Schema, index: number): Schema | undefined {
  if (!isList(rule)) return undefined;
  return rule.prefixItems ? rule.prefixItems[index] : rule.items;
}

/** Rows with their schemas and indices. */
export function rowsOf(rule: Schema, value: unknown): [Schema, unknown, number][] {
  if (!isList(rule) || !Array.isArray(value)) return [];
  return value.flatMap((item, i): [Schema, unknown, number][] => {
    const schema = rowSchema(rule, i);
    return schema ? [[schema, item, i]] : [];
  });
}

/** A list in its shape: one row for each fixed one, by key, in their order; added rows with keys of their own. */
export function arrange(rule: Schema, items: unknown[]): unknown[] {
  return rule.prefixItems ? align(rule, rule.prefixItems, items) : number(items);
}

/** A row without a key is the one at its place; rows that are gone are left out. */
function align(rule: Schema, fixed: Schema[], items: unknown[]): Data[] {
  const name = keyName(rule);
  return fixed.map((row, i) => {
    const key = row['x-row'];
    const place = items[i];
    const byPlace = isMap(place) && !(name in place) ? place : undefined;
    const found = items.find((item) => isMap(item) && item[name] === key) ?? byPlace;
    return { [name]: key, ...(isMap(found) ? found : {}), [name]: key };
  });
}

/** `r1`, `r2` …: rows without a good key of their own get the next number. */
function number(items: unknown[]): unknown[] {
  const seen = new Set<number>();
  const good = items.map((item) => {
    const found = isMap(item) ? rowNumber(item.key) : undefined;
    if (found === undefined || seen.has(found)) return undefined;
    seen.add(found);
    return found;
  });
  let next = Math.max(0, ...seen);
  return items.map((item, i) => {
    if (!isMap(item)) return item;
    const { key: _, ...rest } = item;
    return { key: `r${good[i] ?? ++next}`, ...rest };
  });
}

/** The number in a key of an added row. */
export function rowNumber(key: unknown): number | undefined {
  return typeof key === 'string' && /^r[1-9][0-9]{0,5}$/.test(key) ? Number(key.slice(1)) : undefined;
}
