/**
 * The browser's side of a journey, as one XState machine with four regions: the work on the step, the draft of what is typed,
 * the network, and the feed of changes. It holds no rule of any workflow: the server decides, this keeps what is typed safe
 * and sends every event once (the same `Idempotency-Key` for every attempt of it).
 */
import { assign, type CallbackActorLogic, enqueueActions, fromPromise, raise, setup } from 'xstate';
import { type Client, Refusal } from '../api/client';
import type { Data, Problem } from '../api/open';
import type { Difference, FieldProblem, StepView } from '../contract/api';
import { equal } from '../ui/equal';
import { type Choice, draftable, isNewer, isOffered, pathOf, priceOf, reconcile, sendsItself } from './views';

export interface Pending {
  type: string;
  data: Data;
  /** the price in paise that stood beside what was pressed */
  shown?: number;
  key: string;
  revision: number;
  attempts: number;
  /** the browser's Back started it: the address is already there */
  popped?: boolean;
}

export interface Context {
  client: Client;
  newKey: () => string;
  view: StepView;
  /** answers of the step's form as typed */
  data: Data;
  /** answers that the server is known to have (or was last sent): what differs from them was typed since */
  base: Data;
  pending?: Pending;
  problems: FieldProblem[];
  failure?: Problem;
  conflict?: { view: StepView; difference: Difference[] };
  /** the journey moved on in another window while something was typed here */
  away?: StepView;
  /** path asked for by the address bar or the browser's buttons */
  wanted?: string;
  /** the answers of a step when they are complete as they stand: with them the browser's Forward goes on */
  complete?: (view: StepView, data: Data) => Data | undefined;
  /** path that the browser's Forward is on the way to */
  forward?: string;
  /** the offer whose choice led to this view: the browser's Forward takes it again */
  chosen?: Choice;
  /** counts views taken over; `arrival` says how the last one came */
  adopted: number;
  arrival: 'first' | 'sent' | 'popped' | 'moved';
  focus?: string;
  /** the last event that was heard of and that no look has covered; endless when its number is not known */
  news?: number;
}

export type Events =
  | { type: 'TYPE'; data: Data }
  | { type: 'SEND'; event: string; data?: Data; shown?: number; focus?: string; popped?: boolean; forward?: string }
  | { type: 'RETRY' }
  | { type: 'POP'; path: string; backwards?: boolean; chosen?: Choice }
  | { type: 'CHANGED'; seq?: number }
  | { type: 'RECEIVED'; view: StepView }
  | { type: 'KEEP_MINE' }
  | { type: 'TAKE_THEIRS' }
  | { type: 'GO_THERE' }
  | { type: 'ONLINE' }
  | { type: 'OFFLINE' }
  | { type: 'FLUSH' }
  | { type: 'ADOPTED' };

export interface Input {
  client: Client;
  view: StepView;
  /** of a form that was sent before the scripts came */
  problem?: Problem;
  newKey: () => string;
  complete?: Context['complete'];
  online?: boolean;
}

/** A view that is taken over, and what was not done meanwhile. */
interface Adopted {
  view: StepView;
  arrival: Context['arrival'];
  failure?: Problem;
}

interface SendInput {
  context: Context;
  pending: Pending;
}

const AUTOMATIC_TRIES = 5;

const choiceOf = ({ type, data, shown }: Choice): Choice => ({ type, data, shown });
const refused = (error: unknown, test: (problem: Problem) => boolean): boolean =>
  error instanceof Refusal && test(error.problem);
const is = {
  unreachable: (error: unknown) => !(error instanceof Refusal),
  temporary: (error: unknown) => refused(error, ({ status }) => status >= 500 || status === 429),
  repriced: (error: unknown) => refused(error, ({ code, view }) => code === 'repriced' && view !== undefined),
  stale: (error: unknown) => refused(error, ({ status, view }) => status === 409 && view !== undefined),
  invalid: (error: unknown) =>
    refused(error, ({ status, code, errors }) => status === 422 && code !== 'key_reused' && (errors?.length ?? 0) > 0),
  expired: (error: unknown) => refused(error, ({ status }) => status === 410),
  gone: (error: unknown) => refused(error, ({ status }) => status === 404),
};

