/** `ui:show`: which properties of an object are asked, given the answers so far. What is not asked has no answer. */
import type { Data, Schema, Ui } from '../../api/open';
import { equal } from '../../ui/equal';
import { isMap } from './pointer';

type Wanted = unknown | unknown[] | { not: unknown };

/** Names of hidden properties. A condition on a hidden property does not hold, so chains of questions vanish together. */
export function hiddenProperties(schema: Schema, ui: Ui | undefined, data: Data): Set<string> {
  const hidden = new Set<string>();
  const names = Object.keys(schema.properties ?? {});
  for (let round = 0; round <= names.length; round++) {
    const before = hidden.size;
    for (const name of names) {
      if (!hidden.has(name) && !conditionsHold(condition(ui, name), data, hidden)) hidden.add(name);
    }
    if (hidden.size === before) break;
  }
  return hidden;
}

function condition(ui: Ui | undefined, name: string): Record<string, Wanted> | undefined {
  return ui?.[name]?.['ui:show'] ?? ui?.[name]?.['ui:options']?.show ?? ui?.['ui:show']?.[name];
}

function conditionsHold(all: Record<string, Wanted> | undefined, data: Data, hidden: Set<string>): boolean {
  return Object.entries(all ?? {}).every(([name, wanted]) =>
    matches(wanted, hidden.has(name) ? undefined : data[name]),
  );
}

function matches(wanted: Wanted, actual: unknown): boolean {
  // a question without an answer differs from every value
  if (isMap(wanted) && 'not' in wanted) return !matches(wanted.not, actual);
  return Array.isArray(wanted) ? wanted.some((one) => equal(one, actual)) : equal(wanted, actual);
}
