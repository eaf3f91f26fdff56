/** Which parts a step is drawn with, and how they come. */
import { useEffect, useReducer, useState } from 'react';
import type { Schema } from '../api/open';
import type { StepView } from '../contract/api';
import type { Block } from '../contract/blocks';
import { blockFiles, partsOf } from '../renderer/blocks';
import { Part } from '../renderer/part';
import { parts as renderer } from '../renderer/parts';
import { later } from '../renderer/widgets/later';

export const parts = { ...renderer, further: new Part('journey/further.ts', () => import('./further')) };

/** What a page's head may name beforehand: the file of each part, by what asks for it. */
export const files = (): Record<string, string> =>
  Object.fromEntries([
    ...blockFiles().map(([name, part]) => [`block:${name}`, part.file]),
    ...Object.entries(later).map(([name, { part }]) => [`widget:${name}`, part?.file]),
    ['form', parts.form.file],
    ['further', parts.further.file],
  ]);

/** The parts that this step is drawn with. */
export function needs({ journey, step }: StepView): Part<unknown>[] {
  const blocks = (step.view?.blocks ?? []) as unknown as Block[];
  const all: Part<unknown>[] = partsOf(blocks);
  if (step.form) all.push(...partsOfForm(step.form.schema));
  if (journey.id !== null) all.push(parts.further);
  return [...new Set(all)];
}

/** The parts that a form is drawn with. */
export const partsOfForm = (schema: Schema): Part<unknown>[] => [parts.form, ...widgetParts(schema)];

function widgetParts(schema: Schema): Part<unknown>[] {
  const own = later[schema['x-ui']?.widget as keyof typeof later]?.part;
  const items = schema.items ? [schema.items] : [];
  const inner: Schema[] = [...Object.values(schema.properties ?? {}), ...(schema.prefixItems ?? []), ...items];
  return [...(own ? [own] : []), ...inner.flatMap(widgetParts)];
}

const missing = (view: StepView) => needs(view).filter((part) => !part.here);

/** Whether all of them have come. */
export const loadParts = (view: StepView): Promise<boolean> =>
  Promise.all(missing(view).map((part) => part.load())).then(
    () => true,
    () => false,
  );

/** What later steps may need comes one by one while nothing else happens, unless somebody saves data. */
export function fetchAhead(): () => void {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  if (connection?.saveData) return () => undefined;
  let over = false;
  const next = async () => {
    const part = Object.values(parts).find((one) => !one.here);
    if (over || !part) return;
    try {
      await part.load();
      idle(next);
    } catch {
      // the step that needs it asks again, and says so
    }
  };
  idle(next);
  return () => {
    over = true;
  };
}

const idle = (run: () => void): unknown =>
  'requestIdleCallback' in window ? window.requestIdleCallback(run, { timeout: 5_000 }) : setTimeout(run, 200);

/** Whether what a step is drawn with is here; what is not comes. `again` tries once more what could not be had. */
export function useParts(view: StepView): { state: 'here' | 'coming' | 'failed'; again: () => void } {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [failed, setFailed] = useState(false);
  const lacks = missing(view).length > 0;
  useEffect(() => {
    if (!lacks || failed) return;
    let over = false;
    loadParts(view).then(async (here) => {
      const gone = !here && (await isOutdated());
      if (over) return;
      if (here) redraw();
      else if (!gone || !reloaded(view)) setFailed(true);
    });
    return () => {
      over = true;
    };
  }, [view, lacks, failed]);
  useEffect(() => {
    if (!failed) return;
    const again = () => setFailed(false);
    window.addEventListener('online', again);
    return () => window.removeEventListener('online', again);
  }, [failed]);
  return { state: lacks ? (failed ? 'failed' : 'coming') : 'here', again: () => setFailed(false) };
}

/** The server answers, and yet a script cannot be had: a newer build has taken its place. */
const isOutdated = (): Promise<boolean> =>
  fetch('/favicon.svg', { method: 'HEAD', cache: 'no-store' }).then(
    (answer) => answer.ok,
    () => false,
  );

/** Loads the page anew, once a step; what was typed is kept as by any leaving. False when that was tried before. */
function reloaded({ journey, step }: StepView): boolean {
  const place = `reloaded:${journey.id}:${step.id}`;
  try {
    if (sessionStorage.getItem(place)) return false;
    sessionStorage.setItem(place, '1');
  } catch {
    // without storage the page stays: better than a circle
    return false;
  }
  window.location.reload();
  return true;
}
