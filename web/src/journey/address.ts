/** The address bar follows the journey, and the browser's Back and Forward are events of it. */
import { useEffect, useRef } from 'react';
import type { StepView } from '../contract/api';
import { stepPath } from '../routes';
import type { Place } from '../site/boot';
import type { Context } from './machine';
import { type Choice, pathOf } from './views';

interface Entry {
  journey?: string | null;
  /** address of the entry before, and how many entries lie before it: tells Back from Forward */
  previous?: string;
  depth?: number;
  /** the offer whose choice led here */
  chosen?: Choice;
}

const entry = (): Entry => ((typeof window === 'undefined' ? null : window.history.state) ?? {}) as Entry;
const search = (url: string) => new URL(url, window.location.href).search;

/** Where steps stand in the address: on pages of their own, or, within a page, at a hash each: the place's own, then their path. */
const ways = (within: Place | undefined) => {
  const page = () => window.location.pathname + window.location.search;
  if (!within)
    return {
      here: page,
      of: (view: StepView) => view.step.url,
      path: (view: StepView) => stepPath(view.journey.base, window.location.pathname),
    };
  const first = within.hash ?? '';
  return {
    here: () => page() + window.location.hash,
    of: (view: StepView) => `${page()}#${view.step.path || first}`,
    path: () => {
      const at = window.location.hash.slice(1);
      return at === first ? '' : at;
    },
  };
};

export function useAddress(
  view: StepView,
  adopted: number,
  { arrival, chosen }: Pick<Context, 'arrival' | 'chosen'>,
  pop: (to: { path: string; backwards: boolean; chosen?: Choice }) => void,
  within?: Place,
) {
  const shown = useRef(view);
  const depth = useRef(entry().depth ?? 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every view taken over
  useEffect(() => {
    const { hash } = window.location;
    const before = shown.current;
    shown.current = view;
    const way = ways(within);
    const here = way.here();
    const url = way.of(view);
    // a first page stays where it was opened, and so does one that is left for the steps' own
    if (!url || url === here || view.journey.id === null || within?.goes_on) return;
    if (arrival === 'first' || arrival === 'popped' || !(within || isInTrail(before, view))) {
      window.history.replaceState(
        { ...entry(), journey: view.journey.id, depth: depth.current },
        '',
        url + (arrival === 'first' ? hash : ''),
      );
      return;
    }
    // the first page of a journey that has just begun is that journey's page from now on
    const previous = before.journey.id === null && !within ? before.step.url + search(url) : here;
    if (previous !== here)
      window.history.replaceState({ ...entry(), journey: view.journey.id, depth: depth.current }, '', previous);
    depth.current += 1;
    window.history.pushState(
      { journey: view.journey.id, previous, depth: depth.current, chosen } satisfies Entry,
      '',
      url,
    );
  }, [adopted]);

  const latest = useRef({ view, pop });
  latest.current = { view, pop };
  useEffect(() => {
    const listen = () => {
      const at = entry().depth ?? 0;
      const backwards = at < depth.current;
      depth.current = at;
      const path = ways(within).path(latest.current.view);
      if (path === undefined) window.location.reload();
      else if (path !== latest.current.view.step.path) latest.current.pop({ path, backwards, chosen: entry().chosen });
    };
    window.addEventListener('popstate', listen);
    return () => window.removeEventListener('popstate', listen);
  }, [within]);
}

/** Whether one can come back to a step: waits, passwords and redirects leave no entry behind, so that Back is the step before. */
function isInTrail(before: StepView, now: StepView): boolean {
  return (
    now.step.back != null &&
    (pathOf(now, now.step.back) === before.step.path ||
      (now.step.changeable ?? []).some((one) => one.step === before.step.id))
  );
}

/** Goes back through the browser's own history when the entry before this one is the step before; false when it is not. */
export function historyBack(back: string, within?: Place): boolean {
  if (within ? !entry().depth : entry().previous !== back) return false;
  window.history.back();
  return true;
}
