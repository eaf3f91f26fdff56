import type { Schema, Ui } from '../../src/api/open.ts';
import type { FormView, Step } from '../../src/contract/api.ts';
import type { Parcel } from './state.ts';

/** What a step shows of its own. */
export type Own = Pick<Step, 'kind' | 'title'> & Partial<Step>;

/** Makes a step from what is known of the journey. */
export type Steps = Record<string, (state: Parcel) => Own>;

type Written = Partial<FormView> & Pick<FormView, 'schema'> & { ui: Record<string, Ui> };

export const form = (state: Parcel, step: string, { ui, schema, ...view }: Written): FormView => ({
  id: `parcel/${step}`,
  draft: false,
  submit: 'Continue',
  ...view,
  schema: {
    ...schema,
    properties: mapValues(schema.properties as Record<string, Schema>, (rule, name) => field(rule, ui[name])),
  },
  data: { ...view.data, ...state.data[step] },
});

/** A field as the server sends it: with a widget, and words for whatever may be wrong with it. */
function field(rule: Schema, ui: Ui = {}): Schema {
  const widget = ui.widget ?? (rule.type === 'integer' ? 'number' : 'text');
  const texts = mapValues(rule, () => `Please check ${rule.title}`);
  return {
    ...rule,
    'x-ui': { widget, ...ui },
    'x-messages': { required: `Please enter ${rule.title}`, ...texts, ...rule['x-messages'] },
  };
}

const mapValues = <T, U>(map: Record<string, T>, change: (value: T, key: string) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value, key)]));
