/** The words for a broken rule: the property's own, else these. `{label} {limit} {min} {max}` are filled in. */
import type { Schema } from '../../api/open';
import { date, grouped } from '../../ui/format';

const plain: Record<string, string> = {
  required: 'Please enter {label}',
  'required.choice': 'Please choose {label}',
  'length.between': 'Please enter {label} between {min} - {max} characters',
  'length.equal': 'Please enter {label} of length {min} characters',
  pattern: 'Please enter a valid {label}',
  format: 'Please enter a valid {label}',
  type: 'Please enter a valid {label}',
  minimum: '{label} must be {limit} or more',
  maximum: '{label} must be {limit} or less',
  multipleOf: '{label} must be in steps of {limit}',
  enum: 'Please choose {label}',
  oneOf: 'Please choose {label}',
  const: 'Please tick {label} to go on',
  minItems: 'Please choose at least {limit}',
  maxItems: 'Please choose at most {limit}',
  'x-date.min': '{label} must be on or after {limit}',
  'x-date.max': '{label} must be on or before {limit}',
};

export function messageFor(property: Schema, keyword: string, limit?: unknown): string {
  const authored: Record<string, string> | undefined = property['x-messages'];
  const rarer = rarerNames(keyword, property);
  const found = [keyword, ...rarer].map((name) => authored?.[name]).find((text) => text !== undefined);
  const text =
    found ?? [...rarer, keyword].map((name) => plain[name]).find((own) => own !== undefined) ?? 'Please check {label}';
  return fill(text, {
    label: property.title ?? '',
    limit: shown(limit),
    min: shown(property.minLength ?? property.minimum ?? ''),
    max: shown(property.maxLength ?? property.maximum ?? ''),
  });
}

/** Other names under which the words for a rule may stand. */
function rarerNames(keyword: string, property: Schema): string[] {
  if (keyword === 'minLength' || keyword === 'maxLength')
    return [property.minLength === property.maxLength ? 'length.equal' : 'length.between'];
  if (keyword === 'required') {
    if (property.const === true) return ['const'];
    return property.oneOf || property.enum || property.type === 'boolean' || property.type === 'array'
      ? ['required.choice']
      : [];
  }
  if (keyword === 'exclusiveMinimum') return ['minimum'];
  if (keyword === 'exclusiveMaximum') return ['maximum'];
  return [];
}

const fill = (text: string, values: Record<string, string>): string =>
  text.replace(/\{(label|limit|min|max)\}/g, (_, name: string) => values[name] ?? '');

function shown(limit: unknown): string {
  if (typeof limit === 'number') return grouped(limit);
  if (typeof limit === 'string') return date(limit);
  return limit === undefined ? '' : String(limit);
}
