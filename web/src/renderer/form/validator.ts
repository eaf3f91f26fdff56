/** The check in the browser: @cfworker/json-schema, an interpreter, so that it runs under a policy without `unsafe-eval`. */
import { type OutputUnit, Validator } from '@cfworker/json-schema';
import type { RJSFSchema, ValidationData, ValidatorType } from '@rjsf/utils';
import type { Schema } from '../../api/open';

const DRAFT = '2020-12';

export function validate(schema: Schema, data: unknown): OutputUnit[] {
  try {
    return new Validator(plain(schema), DRAFT, false).validate(plain(data)).errors;
  } catch {
    return []; // a schema that this check cannot read is the server's to judge
  }
}

export function isValid(schema: Schema | boolean, data: unknown): boolean {
  if (typeof schema === 'boolean') return schema;
  try {
    return new Validator(plain(schema), DRAFT, true).validate(plain(data)).valid;
  } catch {
    return false;
  }
}

/** What RJSF asks of a validator. Errors are found by `check`, so the form itself is never told any. */
export const rjsfValidator: ValidatorType = {
  isValid: (schema: RJSFSchema, data: unknown) => isValid(schema as Schema, data),
  validateFormData: (): ValidationData<unknown> => ({ errors: [], errorSchema: {} }) as ValidationData<unknown>,
  rawValidation: () => ({ errors: [] }),
};

/** A copy without undefined, which is no JSON (and the interpreter marks the schemas it reads). */
const plain = <T>(value: T): T => (value === undefined ? ({} as T) : JSON.parse(JSON.stringify(value)));
