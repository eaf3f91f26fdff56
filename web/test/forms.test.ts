/**
 * The corpus of form rules, which the engine keeps too (tests/it/forms.rs), run by the browser's code. `schemas.json` holds what
 * the browser gets of each form; the engine's test writes it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Data, Schema } from '../src/api/open';
import { asked } from '../src/renderer/form/answers';
import { answersOf, check } from '../src/renderer/form/check';
import { isMap } from '../src/renderer/form/pointer';

interface Case {
  data: Data;
  normalised: Data;
  shown: string[];
  required: string[];
  errors: [pointer: string, code: string, text: string][];
}
interface Form {
  what: string;
  cases: Case[];
}

const folder = join(import.meta.dirname, '../../tests/forms');
const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
const schemas: Record<string, Schema[]> = read('schemas.json');

const files = readdirSync(join(folder, 'cases')).map((name) => name.replace('.json', ''));
describe.each(files)('%s', (file) => {
  const forms: Form[] = read(`cases/${file}.json`);
  test.each(forms.map((form, i) => [form.what, form, schemas[file]?.[i]] as const))('%s', (_, { cases }, schema) => {
    for (const { data, ...expected } of cases) {
      if (!isMap(data)) continue; // no page makes it
      const normalised = answersOf(schema as Schema, data);
      const fields = asked(schema as Schema, normalised);
      expect({
        data,
        normalised,
        shown: fields.map((field) => field.pointer),
        required: fields.filter((field) => field.required).map((field) => field.pointer),
        errors: check(schema as Schema, normalised).map(({ pointer, code, text }) => [pointer, code, text]),
      }).toEqual({ data, ...expected });
    }
  });
});
