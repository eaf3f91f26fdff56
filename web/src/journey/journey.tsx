/** A journey on the page: the machine, the address bar, what is announced, and the step between its banners. */
import { useMachine } from '@xstate/react';
import { type MouseEvent, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { client } from '../api/client';
import type { Data, Problem } from '../api/open';
import type { StepView } from '../contract/api';
import { type Actions, ActionsContext, ClockContext } from '../renderer/context';
import { LookupContext } from '../renderer/form/context';
import { focusField } from '../renderer/form/pointer';
import { api, safeUrl } from '../routes';
import { noteBegun } from '../site/begun';
import type { Place, Site } from '../site/boot';
import { setBegun, setHidden } from '../site/chrome';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { equal } from '../ui/equal';
import { t } from '../ui/words';
import { historyBack, useAddress } from './address';
import { Interrupted, Offline, StillWaiting } from './banners';
import { Ended } from './ended';
import { feed, network } from './feed';
import { newKey } from './keys';
import { followed } from './leave';
import { type Context, journeyMachine } from './machine';
import { fetchAhead, parts } from './parts';
import { keepPresence } from './presence';
import { forget, remember, remembered } from './start-draft';
import { StepPage } from './step-page';

interface Props {
  view: StepView;
  site: Site;
  /** what the server found wrong with a form that was sent before the scripts came */
  problem?: Problem;
  /** where the page is drawn; absent on the server */
  place?: HTMLElement;
  /** it stands in a page that is not its own */
  within?: Place;
  /** called with every step before it is seen */
  onStep?: (view: StepView) => void;
}

let machine: ReturnType<typeof journeyMachine> | undefined;
const complete = ({ step: { form } }: StepView, data: Data) =>
  form ? parts.form.here?.completeAnswers(form.schema, data) : undefined;

export function Journey({ view: first, site, problem, place, within, onStep }: Props) {
  machine ??= journeyMachine({ feed, network });
  const [state, send] = useMachine(machine, {
    input: { client, view: first, problem, newKey, complete },
  });
  const { view, data, problems, pending, failure, conflict, away, adopted, arrival, focus } = state.context;
  const answered = useAnswered(view, adopted, arrival, failure);
  const [spoken, setSpoken] = useState('');
  const say = useCallback((text: string) => setSpoken(text), []);
  // what was said of one step is not to be found on the next
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every step
  useEffect(() => setSpoken(''), [view.step.id]);

  // The first drawing is the server's. What was typed into it meanwhile, or in this tab before, joins it then.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, at the start
  useLayoutEffect(() => {
    if (!place) return;
    const drawn = place.dataset.server === 'true';
    const kept = remembered(first);
    const next = { ...data, ...kept, ...(drawn && parts.form.here?.typedBefore(place, first.step.form)) };
    if (!equal(next, data)) send({ type: 'TYPE', data: next });
    place.dataset.ready = 'true';
  }, []);
  useAddress(view, adopted, state.context, (to) => send({ type: 'POP', ...to }), within);
  useArrival(view, adopted, within ? undefined : site, focus);
  useEffect(() => remember(view, data), [view, data]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every view
  useLayoutEffect(() => onStep?.(view), [view]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the journey got its id
  useEffect(() => {
    if (view.journey.id !== null) noteBegun(view.journey, site);
    // a page that was left for the steps' own shows, when one comes back to it, what was typed there
    if (view.journey.id !== null && first.journey.id === null && !within?.goes_on) forget(first);
  }, [view.journey.id]);
  useEffect(() => {
    const flush = () => send({ type: 'FLUSH' });
    const hidden = () => document.visibilityState === 'hidden' && flush();
    window.addEventListener('pagehide', flush);
    document.addEventListener('visibilitychange', hidden);
    return () => {
      window.removeEventListener('pagehide', flush);
      document.removeEventListener('visibilitychange', hidden);
    };
  }, [send]);

  // how far the server's clock is ahead of this one
  const ahead = useRef(0);
  useLayoutEffect(() => {
    ahead.current = Date.parse(view.server_time) - Date.now();
  }, [view.server_time]);
  const clock = useCallback(() => Date.now() + ahead.current, []);

  // the same from drawing to drawing, so that a step is drawn again only when something of it has changed
  const onType = useCallback((next: Data) => send({ type: 'TYPE', data: next }), [send]);
  const onSubmit = useCallback((answers: Data) => send({ type: 'SEND', event: 'submit', data: answers }), [send]);
  const { back } = view.step;
  const onBack = useCallback(
    (event: MouseEvent) => {
      event.preventDefault();
      if (back && historyBack(back, within)) return;
      send({ type: 'SEND', event: 'back', popped: true });
    },
    [send, back, within],
  );

  useEffect(() => void (view.work && client.ahead(view.work)), [view.work]);

  const { id, status } = view.journey;
  // from the first answer on it is worth having what comes next
  const goesOn = id !== null || data !== first.step.form?.data;
  useEffect(() => (goesOn ? fetchAhead() : undefined), [goesOn]);
  const carried = useRef(view.presence);
  carried.current = view.presence;
  useEffect(() => {
    if (id === null || status !== 'active' || !site.presence) return;
    return keepPresence(site.presence, () => client.presence(id, carried.current ?? {}));
  }, [id, status, site.presence]);
  useEffect(() => {
    const url = safeUrl(view.leave?.url);
    if (id !== null && view.leave && url && !followed(id, view.leave.seq)) window.location.assign(url);
  }, [id, view.leave]);

  const sending = state.matches({ work: 'sending' }) && pending ? pending : undefined;
  const waitsLong = useLasting(sending !== undefined || state.matches({ work: 'opening' }));
  const actions = useMemo<Actions>(
    () => ({
      send: (event, data, shown) => send({ type: 'SEND', event, data, shown }),
      change: (step, pointer) => send({ type: 'SEND', event: 'change', data: { step }, focus: pointer }),
      documentUrl: (document) => (view.journey.id ? api.document(view.journey.id, document) : '#'),
      journey: view.journey.id ?? undefined,
      sending: sending && { event: sending.type, data: sending.data },
      say,
    }),
    [send, say, sending, view.journey.id],
  );

  const { Conflict } = parts.further.here ?? {};
  if (state.matches({ work: 'expired' })) return <Ended reason="expired" base={view.step.url || view.journey.base} />;
  if (state.matches({ work: 'gone' })) return <Ended reason="gone" base={view.journey.base} />;

  return (
    <ActionsContext.Provider value={actions}>
      <ClockContext.Provider value={clock}>
        <LookupContext.Provider value={client.master}>
          {state.matches({ network: 'offline' }) && (
            <Offline saved={!state.matches({ draft: 'dirty' }) && !state.matches({ draft: 'unsaved' })} />
          )}
          {waitsLong && <StillWaiting />}
          {state.matches({ work: 'interrupted' }) && (
            <Interrupted failure={failure} onRetry={() => send({ type: 'RETRY' })} />
          )}
          <StepPage
            view={view}
            data={data}
            problems={problems}
            failure={state.matches({ work: 'editing' }) ? failure : undefined}
            saving={view.step.form ? draftState(state.value.draft) : undefined}
            busy={sending !== undefined || state.matches({ work: 'opening' })}
            answered={answered}
            within={within}
            timers={site.timers}
            onType={onType}
            onSubmit={onSubmit}
            onBack={onBack}
          />
          {Conflict && conflict && state.matches({ work: 'conflict' }) && (
            <Conflict
              mine={view}
              theirs={conflict.view}
              difference={conflict.difference}
              onKeepMine={() => send({ type: 'KEEP_MINE' })}
              onTakeTheirs={() => send({ type: 'TAKE_THEIRS' })}
            />
          )}
          {away && state.matches({ work: 'editing' }) && (
            <Dialog
              title={t('moved_on')}
              onClose={() => send({ type: 'GO_THERE' })}
              actions={
                <Button look="primary" onClick={() => send({ type: 'GO_THERE' })}>
                  {t('go_to', { step: away.step.title })}
                </Button>
              }
            >
              <p>{t('moved_on_why', { step: away.step.title })}</p>
            </Dialog>
          )}
          <p className="sr" role="status" aria-live="polite">
            {spoken}
          </p>
        </LookupContext.Provider>
      </ClockContext.Provider>
    </ActionsContext.Provider>
  );
}

/** so long an answer may take before somebody is told that it is still waited for */
const LONG_MS = 4_000;

/** Whether this has gone on for long. */
function useLasting(goesOn: boolean): boolean {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    if (!goesOn) return;
    const timer = setTimeout(() => setLong(true), LONG_MS);
    return () => {
      clearTimeout(timer);
      setLong(false);
    };
  }, [goesOn]);
  return isLong;
}

const draftState = (value: string): 'saving' | 'saved' | 'unsaved' | undefined =>
  ({ dirty: 'saving', saving: 'saving', saved: 'saved', unsaved: 'unsaved' })[value] as
    | 'saving'
    | 'saved'
    | 'unsaved'
    | undefined;

/** Counts the answers to what was sent that left us on the same step, and what was not done there; 0 on a new one. */
function useAnswered(
  view: StepView,
  adopted: number,
  arrival: Context['arrival'],
  failure: Context['failure'],
): number {
  const seen = useRef({ step: view.step.id, adopted, failure: undefined as Context['failure'], answered: 0 });
  const before = seen.current;
  if (before.adopted !== adopted || before.failure !== failure) {
    // two views in one drawing: we asked, waited, and are back where we were
    const isAnswer = arrival === 'sent' || adopted > before.adopted + 1;
    const isTold = before.adopted === adopted ? failure !== undefined : isAnswer;
    const answered = before.step === view.step.id ? before.answered + Number(isTold) : 0;
    seen.current = { step: view.step.id, adopted, failure, answered };
  }
  return seen.current.answered;
}

/**
 * A new step: its title in the tab, the page from its top, the focus on its heading (or on the answer that is being changed).
 * Within a page that is not its own (no `site`) only the focus.
 */
function useArrival(view: StepView, adopted: number, site: Site | undefined, focus: string | undefined) {
  const shown = useRef(view.step.id);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every view taken over
  useEffect(() => {
    if (site) {
      document.title = [view.step.title || view.journey.title, site.name].filter(Boolean).join(' – ');
      const here = adopted === 0 ? undefined : site.hide_at?.[view.step.path ?? ''];
      setHidden([...(view.step.hide ?? []), ...(here ?? site.hide ?? [])]);
      setBegun(view.journey.id !== null);
    }
    if (shown.current === view.step.id) return;
    shown.current = view.step.id;
    // a step that comes with errors has its summary, or the field, in the window already, with the focus
    if (document.activeElement?.matches('.error-summary, [data-invalid] *')) return;
    if (site) window.scrollTo({ top: 0 });
    if (!focus || !focusField(focus)) document.getElementById('step-title')?.focus({ preventScroll: true });
  }, [adopted]);
}
