/**
 * Conditions of `show` and `x-required`: what other answers must be. All must hold. A field that is not shown or not answered
 * fulfils nothing, `not` neither. (engine/definitions/src/form/condition.rs reads them alike; tests/forms holds both to it.)
 */
import type { Data, Schema } from '../../api/open';
import { isMap } from './pointer';

/** Answers of one object, and of the whole form for names that begin with `/`. */
export interface Answers {
  own: Data;
  root: Data;
}

export function holds(condition: unknown, answers: Answers): boolean {
  if (typeof condition === 'boolean') return condition;
  if (!isMap(condition)) return true;
  return Object.entries(condition).every(([name, wanted]) => fulfils(wanted, value(name, answers)));
}

/** Whether a field is shown by its own condition and those of its groups. */
export function shows(level: Schema, rule: Schema, answers: Answers): boolean {
  const ui = rule['x-ui'];
  if (!holds(ui?.show, answers)) return false;
  for (let group = level.groups?.[ui?.group]; group; group = level.groups?.[group.in]) {
    if (!holds(group.show, answers)) return false;
  }
  return true;
}

function value(name: string, { own, root }: Answers): unknown {
  if (!name.startsWith('/')) return own[name];
  const path = name.slice(1).split('/');
  const last = path.pop() as string;
  const object = path.reduce<unknown>((at, part) => (isMap(at) ? at[part] : undefined), root);
  return isMap(object) ? object[last] : undefined;
}

function fulfils(wanted: unknown, actual: unknown): boolean {
  if (actual === undefined) return false;
  const isOneOf = (all: unknown): boolean =>
    Array.isArray(all) ? all.some((one) => same(one, actual)) : same(all, actual);
  if (!isMap(wanted)) return isOneOf(wanted);
  if ('not' in wanted) return !isOneOf(wanted.not);
  if (!('contains' in wanted) || !Array.isArray(actual)) return false;
  const member = wanted.contains;
  return actual.some((item) =>
    isMap(member)
      ? isMap(item) && Object.entries(member).every(([name, one]) => name in item && same(one, item[name]))
      : same(member, item),
  );
}

/** Equal as JSON. */
export function same(a: unknown, b: unknown): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((one, i) => same(one, b[i]));
  if (!isMap(a)) return a === b;
  const names = Object.keys(a);
  return (
    isMap(b) && Object.keys(b).length === names.length && names.every((name) => name in b && same(a[name], b[name]))
  );
}
