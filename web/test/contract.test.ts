/** What the stand-in of `npm run dev` answers is what the server's description says. */
import { type Schema, Validator } from '@cfworker/json-schema';
import { expect, test } from 'vitest';
import { fixtures } from '../dev/fixtures';
import description from '../src/contract/openapi.json';

/** Errors of a value as the description's schema of this name. */
function errors(name: string, value: unknown): string[] {
  const schema = { ...description, $ref: `#/components/schemas/${name}` } as unknown as Schema;
  const { valid, errors } = new Validator(schema, '2020-12', false).validate(JSON.parse(JSON.stringify(value)));
  return valid ? [] : errors.map((error) => `${error.instanceLocation}: ${error.error}`);
}

test.each(Object.entries(fixtures))('%s', (_, view) => {
  expect(errors('StepView', view)).toEqual([]);
});

test('what is not as described is seen', () => {
  const { step, ...view } = fixtures.start!;
  expect(errors('StepView', { ...view, step: { ...step, kind: 'puzzle' } })).not.toEqual([]);
  expect(errors('StepView', view)).not.toEqual([]);
});