/** What tells it that something has changed, and whether anything can be heard. */
export interface Heard {
  feed: CallbackActorLogic<Events, { url: string }>;
  network: CallbackActorLogic<Events>;
}

/** A machine costs a phone some time: it is made when a journey is first drawn, not when its script comes. */
export const journeyMachine = (heard: Heard) =>
  setup({
    types: { context: {} as Context, events: {} as Events, input: {} as Input },
    actors: {
      send: fromPromise<StepView, SendInput>(async ({ input: { context, pending } }) => {
        const { client, view } = context;
        const { type, data, shown, revision, key } = pending;
        const { id, workflow } = view.journey;
        if (id === null) return client.start({ workflow, type, data }, key);
        // leaving a step by anything but its submit: what is typed goes into the draft first
        if (type !== 'submit' && view.step.form && !equal(context.data, context.base)) {
          await client.draft(id, view.step.id, draftable(view.step.form.schema, context.data)).catch(() => undefined);
        }
        return client.send(id, { type, data, revision, ...(shown !== undefined && { shown }) }, key);
      }),
      open: fromPromise<StepView, { client: Client; id: string; path: string }>(async ({ input }) => {
        const { view, elsewhere } = await input.client.open(input.id, input.path);
        return view && !elsewhere ? view : input.client.view(input.id);
      }),
      refresh: fromPromise<StepView, { client: Client; id: string }>(({ input }) => input.client.view(input.id)),
      draft: fromPromise<Data, { client: Client; id: string; step: string; stored: Data; data: Data }>(
        async ({ input }) => {
          await input.client.draft(input.id, input.step, input.stored);
          return input.data;
        },
      ),
      ...heard,
    },
    actions: {
      adopt: assign(({ context }, { view, arrival, failure }: Adopted) => {
        const theirs = view.step.form?.data ?? {};
        const same =
          view.step.id === context.view.step.id && view.journey.id === (context.view.journey.id ?? view.journey.id);
        // what was refused stands until something is sent again: news that arrives meanwhile takes none of it away
        const kept = same && arrival === 'moved' ? context : undefined;
        return {
          view,
          base: theirs,
          data: same ? reconcile(context.base, context.data, theirs) : theirs,
          problems: kept?.problems ?? [],
          failure: kept?.failure?.status ? kept.failure : failure,
          conflict: undefined,
          away: undefined,
          chosen: context.pending && isOffered(context.view, context.pending) ? choiceOf(context.pending) : undefined,
          pending: undefined,
          wanted: undefined,
          focus: same ? undefined : context.focus,
          adopted: context.adopted + 1,
          arrival,
        };
      }),
      told: raise({ type: 'ADOPTED' }),
      /** Forward again, until its page is there or a step needs the person */
      goOn: enqueueActions(({ context, enqueue }) => {
        const { forward, view } = context;
        if (forward === undefined) return;
        if (view.step.path === forward || !['form', 'wait'].includes(view.step.kind))
          enqueue.assign({ forward: undefined });
        else if (view.step.kind === 'form') enqueue.raise({ type: 'POP', path: forward, backwards: false });
      }),
    },
    guards: {
      unseen: ({ context: { news = 0, view } }) => news > view.journey.seq,
    },
    delays: {
      again: ({ context }) =>
        context.failure?.retry_after_s
          ? context.failure.retry_after_s * 1000
          : Math.min(30_000, 1000 * 2 ** (context.pending?.attempts ?? 1)),
    },
  }).createMachine({
    id: 'journey',
    type: 'parallel',
    context: ({ input }) => ({
      client: input.client,
      newKey: input.newKey,
      complete: input.complete,
      view: input.view,
      base: input.view.step.form?.data ?? {},
      data: input.view.step.form?.data ?? {},
      problems: input.problem?.errors ?? [],
      failure: input.problem?.errors ? undefined : input.problem,
      adopted: 0,
      arrival: 'first',
    }),
    states: {
      work: {
        initial: 'editing',
        on: {
          TYPE: { actions: assign({ data: ({ event }) => event.data, forward: undefined }) },
        },
        states: {
          editing: {
            on: {
              SEND: {
                target: 'sending',
                actions: assign({
                  pending: ({ context, event }) => ({
                    type: event.event,
                    data: event.data ?? {},
                    shown: event.shown,
                    key: context.newKey(),
                    revision: context.view.journey.revision,
                    attempts: 0,
                    popped: event.popped,
                  }),
                  // what was submitted is known to the server from here on
                  base: ({ context, event }) => (event.event === 'submit' ? context.data : context.base),
                  focus: ({ event }) => event.focus,
                  forward: ({ event }) => event.forward,
                  failure: undefined,
                  problems: [],
                }),
              },
              POP: [
                {
                  guard: ({ context, event }) =>
                    context.view.step.back != null && pathOf(context.view, context.view.step.back) === event.path,
                  actions: raise({ type: 'SEND', event: 'back', popped: true }),
                },
                {
                  guard: ({ context, event }) =>
                    context.view.step.changeable?.some((one) => one.path === event.path) ?? false,
                  actions: raise(({ context, event }) => ({
                    type: 'SEND' as const,
                    event: 'change',
                    data: { step: context.view.step.changeable?.find((one) => one.path === event.path)?.step },
                    popped: true,
                  })),
                },
                {
                  guard: ({ context, event }) => event.backwards === true && context.view.step.back != null,
                  actions: raise({ type: 'SEND', event: 'back', popped: true }),
                },
                // Forward is what the same answers lead to; what pays or agrees is never sent by it
                {
                  guard: ({ context, event }) =>
                    event.backwards === false &&
                    context.view.step.kind === 'form' &&
                    context.complete?.(context.view, context.data) !== undefined,
                  actions: enqueueActions(({ context, event, enqueue }) => {
                    const data = context.complete?.(context.view, context.data);
                    enqueue.raise({ type: 'SEND', event: 'submit', data, popped: true, forward: event.path });
                  }),
                },
                {
                  guard: ({ context, event }) =>
                    event.backwards === false && event.chosen !== undefined && isOffered(context.view, event.chosen),
                  actions: raise(({ event }) => ({
                    type: 'SEND' as const,
                    event: event.chosen!.type,
                    data: event.chosen!.data,
                    shown: event.chosen!.shown,
                    popped: true,
                    forward: event.path,
                  })),
                },
                {
                  guard: ({ context }) => context.view.journey.id !== null,
                  target: 'opening',
                  actions: assign({ wanted: ({ event }) => event.path }),
                },
              ],
              RECEIVED: [
                { guard: ({ context, event }) => !isNewer(event.view, context.view) },
                {
                  guard: ({ context, event }) =>
                    event.view.step.id !== context.view.step.id &&
                    context.view.step.form != null &&
                    !equal(context.data, context.base),
                  actions: assign({ away: ({ event }) => event.view }),
                },
                {
                  actions: [
                    {
                      type: 'adopt',
                      params: ({ context, event }) => ({
                        view: event.view,
                        arrival: context.forward === undefined ? ('moved' as const) : ('popped' as const),
                      }),
                    },
                    'told',
                    'goOn',
                  ],
                },
              ],
              GO_THERE: {
                guard: ({ context }) => context.away !== undefined,
                actions: [
                  { type: 'adopt', params: ({ context }) => ({ view: context.away!, arrival: 'moved' as const }) },
                  'told',
                ],
              },
            },
          },
          sending: {
            entry: assign({
              pending: ({ context }) =>
                context.pending ? { ...context.pending, attempts: context.pending.attempts + 1 } : undefined,
            }),
            invoke: {
              src: 'send',
              input: ({ context }) => ({ context, pending: context.pending! }),
              onDone: {
                target: 'editing',
                actions: [
                  {
                    type: 'adopt',
                    params: ({ context, event }) => ({
                      view: event.output,
                      arrival: context.pending?.popped ? ('popped' as const) : ('sent' as const),
                    }),
                  },
                  'told',
                  'goOn',
                ],
              },
              onError: [
                {
                  guard: ({ event }) => is.repriced(event.error),
                  target: 'editing',
                  actions: [
                    {
                      type: 'adopt',
                      params: ({ context, event }) => {
                        const { view, ...problem } = (event.error as Refusal).problem;
                        const prices = { shown: context.pending?.shown, now: priceOf(view!, context.pending!) };
                        return { view: view!, arrival: 'sent' as const, failure: { ...problem, prices } };
                      },
                    },
                    'told',
                  ],
                },
                {
                  guard: ({ event }) => is.stale(event.error),
                  target: 'conflict',
                  actions: assign({
                    conflict: ({ event }) => {
                      const { view, difference } = (event.error as Refusal).problem;
                      return { view: view!, difference: difference ?? [] };
                    },
                  }),
                },
                { guard: ({ event }) => is.expired(event.error), target: 'expired' },
                { guard: ({ event }) => is.gone(event.error), target: 'gone' },
                {
                  guard: ({ event }) => is.invalid(event.error),
                  target: 'editing',
                  actions: assign({
                    problems: ({ event }) => (event.error as Refusal).problem.errors ?? [],
                    // the browser's buttons have changed the address already: it comes back
                    adopted: ({ context }) => context.adopted + Number(context.pending?.popped ?? false),
                    arrival: ({ context }) => (context.pending?.popped ? ('popped' as const) : context.arrival),
                    forward: undefined,
                    pending: undefined,
                    base: ({ context }) => context.view.step.form?.data ?? {},
                  }),
                },
                {
                  guard: ({ event }) => is.unreachable(event.error),
                  target: 'interrupted',
                  actions: assign({ failure: { status: 0, code: 'unreachable' } }),
                },
                {
                  guard: ({ event }) => is.temporary(event.error),
                  target: 'interrupted',
                  actions: assign({ failure: ({ event }) => (event.error as Refusal).problem }),
                },
                {
                  target: 'editing',
                  actions: assign({
                    failure: ({ event }) => (event.error as Refusal).problem,
                    pending: undefined,
                    base: ({ context }) => context.view.step.form?.data ?? {},
                  }),
                },
              ],
            },
          },
          /** No answer came: whether the event was taken is unknown, so only the same key may be sent again. */
          interrupted: {
            after: {
              again: { guard: ({ context }) => (context.pending?.attempts ?? 0) < AUTOMATIC_TRIES, target: 'sending' },
            },
            on: {
              ONLINE: 'sending',
              RETRY: 'sending',
              SEND: [
                {
                  guard: ({ context, event }) =>
                    context.pending?.type === event.event && equal(context.pending.data, event.data ?? {}),
                  target: 'sending',
                },
                {
                  target: 'sending',
                  actions: assign({
                    pending: ({ context, event }) => ({
                      type: event.event,
                      data: event.data ?? {},
                      shown: event.shown,
                      key: context.newKey(),
                      revision: context.view.journey.revision,
                      attempts: 0,
                    }),
                    base: ({ context, event }) => (event.event === 'submit' ? context.data : context.base),
                    failure: undefined,
                  }),
                },
              ],
            },
          },
          conflict: {
            on: {
              KEEP_MINE: {
                guard: ({ context }) => context.conflict?.view.step.id === context.view.step.id,
                target: 'sending',
                actions: assign({
                  view: ({ context }) => context.conflict!.view,
                  pending: ({ context }) => ({
                    ...context.pending!,
                    key: context.newKey(),
                    revision: context.conflict!.view.journey.revision,
                    attempts: 0,
                  }),
                  conflict: undefined,
                }),
              },
              TAKE_THEIRS: {
                target: 'editing',
                actions: [
                  assign({ base: ({ context }) => context.data }), // nothing of ours is kept
                  {
                    type: 'adopt',
                    params: ({ context }) => ({ view: context.conflict!.view, arrival: 'moved' as const }),
                  },
                  'told',
                ],
              },
            },
          },
          opening: {
            invoke: {
              src: 'open',
              input: ({ context }) => ({
                client: context.client,
                id: context.view.journey.id!,
                path: context.wanted ?? '',
              }),
              onDone: {
                target: 'editing',
                actions: [
                  { type: 'adopt', params: ({ event }) => ({ view: event.output, arrival: 'popped' as const }) },
                  'told',
                ],
              },
              onError: [
                { guard: ({ event }) => is.expired(event.error), target: 'expired' },
                { guard: ({ event }) => is.gone(event.error), target: 'gone' },
                {
                  target: 'editing',
                  actions: assign({
                    failure: { status: 0, code: 'unreachable' },
                    adopted: ({ context }) => context.adopted + 1,
                    arrival: 'popped' as const,
                  }),
                },
              ],
            },
          },
          expired: {},
          gone: {},
        },
      },

      draft: {
        initial: 'clean',
        // what was typed since the server saw it is still to be saved, however many views arrive meanwhile
        on: { ADOPTED: { guard: ({ context }) => equal(context.data, context.base), target: '.clean' } },
        states: {
          clean: {
            on: {
              TYPE: {
                // what sends itself is no draft: a view that brought it back would look as if it had been sent
                guard: ({ context: { view } }) =>
                  view.journey.id !== null && view.step.form != null && !sendsItself(view.step.form),
                target: 'dirty',
              },
            },
          },
          dirty: {
            after: { 700: 'saving' },
            on: { TYPE: { target: 'dirty', reenter: true }, FLUSH: 'saving' },
          },
          saving: {
            invoke: {
              src: 'draft',
              input: ({ context }) => ({
                client: context.client,
                id: context.view.journey.id!,
                step: context.view.step.id,
                stored: draftable(context.view.step.form?.schema, context.data),
                data: context.data,
              }),
              onDone: [
                { guard: ({ context, event }) => equal(context.data, event.output), target: 'saved' },
                { target: 'dirty' },
              ],
              onError: 'unsaved',
            },
          },
          saved: { on: { TYPE: 'dirty' } },
          unsaved: { after: { 5000: 'saving' }, on: { TYPE: 'dirty', ONLINE: 'saving', FLUSH: 'saving' } },
        },
      },

      network: {
        initial: 'online',
        invoke: { src: 'network' },
        states: { online: { on: { OFFLINE: 'offline' } }, offline: { on: { ONLINE: 'online' } } },
      },

      feed: {
        initial: 'off',
        states: {
          off: {
            always: {
              guard: ({ context }) => context.view.journey.id !== null && Boolean(context.view.step.stream),
              target: 'on',
            },
          },
          on: {
            invoke: { src: 'feed', input: ({ context }) => ({ url: context.view.step.stream ?? '' }) },
            on: {
              CHANGED: {
                actions: assign({
                  news: ({ context, event }) => Math.max(context.news ?? 0, event.seq || Number.POSITIVE_INFINITY),
                }),
              },
            },
            initial: 'quiet',
            states: {
              quiet: { always: { guard: 'unseen', target: 'soon' } },
              /** several arrivals within a moment are one look, and the answer to what was just sent may bring them */
              soon: { after: { 120: [{ guard: 'unseen', target: 'looking' }, { target: 'quiet' }] } },
              /** one look at a time: what is heard meanwhile is looked at afterwards */
              looking: {
                entry: assign({ news: undefined }),
                invoke: {
                  src: 'refresh',
                  input: ({ context }) => ({ client: context.client, id: context.view.journey.id! }),
                  onDone: {
                    target: 'resting',
                    actions: [
                      assign({
                        news: ({ context: { news = 0 }, event }) =>
                          news > event.output.journey.seq ? news : undefined,
                      }),
                      raise(({ event }) => ({ type: 'RECEIVED' as const, view: event.output })),
                    ],
                  },
                  onError: { target: 'quiet', actions: assign({ news: undefined }) },
                },
              },
              resting: { after: { 400: 'quiet' } },
            },
          },
        },
      },
    },
  });
