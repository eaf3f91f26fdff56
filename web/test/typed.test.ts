import { expect, test } from 'vitest';
import cases from '../../tests/forms/posted.json';
import type { Schema } from '../src/api/open';
import { answersOf, typedBefore } from '../src/renderer/form/typed';

interface Case {
  case: string;
  schema: Schema;
  fields: [string, string][];
  answers: unknown;
}

test.each(cases as unknown as Case[])('$case', ({ schema, fields, answers }) =>
  expect(answersOf(schema, fields)).toEqual(answers));

test('what was typed before the scripts came, not what stood there', () => {
  document.body.innerHTML = `<form>
    <input name="same" value="kept"><input name="name"><input type="file" name="file">
    <input type="radio" name="yes" value="true" checked><input type="radio" name="yes" value="false">
    <input type="radio" name="way" value="air"><input type="radio" name="way" value="road">
    <select name="n"><option value="">Choose</option><option value="2">Two</option></select></form>`;
  const schema = {
    properties: {
      same: { type: 'string' },
      name: { type: 'string' },
      file: { type: 'string' },
      yes: { type: 'boolean' },
      way: { type: 'string', enum: ['air', 'road'] },
      n: { type: 'integer', oneOf: [{ const: 2 }] },
    },
  };
  const form = { id: 'f', schema, data: { same: 'kept', yes: true }, draft: false, submit: 'Send' };
  expect(typedBefore(document.body, form)).toEqual({});
  const control = <T extends Element>(selector: string) => document.querySelector<T>(selector)!;
  control<HTMLInputElement>('[name=name]').value = 'new';
  control<HTMLInputElement>('[name=way][value=road]').checked = true;
  control<HTMLSelectElement>('[name=n]').value = '2';
  expect(typedBefore(document.body, form)).toEqual({ name: 'new', way: 'road', n: 2 });
});
