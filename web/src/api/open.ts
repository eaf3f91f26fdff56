/** What the contract leaves open: answers, schemas, and the values of a view. Money is integer paise. */
import type { Problem as Answered, Level, ProblemCode, Value as Shown } from '../contract/api';

export type Data = Record<string, unknown>;
/** JSON Schema 2020-12 with our `x-` keys. */
// biome-ignore lint/suspicious/noExplicitAny: a schema is open by nature
export type Schema = Record<string, any>;
// biome-ignore lint/suspicious/noExplicitAny: a uiSchema is open by nature
export type Ui = Record<string, any>;

/** Why something was not done: the server's problem, as far as it could be read, or that the server was not reached. */
export type Problem = Partial<Omit<Answered, 'status' | 'code'>> & {
  status: number;
  code?: ProblemCode | 'unreachable';
  /** of an offer that was pressed and not taken: the price that stood there, and the one that stands there now */
  prices?: { shown?: number; now?: number };
};

export type Tone = Level | 'plain';
export interface Paise {
  paise: number;
}
/** A value that the renderer formats: money, a date, a share in percent, text, or a bare string or number. */
export type Value = Shown | null;
