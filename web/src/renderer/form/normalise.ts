/** `x-normalise`: the steps that turn what was typed into what is meant. The server applies the same ones before it checks. */
import type { Data, Schema } from '../../api/open';
import { isMap } from './pointer';

export type NormaliseStep =
  | 'trim'
  | 'upper'
  | 'lower'
  | 'collapse'
  | 'sanitise'
  | { keep: string }
  | { strip: string }
  | { unprefix: string[] }
  | { group: string[]; join: string }
  | { max: number };

export function normalise(steps: readonly NormaliseStep[] | undefined, text: string): string {
  return (steps ?? []).reduce((value, step) => apply(step, value), text);
}

/** The steps that may run under the fingers: they neither move characters nor could spoil a text that is only half typed. */
export function normaliseTyped(steps: readonly NormaliseStep[] | undefined, text: string): string {
  const all = steps ?? [];
  const shortens = all.some((step) => typeof step === 'object' && !('keep' in step) && !('max' in step));
  return all
    .filter((step) => step === 'upper' || step === 'lower' || (!shortens && typeof step === 'object'))
    .reduce((value, step) => apply(step, value), text);
}

/** All answers of an object schema, normalised; a text that becomes empty is no answer. */
export function normaliseData(schema: Schema, data: Data): Data {
  const out: Data = {};
  for (const [key, value] of Object.entries(data)) {
    const property = schema.properties?.[key];
    if (typeof value === 'string') {
      const text = normalise(property?.['x-normalise'], value);
      if (text !== '') out[key] = text;
    } else if (isMap(value) && property?.properties) {
      out[key] = normaliseData(property, value);
    } else if (value !== undefined) {
      out[key] = value;
    }
  }
  return out;
}

function apply(step: NormaliseStep, text: string): string {
  if (step === 'trim') return text.trim();
  if (step === 'upper') return text.toUpperCase();
  if (step === 'lower') return text.toLowerCase();
  if (step === 'collapse') return text.replace(/\s+/g, ' ');
  if (step === 'sanitise') return sanitise(text);
  if ('keep' in step)
    return [...text].filter((character) => new RegExp(`^(?:${step.keep})$`, 'u').test(character)).join('');
  if ('strip' in step) return text.replace(new RegExp(step.strip, 'gu'), '');
  if ('unprefix' in step)
    return step.unprefix.reduce((rest, prefix) => (rest.startsWith(prefix) ? rest.slice(prefix.length) : rest), text);
  if ('group' in step) return group(step.group, step.join, text);
  if ('max' in step) return [...text].slice(0, step.max).join('');
  return text;
}

function group(patterns: string[], join: string, text: string): string {
  for (const pattern of patterns) {
    const found = new RegExp(pattern, 'u').exec(text);
    if (found)
      return found
        .slice(1)
        .filter((part) => part !== undefined && part !== '')
        .join(join);
  }
  return text;
}

/** R5-39: markers of active content are removed, angle brackets escaped. */
function sanitise(text: string): string {
  return text
    .replace(/<\/?\s*script[^>]*>|<\/?\s*(?:img|svg)[^>]*>|\bscript\b|\bon\w+\s*=|\bhref\b\s*=?/gi, '')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;');
}
