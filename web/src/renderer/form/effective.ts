/**
 * The schema as it stands for the answers so far: conditions (`if`, `allOf`, `dependentRequired`) resolved, hidden properties
 * left out. What remains is one flat object schema: it is drawn and checked, so that nobody sees an error of a question not asked.
 */
import type { Data, Schema, Ui } from '../../api/open';
import { isMap } from './pointer';
import { hiddenProperties } from './show';
import { isValid } from './validator';

export function effectiveSchema(schema: Schema, ui: Ui | undefined, data: Data): Schema {
  const out: Schema = { ...pick(schema, ['title', 'description']), type: 'object', properties: {}, required: [] };
  collect(schema, data, out);
  const hidden = hiddenProperties(out, ui, data);
  for (const name of hidden) delete out.properties[name];
  for (const [name, property] of Object.entries<Schema>(out.properties)) {
    const value = data[name];
    out.properties[name] =
      property.type === 'object'
        ? effectiveSchema(property, ui?.[name], isMap(value) ? value : {})
        : withoutDefault(property);
  }
  out.required = [...new Set<string>(out.required)].filter((name) => name in out.properties);
  return out;
}

/** Only the answers to what is asked. */
export function askedData(flat: Schema, data: Data): Data {
  const out: Data = {};
  for (const [name, property] of Object.entries<Schema>(flat.properties ?? {})) {
    const value = data[name];
    if (property.type === 'object') {
      const inner = askedData(property, isMap(value) ? value : {});
      // a required group is there, so that what is missing in it is told
      if (Object.keys(inner).length > 0 || flat.required?.includes(name)) out[name] = inner;
    } else if (value !== undefined && value !== '') {
      out[name] = value;
    }
  }
  return out;
}

function collect(part: Schema, data: Data, out: Schema): void {
  for (const [name, property] of Object.entries<Schema | boolean>(part.properties ?? {})) {
    if (property === false) delete out.properties[name];
    else if (property !== true) out.properties[name] = { ...out.properties[name], ...property };
  }
  if (Array.isArray(part.required)) out.required.push(...part.required);
  for (const [name, more] of Object.entries<string[]>(part.dependentRequired ?? {})) {
    if (data[name] !== undefined) out.required.push(...more);
  }
  for (const one of part.allOf ?? []) collect(one, data, out);
  if (part.if) {
    const branch = isValid(part.if, data) ? part.then : part.else;
    if (isMap(branch)) collect(branch, data, out);
  }
}

function withoutDefault(property: Schema): Schema {
  const { default: _, ...rest } = property;
  return rest;
}

const pick = (from: Schema, names: string[]): Schema =>
  Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]]));
