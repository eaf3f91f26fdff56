/** What RJSF draws: the fields that are shown, each with its widget, its groups, its rows. */
import type { Data, Schema, Ui } from '../../api/open';
import { asked, fieldsOf } from './answers';
import { below, isMap } from './pointer';
import { rowsOf } from './rows';

export interface Group {
  title?: string;
  fields: string[];
  collapsed?: boolean;
  /** its title says what the fields hold */
  answered?: boolean;
}

export interface Row {
  schema: Schema;
  ui: Ui;
}

/** Schema and uiSchema of what is shown for these answers (of `answersOf`). */
export function drawn(schema: Schema, answers: Data): { schema: Schema; ui: Ui } {
  const fields = asked(schema, answers);
  const required = new Set(fields.filter((field) => field.required).map((field) => field.pointer));
  const shown = new Set(fields.map((field) => field.pointer));
  return level(schema, answers, '', shown, required);
}

function level(schema: Schema, data: Data, at: string, shown: Set<string>, required: Set<string>): Row {
  const properties: Schema = {};
  const ui: Ui = { 'ui:options': { label: true } };
  for (const [name, rule] of fieldsOf(schema)) {
    const pointer = below(at, name);
    if (!shown.has(pointer)) continue;
    const { widget, group: _, show: __, ...options } = (rule['x-ui'] ?? {}) as Ui;
    const value = data[name];
    if (rule.properties) {
      const inner = level(rule, isMap(value) ? value : {}, pointer, shown, required);
      properties[name] = { ...inner.schema, description: options.hint ?? rule.description };
      ui[name] = inner.ui;
    } else if (rule['x-key'] !== undefined) {
      const rows = rowsOf(rule, value).map(([row, item, i]): Row => {
        const own = level(row, isMap(item) ? item : {}, `${pointer}/${i}`, shown, required);
        const title = row.title ?? String(rule['x-title'] ?? '').replace('{{number}}', String(i + 1));
        return { ...own, schema: { ...own.schema, title } };
      });
      const { items, minItems, maxItems } = rule;
      properties[name] = { type: 'array', title: rule.title, description: rule.description };
      const added = items && { schema: items, minItems, maxItems };
      ui[name] = { 'ui:options': { ...options, rows, added } };
    } else {
      const { default: _default, 'x-messages': _texts, ...plain } = rule;
      properties[name] = plain;
      ui[name] = { 'ui:widget': widget, 'ui:options': options };
    }
  }
  ui['ui:groups'] = groups(schema, Object.keys(properties), data);
  const needed = Object.keys(properties).filter((name) => required.has(below(at, name)));
  return { schema: { type: 'object', title: schema.title, properties, required: needed }, ui };
}

/** Neighbours of one titled group stand together. A title with `{{answers}}` says what they hold, as it is sent. */
function groups(schema: Schema, names: string[], data: Data): Group[] {
  const out: (Group & { id?: string })[] = [];
  for (const name of names) {
    const id = titled(schema, schema.properties[name]['x-ui']?.group);
    const last = out.at(-1);
    if (last && last.id === id) last.fields.push(name);
    else
      out.push({
        id,
        title: schema.groups?.[id ?? '']?.title,
        collapsed: schema.groups?.[id ?? '']?.collapsed,
        fields: [name],
      });
  }
  return out.map(({ id: _, ...group }) =>
    group.title?.includes(ANSWERS)
      ? { ...group, answered: true, title: withAnswers(group.title, group.fields, data) }
      : group,
  );
}

/** Nothing while there is no answer to say. */
function withAnswers(title: string, fields: string[], data: Data): string | undefined {
  const words = fields.map((name) => data[name]).filter((answer) => typeof answer === 'string' && answer !== '');
  return words.length > 0 ? title.replace(ANSWERS, words.join(' ')) : undefined;
}

const ANSWERS = '{{answers}}';

/** The nearest group with a title: the field's, or one around it. */
function titled(schema: Schema, id: string | undefined): string | undefined {
  const group = id === undefined ? undefined : schema.groups?.[id];
  return !group || group.title ? group && id : titled(schema, group.in);
}
