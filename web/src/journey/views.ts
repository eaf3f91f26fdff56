/** Decisions about step views, pure. */
import type { Data, Schema } from '../api/open';
import type { FormView, StepView } from '../contract/api';
import type { Block, Option } from '../contract/blocks';
import { isMap } from '../renderer/form/pointer';
import { isList, keyName, rowSchema } from '../renderer/form/rows';
import { stepPath } from '../routes';
import { equal } from '../ui/equal';

/** Whether a view that was fetched in between may replace the one shown: never an older revision, nor an older look at the same one. */
export function isNewer(theirs: StepView, shown: StepView): boolean {
  if (theirs.journey.id !== shown.journey.id) return false;
  if (theirs.journey.revision !== shown.journey.revision) return theirs.journey.revision > shown.journey.revision;
  return theirs.server_time >= shown.server_time;
}

/** A form with `submit: change` in its `x-ui` (see automatic.ts). */
export const sendsItself = (form: FormView | null | undefined): boolean => {
  const schema: Schema | undefined = form?.schema;
  return schema?.['x-ui']?.submit === 'change';
};

/** Three-way: what was typed since `base` stays, everything else is as the server says. */
export function reconcile(base: Data, typed: Data, theirs: Data): Data {
  const out: Data = { ...theirs };
  for (const key of new Set([...Object.keys(base), ...Object.keys(typed)])) {
    if (equal(base[key], typed[key])) continue;
    if (typed[key] === undefined) delete out[key];
    else out[key] = typed[key];
  }
  return out;
}

/** Answers without those marked `x-secret`: a one-time password is never stored. */
export function draftable(schema: Schema | undefined, data: Data): Data {
  const secret = (name: string): boolean => Boolean(propertyOf(schema, name)?.['x-secret']);
  return Object.fromEntries(Object.entries(data).filter(([name, value]) => value !== undefined && !secret(name)));
}

/** What may wait in this tab before a journey exists: no secrets, what is `personal` only if asked for; in rows and objects too. */
export function storable(schema: Schema | undefined, data: Data, personal: boolean): Data {
  const out: Data = {};
  for (const [name, value] of Object.entries(draftable(schema, data))) {
    const rule: Schema | undefined = schema?.properties?.[name];
    if (rule?.['x-personal'] && !personal) continue;
    if (Array.isArray(value) && rule && isList(rule))
      out[name] = value.map((row, i) => ({
        [keyName(rule)]: row?.[keyName(rule)],
        ...storable(rowSchema(rule, i), isMap(row) ? row : {}, personal),
      }));
    else out[name] = isMap(value) ? storable(rule, value, personal) : value;
  }
  return out;
}

/** Path of a step within the workflow, out of an address with or without host and query. */
export function pathOf(view: StepView, url: string): string | undefined {
  return stepPath(view.journey.base, new URL(url, 'http://here').pathname);
}

/** An event with its data, as a control of a step sends it. */
export interface Choice {
  type: string;
  data: Data;
  /** the price in paise that stood beside it */
  shown?: number;
}

/** The offer of the step that this takes. */
const offerOf = ({ step }: StepView, { type, data }: Choice): Option | undefined =>
  ((step.view?.blocks ?? []) as unknown as Block[])
    .flatMap((block) => (block.block === 'options' ? block.items : []))
    .find(({ action }) => action?.event === type && equal(action.data ?? {}, data));

/** Whether this takes one of the offers that stand on the step. */
export const isOffered = (view: StepView, choice: Choice): boolean => {
  const offer = offerOf(view, choice);
  return offer !== undefined && !offer.stale;
};

/** The price in paise of the offer that this takes. */
export const priceOf = (view: StepView, choice: Choice): number | undefined => offerOf(view, choice)?.price?.paise;

/** Label of a field for people, by its pointer. */
export function labelOf(schema: Schema | undefined, pointer: string): string {
  const title = pointer
    .split('/')
    .slice(1)
    .reduce<Schema | undefined>((at, part) => propertyOf(at, part), schema)?.title;
  return title ?? pointer.slice(1).replace(/[/_]/g, ' ');
}

function propertyOf(schema: Schema | undefined, name: string): Schema | undefined {
  return schema && (schema.properties?.[name] ?? rowSchema(schema, Number(name)));
}
