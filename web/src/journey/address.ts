/** The address bar follows the journey, and the browser's Back and Forward are events of it. */
import { useEffect, useRef } from 'react';
import type { StepView } from '../api/types';
import { stepPath } from '../routes';
import type { Context } from './machine';

interface Entry {
  journey?: string | null;
  previous?: string;
}

export function useAddress(view: StepView, adopted: number, arrival: Context['arrival'], pop: (path: string) => void) {
  const passing = useRef(view.step.kind); // a wait or a redirect leaves no entry of its own behind
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every view taken over
  useEffect(() => {
    const { pathname, search, hash } = window.location;
    const here = pathname + search;
    const url = view.step.url;
    const replace = arrival === 'first' || arrival === 'popped' || passing.current === 'wait' || passing.current === 'redirect';
    passing.current = view.step.kind;
    if (!url || url === here) return;
    const state: Entry = { journey: view.journey.id, previous: replace ? (window.history.state as Entry | null)?.previous : here };
    // the first page of a journey that has just begun is that journey's page from now on
    if (!replace && !search.includes('request=') && view.journey.id && pathname !== new URL(url, window.location.href).pathname) {
      window.history.replaceState({ ...window.history.state, journey: view.journey.id }, '', `${pathname}${new URL(url, window.location.href).search}`);
      state.previous = `${pathname}${new URL(url, window.location.href).search}`;
    }
    if (replace) window.history.replaceState(state, '', url + (arrival === 'first' ? hash : ''));
    else window.history.pushState(state, '', url);
  }, [adopted]);

  const latest = useRef({ view, pop });
  latest.current = { view, pop };
  useEffect(() => {
    const listen = () => {
      const path = stepPath(latest.current.view.journey.base, window.location.pathname);
      if (path === undefined) window.location.reload();
      else if (path !== latest.current.view.step.path) latest.current.pop(path);
    };
    window.addEventListener('popstate', listen);
    return () => window.removeEventListener('popstate', listen);
  }, []);
}

/** Goes back through the browser's own history when the entry before this one is the step before; false when it is not. */
export function historyBack(back: string): boolean {
  const previous = (window.history.state as Entry | null)?.previous;
  if (!previous || previous !== back) return false;
  window.history.back();
  return true;
}

/** Attribution out of the address: who sent the visitor. Agent ids are removed from the address bar (they give no rights). */
export function takeAttribution(): Record<string, string> | undefined {
  const url = new URL(window.location.href);
  const found: Record<string, string> = {};
  for (const name of ['source', 'sub-source', 'ui-source', 'medium', '_aid', '_uid']) {
    const value = url.searchParams.get(name);
    if (value) found[name] = value.slice(0, 100);
  }
  if (url.searchParams.has('_aid') || url.searchParams.has('_uid')) {
    url.searchParams.delete('_aid');
    url.searchParams.delete('_uid');
    window.history.replaceState(window.history.state, '', url);
  }
  return Object.keys(found).length > 0 ? found : undefined;
}
