/** Order, groups and widgets of an object's fields, out of its uiSchema. */
import type { Schema, Ui } from '../../api/open';

export interface Group {
  title?: string;
  fields: string[];
  collapsed?: boolean;
}

/** The schema with its properties in the order in which they are drawn, so that errors come in that order too. */
export function ordered(flat: Schema, ui: Ui | undefined): Schema {
  const names = Object.keys(flat.properties);
  const wanted = (ui?.['ui:order'] ?? ['*']) as string[];
  const rest = names.filter((name) => !wanted.includes(name));
  const line = wanted.flatMap((name) => (name === '*' ? rest : names.includes(name) ? [name] : []));
  const all = [...line, ...names.filter((name) => !line.includes(name))];
  const inGroups = groupsOf(all, ui).flatMap((group) => group.fields);
  const properties = Object.fromEntries(
    inGroups.map((name) => [
      name,
      flat.properties[name].type === 'object' ? ordered(flat.properties[name], ui?.[name]) : flat.properties[name],
    ]),
  );
  return { ...flat, properties };
}

/** Groups with the fields that are asked; fields of no group come last, untitled. */
export function groupsOf(names: string[], ui: Ui | undefined): Group[] {
  const groups = ((ui?.['ui:groups'] ?? []) as Group[]).map((group) => ({
    ...group,
    fields: group.fields.filter((name) => names.includes(name)),
  }));
  const placed = new Set(groups.flatMap((group) => group.fields));
  return [...groups, { fields: names.filter((name) => !placed.has(name)) }].filter((group) => group.fields.length > 0);
}

/** The uiSchema that RJSF gets: every leaf names one of our widgets; what we read ourselves is left out. */
export function widgets(flat: Schema, ui: Ui | undefined): Ui {
  const out: Ui = { 'ui:options': { label: true }, 'ui:groups': ui?.['ui:groups'] };
  for (const [name, property] of Object.entries<Schema>(flat.properties)) {
    const { 'ui:show': _, ...own } = (ui?.[name] ?? {}) as Ui;
    out[name] = property.type === 'object' ? widgets(property, own) : { ...own, 'ui:widget': widgetOf(property, own) };
  }
  return out;
}

export function widgetOf(property: Schema, ui: Ui | undefined): string {
  const named = ui?.['ui:widget'] ?? ui?.['ui:options']?.widget;
  if (named) return named;
  if (property.const === true) return 'consent';
  if (property.type === 'boolean') return 'toggle';
  if (property.type === 'array') return 'checkboxes';
  const choices = property.oneOf ?? property.enum;
  if (choices) return choices.length <= 4 ? 'choice' : 'select';
  if (property.type === 'integer' || property.type === 'number') return 'number';
  if (property['x-date'] || property.format === 'date') return 'date';
  return (property.maxLength ?? 0) > 150 ? 'textarea' : 'text';
}
