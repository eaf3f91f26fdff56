/**
 * Answers out of a form's controls as a browser posts them: names and texts. So what was typed before the scripts came is
 * known to them, and the server reads a form that was sent before they came in the same way (`tests/forms/posted.json`).
 */
import type { Data, Schema } from '../../api/open';
import type { FormView } from '../../contract/api';
import { equal } from '../../ui/equal';
import { join } from '../widgets/date';
import { digits } from './letters';
import { normaliseTyped } from './normalise';

type Fields = [name: string, text: string][];

/** Answers of the drawn form that differ from what the server put there, as if they had been typed with the scripts there. */
export function typedBefore(root: ParentNode, form: FormView | null | undefined): Data {
  const drawn = root.querySelector('form');
  if (!form || !drawn) return {};
  const fields = [...new FormData(drawn)].filter((field): field is [string, string] => typeof field[1] === 'string');
  const answers = Object.entries(answersOf(form.schema, fields)).map(([name, answer]) => {
    const steps = (form.schema.properties as Record<string, Schema> | undefined)?.[name]?.['x-normalise'];
    return [name, typeof answer === 'string' ? normaliseTyped(steps, answer) : answer] as const;
  });
  return Object.fromEntries(answers.filter(([name, answer]) => !equal(answer, form.data?.[name])));
}

export function answersOf(schema: Schema, fields: Fields, within = ''): Data {
  const out: Data = {};
  for (const [name, property] of Object.entries<Schema>(schema.properties ?? {})) {
    const at = within + name;
    const answer =
      property.type === 'object'
        ? answersOf(property, fields, `${at}.`)
        : property['x-key']
          ? rowsOf(property, fields, at)
          : answerOf(property, fields, at);
    if (answer !== undefined && !equal(answer, {}) && !equal(answer, [])) out[name] = answer;
  }
  return out;
}

/** The rows of a list as they were drawn: `people.0.age`. */
function rowsOf(property: Schema, fields: Fields, at: string): Data[] {
  return Array.from({ length: ROWS_MAX }, (_, i) => i).flatMap((i) => {
    const schema: Schema | undefined = property.prefixItems ? property.prefixItems[i] : property.items;
    const within = `${at}.${i}.`;
    if (!schema || !fields.some(([name]) => name.startsWith(within))) return [];
    return [{ [property['x-key']]: schema['x-row'] ?? `r${i + 1}`, ...answersOf(schema, fields, within) }];
  });
}

const ROWS_MAX = 50;

function answerOf(property: Schema, fields: Fields, name: string): unknown {
  const options = property['x-ui'] ?? {};
  const all = fields.flatMap(([field, text]) => (field === name ? [text] : []));
  const part = (end: string) => digits(fields.find(([field]) => field === `${name}.${end}`)?.[1].trim() ?? '');
  // what stands in a search box are words, not the row that was chosen
  if (options.widget === 'lookup' && options.search !== false) return undefined;
  if (property.type === 'array')
    return all.length > 0 ? all.map((text) => constant(text, property.items ?? {})) : undefined;
  const text = all[0] ?? join({ day: part('day'), month: part('month'), year: part('year') });
  if (text === undefined || text === '') return undefined;
  const chosen = constant(text, property);
  const figure = digits(text).replace(/[,\s₹]/g, '');
  if (chosen !== text || !['integer', 'number'].includes(property.type) || !/^\d+(\.\d+)?$/.test(figure)) return chosen;
  return Number(figure) * (options.widget === 'money' && options.unit !== 'rupees' ? 100 : 1);
}

/** The constant whose text this is: `true` → true, `2` → 2. */
function constant(text: string, property: Schema): unknown {
  const all: unknown[] =
    property.oneOf?.map((one: Schema) => one.const) ??
    property.enum ??
    (property.type === 'boolean' ? [true, false] : []);
  return all.find((one) => String(one) === text) ?? text;
}
