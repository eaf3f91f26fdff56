import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createActor, fromCallback } from 'xstate';
import { type Client, Refusal, Unreachable } from '../src/api/client';
import type { Data, Problem } from '../src/api/open';
import type { StepView } from '../src/contract/api';
import { type Events, type Input, journeyMachine } from '../src/journey/machine';
import { draftable, isNewer, reconcile } from '../src/journey/views';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function view(
  step: string,
  more: { revision?: number; seq?: number; data?: Data; id?: string | null; at?: string; back?: string } = {},
): StepView {
  const { revision = 1, seq = revision, data = {}, id = 'j1', at = '2026-11-21T10:00:00.000Z', back } = more;
  return {
    journey: {
      id,
      workflow: 'loans/loan',
      line: 'loans',
      title: 'Library loan',
      revision,
      seq,
      status: 'active',
      base: '/loan',
      version: 'v1',
      language: 'en',
      channel: 'web',
    },
    step: {
      id: step,
      kind: 'form',
      title: step,
      path: step,
      url: `/loan/${step}?request=${id}`,
      form: {
        id: step,
        schema: {
          type: 'object',
          properties: { title: { type: 'string' }, otp: { type: 'string', 'x-secret': true } },
        },
        data,
        draft: false,
        submit: 'Continue',
      },
      progress: { sections: [] },
      waits: [],
      consents: [],
      hide: [],
      events: [{ type: 'submit' }],
      back: back ?? null,
      changeable: [{ step: 'book', title: 'Book', path: 'book' }],
      stream: `/api/v1/journeys/${id}/stream`,
    },
    messages: [],
    server_time: at,
  };
}

const refuse = (problem: Problem) => new Refusal(problem);

/** A journey at step `book` whose server answers as told; the calls that were made, in order. */
function begin(
  answers: Partial<Record<keyof Client, (StepView | Error | Promise<StepView>)[]>>,
  first = view('book'),
  complete?: Input['complete'],
) {
  const calls: { call: string; args: unknown[] }[] = [];
  const answer =
    (call: keyof Client) =>
    async (...args: unknown[]) => {
      calls.push({ call, args });
      const next = answers[call]?.shift();
      if (next instanceof Error) throw next;
      return next as never;
    };
  const client = {
    start: answer('start'),
    send: answer('send'),
    view: answer('view'),
    open: answer('open'),
    draft: answer('draft'),
    master: answer('master'),
  } as unknown as Client;
  let keys = 0;
  const machine = journeyMachine({
    feed: fromCallback<Events, { url: string }>(() => undefined),
    network: fromCallback<Events>(() => undefined),
  });
  const actor = createActor(machine, {
    input: { client, view: first, newKey: () => `key-${++keys}`, complete },
  }).start();
  const settle = async (ms = 0) => void (await vi.advanceTimersByTimeAsync(ms));
  const sent = () =>
    calls
      .filter(({ call }) => call === 'send')
      .map(({ args }) => args.slice(1) as [{ type: string; data: Data; revision: number }, string]);
  return {
    actor,
    calls,
    settle,
    sent,
    work: () => actor.getSnapshot().value.work,
    context: () => actor.getSnapshot().context,
  };
}

test('an accepted submit shows the next step', async () => {
  const { actor, settle, context, sent, work } = begin({ send: [view('pickup', { revision: 2 })] });
  actor.send({ type: 'SEND', event: 'submit', data: { title: 'A' } });
  await settle();
  expect(work()).toBe('editing');
  expect(context().view.step.id).toBe('pickup');
  expect(context().arrival).toBe('sent');
  expect(sent()).toEqual([[{ type: 'submit', data: { title: 'A' }, revision: 1 }, 'key-1']]);
});

test('the first submit starts the journey, with its key', async () => {
  const { actor, settle, calls, context } = begin({ start: [view('pickup')] }, view('book', { id: null, revision: 0 }));
  actor.send({ type: 'SEND', event: 'submit', data: { title: 'A' } });
  await settle();
  expect(calls[0]).toEqual({
    call: 'start',
    args: [{ workflow: 'loans/loan', type: 'submit', data: { title: 'A' } }, 'key-1'],
  });
  expect(context().view.journey.id).toBe('j1');
});

test.each([
  ['no answer', new Unreachable('down')],
  ['503', refuse({ status: 503 })],
  ['500', refuse({ status: 500 })],
])('%s: every further attempt carries the same key and body', async (_, error) => {
  const { actor, settle, sent, work, context } = begin({ send: [error, error, view('pickup', { revision: 2 })] });
  actor.send({ type: 'SEND', event: 'submit', data: { title: 'A' } });
  await settle();
  expect(work()).toBe('interrupted');
  await settle(2000); // by itself
  expect(work()).toBe('interrupted');
  actor.send({ type: 'RETRY' });
  await settle();
  expect(context().view.step.id).toBe('pickup');
  expect(new Set(sent().map((call) => JSON.stringify(call))).size).toBe(1);
  expect(sent()).toHaveLength(3);
});

test('Retry-After is kept', async () => {
  const { actor, settle, sent } = begin({ send: [refuse({ status: 429, retry_after_s: 7 }), view('pickup')] });
  actor.send({ type: 'SEND', event: 'submit', data: {} });
  await settle(6_900);
  expect(sent()).toHaveLength(1);
  await settle(200);
  expect(sent()).toHaveLength(2);
});

test('back online: sent again at once; after five attempts only on demand', async () => {
  const down = new Unreachable('down');
  const { actor, settle, sent, work } = begin({ send: [down, down, down, down, down, down, down] });
  actor.send({ type: 'SEND', event: 'submit', data: {} });
  await settle();
  actor.send({ type: 'ONLINE' });
  await settle();
  expect(sent()).toHaveLength(2);
  await settle(600_000);
  expect(sent()).toHaveLength(5);
  expect(work()).toBe('interrupted');
});

test('pressed again with other answers while nothing is known: a new key, the same revision', async () => {
  const { actor, settle, sent } = begin({ send: [new Unreachable('down'), view('pickup')] });
  actor.send({ type: 'SEND', event: 'submit', data: { title: 'A' } });
  await settle();
  actor.send({ type: 'SEND', event: 'submit', data: { title: 'B' } });
  await settle();
  expect(sent().map(([body, key]) => [body.data.title, body.revision, key])).toEqual([
    ['A', 1, 'key-1'],
    ['B', 1, 'key-2'],
  ]);
});

test('refused answers come back as errors, and what was typed stays', async () => {
  const { actor, settle, context, work } = begin({
    send: [refuse({ status: 422, errors: [{ pointer: '/title', code: 'unknown', text: 'No such book' }] })],
  });
  actor.send({ type: 'TYPE', data: { title: 'A' } });
  actor.send({ type: 'SEND', event: 'submit', data: { title: 'A' } });
  await settle();
  expect(work()).toBe('editing');
  expect(context().problems).toEqual([{ pointer: '/title', code: 'unknown', text: 'No such book' }]);
  expect(context().data).toEqual({ title: 'A' });
});

const stale = (theirs: StepView) =>
  refuse({ status: 409, view: theirs, difference: [{ pointer: '/title', yours: 'Mine', theirs: 'Theirs' }] });

test('changed elsewhere: nothing is overwritten until the person decides; mine goes out with a new key and the new revision', async () => {
  const theirs = view('book', { revision: 4, data: { title: 'Theirs' } });
  const { actor, settle, sent, work, context } = begin({ send: [stale(theirs), view('pickup', { revision: 5 })] });
  actor.send({ type: 'TYPE', data: { title: 'Mine' } });
  actor.send({ type: 'SEND', event: 'submit', data: { title: 'Mine' } });
  await settle(60_000);
  expect(work()).toBe('conflict');
  expect(sent()).toHaveLength(1);
  expect(context().data).toEqual({ title: 'Mine' });
  actor.send({ type: 'KEEP_MINE' });
  await settle();
  expect(sent()[1]).toEqual([{ type: 'submit', data: { title: 'Mine' }, revision: 4 }, 'key-2']);
  expect(context().view.step.id).toBe('pickup');
});

test('changed elsewhere: the other answers are taken', async () => {
  const { actor, settle, context } = begin({ send: [stale(view('book', { revision: 4, data: { title: 'Theirs' } }))] });
  actor.send({ type: 'TYPE', data: { title: 'Mine' } });
  actor.send({ type: 'SEND', event: 'submit', data: { title: 'Mine' } });
  await settle();
  actor.send({ type: 'TAKE_THEIRS' });
  expect(context().data).toEqual({ title: 'Theirs' });
  expect(context().view.journey.revision).toBe(4);
});

test('moved on elsewhere: mine cannot be kept', async () => {
  const { actor, settle, work } = begin({ send: [stale(view('pickup', { revision: 4 }))] });
  actor.send({ type: 'SEND', event: 'submit', data: {} });
  await settle();
  actor.send({ type: 'KEEP_MINE' });
  expect(work()).toBe('conflict');
});

test.each([
  [410, 'expired'],
  [404, 'gone'],
  // a proof that was not given: what is asked stands beside the form
  [403, 'editing'],
])('%i ends in %s', async (status, state) => {
  const { actor, settle, work } = begin({ send: [refuse({ status })] });
  actor.send({ type: 'SEND', event: 'submit', data: {} });
  await settle();
  expect(work()).toBe(state);
});

test('drafts: saved after a pause, without secrets; a failed one is tried again', async () => {
  const { actor, settle, calls } = begin({ draft: [new Unreachable('down')] });
  const draft = () => actor.getSnapshot().value.draft;
  actor.send({ type: 'TYPE', data: { title: 'A' } });
  await settle(500);
  actor.send({ type: 'TYPE', data: { title: 'AB', otp: '123456' } });
  await settle(500);
  expect(calls).toEqual([]);
  await settle(300);
  expect(calls).toEqual([{ call: 'draft', args: ['j1', 'book', { title: 'AB' }] }]);
  expect(draft()).toBe('unsaved');
  await settle(5_000);
  expect(draft()).toBe('saved');
  expect(calls).toHaveLength(2);
});

test('a view that arrives while somebody types takes no draft away; one that has it all ends it', async () => {
  const known = view('book', { seq: 2, data: { title: 'AB' } });
  const { actor, settle, calls } = begin({ view: [view('book', { seq: 2 }), known] });
  const draft = () => actor.getSnapshot().value.draft;
  actor.send({ type: 'TYPE', data: { title: 'AB' } });
  actor.send({ type: 'CHANGED', seq: 2 });
  await settle(150);
  expect(calls.map(({ call }) => call)).toEqual(['view']);
  expect(draft()).toBe('dirty');
  await settle(700);
  expect(calls.at(-1)).toEqual({ call: 'draft', args: ['j1', 'book', { title: 'AB' }] });
  actor.send({ type: 'RECEIVED', view: known });
  await settle();
  expect(draft()).toBe('clean');
});

test('what a form sends by itself is no draft', async () => {
  const first = view('book');
  first.step.form!.schema['x-ui'] = { submit: 'change' };
  const { actor, settle, calls } = begin({}, first);
  actor.send({ type: 'TYPE', data: { title: 'AB' } });
  await settle(1_000);
  expect(calls).toEqual([]);
});

test('typed on while the draft travelled: saved again', async () => {
  const { actor, settle, calls } = begin({});
  actor.send({ type: 'TYPE', data: { title: 'A' } });
  actor.send({ type: 'FLUSH' });
  actor.send({ type: 'TYPE', data: { title: 'AB' } });
  await settle(1_000);
  expect(calls.map(({ args }) => (args[2] as Data).title)).toEqual(['A', 'AB']);
  expect(actor.getSnapshot().value.draft).toBe('saved');
});

test('leaving by Back: what is typed is stored first', async () => {
  const { actor, settle, calls } = begin(
    { send: [view('start', { revision: 2 })] },
    view('book', { back: '/loan/start?request=j1' }),
  );
  actor.send({ type: 'TYPE', data: { title: 'half' } });
  actor.send({ type: 'POP', path: 'start' });
  await settle();
  expect(calls.map(({ call }) => call)).toEqual(['draft', 'send']);
  expect(actor.getSnapshot().context.arrival).toBe('popped');
});

test('the browser’s Forward sends what stands until its page is there', async () => {
  const { actor, settle, sent, context } = begin(
    { send: [view('pickup', { revision: 2, data: { title: 'B' } }), view('pay', { revision: 3 })] },
    view('book', { data: { title: 'A' } }),
    (_, data) => data,
  );
  actor.send({ type: 'POP', path: 'pay', backwards: false });
  await settle();
  expect(sent().map(([{ type, data, revision }]) => [type, data, revision])).toEqual([
    ['submit', { title: 'A' }, 1],
    ['submit', { title: 'B' }, 2],
  ]);
  expect([context().view.step.id, context().arrival, context().forward]).toEqual(['pay', 'popped', undefined]);
});

test('the browser’s Forward never answers what is open, nor a page that is no form', async () => {
  const open = begin({ open: [{ view: view('book') } as never] }, view('book'), () => undefined);
  open.actor.send({ type: 'POP', path: 'pay', backwards: false });
  await open.settle();
  expect(open.calls.map(({ call }) => call)).toEqual(['open']);

  const review = view('book');
  review.step.kind = 'review';
  const check = begin({ open: [{ view: review } as never] }, review, (_, data) => data);
  check.actor.send({ type: 'POP', path: 'pay', backwards: false });
  await check.settle();
  expect(check.calls.map(({ call }) => call)).toEqual(['open']);
});

test('the browser’s Forward takes the offer again that led on, as long as it stands there', async () => {
  const offers = (revision: number, offer: object) => {
    const shown = view('offers', { revision, seq: revision });
    shown.step.kind = 'comparison';
    shown.step.view = { blocks: [{ block: 'options', items: [{ id: 'a', state: 'answered', ...offer }] }] };
    return shown;
  };
  const action = { event: 'select', data: { offer: 'a' } };
  const next = view('pay', { revision: 2, seq: 2, back: '/loan/offers?request=j1' });
  const { actor, settle, sent, context } = begin(
    { send: [next, offers(3, { action }), view('pay', { revision: 4, seq: 4 })] },
    offers(1, { action }),
  );
  actor.send({ type: 'SEND', event: 'select', data: { offer: 'a' } });
  await settle();
  const { chosen } = context();
  expect(chosen).toEqual({ type: 'select', data: { offer: 'a' } });
  actor.send({ type: 'POP', path: 'offers', backwards: true });
  await settle();
  expect(context().chosen).toBeUndefined();
  actor.send({ type: 'POP', path: 'pay', backwards: false, chosen });
  await settle();
  expect(sent().map(([{ type, revision }]) => [type, revision])).toEqual([
    ['select', 1],
    ['back', 2],
    ['select', 3],
  ]);
  expect([context().view.step.id, context().arrival, context().forward]).toEqual(['pay', 'popped', undefined]);

  for (const gone of [{ action, stale: true }, { action: { event: 'select', data: { offer: 'b' } } }, {}]) {
    const other = begin({ open: [{ view: offers(1, gone) } as never] }, offers(1, gone));
    other.actor.send({ type: 'POP', path: 'pay', backwards: false, chosen });
    await other.settle();
    expect(other.calls.map(({ call }) => call)).toEqual(['open']);
  }
});

test('an address that is no step of the trail asks the server where to be', async () => {
  const { actor, settle, calls } = begin({
    open: [{ elsewhere: '/loan/book?request=j1' } as never],
    view: [view('book')],
  });
  actor.send({ type: 'POP', path: 'done' });
  await settle();
  expect(calls.map(({ call, args }) => [call, args[1]])).toEqual([
    ['open', 'done'],
    ['view', undefined],
  ]);
  expect(actor.getSnapshot().context.arrival).toBe('popped');
});

test('news: several at once are one look; what is typed stays', async () => {
  const { actor, settle, calls, context } = begin({
    view: [view('book', { seq: 6, data: { title: 'from the server' }, at: '2026-11-21T10:00:05.000Z' })],
  });
  actor.send({ type: 'TYPE', data: { title: 'typed' } });
  for (let count = 0; count < 5; count++) actor.send({ type: 'CHANGED', seq: 2 + count });
  await settle(2000);
  expect(calls.filter(({ call }) => call === 'view')).toHaveLength(1);
  expect(context().view.server_time).toBe('2026-11-21T10:00:05.000Z');
  expect(context().data).toEqual({ title: 'typed' });
});

test('what was refused stands while news arrives, and goes with the next answer', async () => {
  const refused = refuse({ status: 422, errors: [{ pointer: '/title', code: 'unknown', text: 'No such book' }] });
  const { actor, settle, context } = begin({
    send: [refused, refuse({ status: 403, code: 'csrf' }), view('pay', { revision: 2 })],
    view: [view('book', { seq: 6 }), view('book', { seq: 7 })],
  });
  actor.send({ type: 'SEND', event: 'submit', data: { title: 'A' } });
  await settle();
  actor.send({ type: 'CHANGED', seq: 6 });
  await settle(2000);
  expect(context().view.journey.seq).toBe(6);
  expect(context().problems).toHaveLength(1);
  actor.send({ type: 'SEND', event: 'other' });
  await settle();
  actor.send({ type: 'CHANGED', seq: 7 });
  await settle(2000);
  expect(context().view.journey.seq).toBe(7);
  expect(context().problems).toEqual([]);
  expect(context().failure?.code).toBe('csrf');
  actor.send({ type: 'SEND', event: 'submit', data: { title: 'B' } });
  await settle();
  expect(context().view.step.id).toBe('pay');
  expect(context().failure).toBeUndefined();
});

test('old news is not looked at, and an old look is not shown', async () => {
  const { actor, settle, calls, context } = begin(
    { view: [view('old', { revision: 2, seq: 8 })] },
    view('book', { revision: 3, seq: 7 }),
  );
  actor.send({ type: 'CHANGED', seq: 7 });
  await settle(300);
  expect(calls).toEqual([]);
  actor.send({ type: 'CHANGED', seq: 8 });
  await settle(300);
  expect(calls.map(({ call }) => call)).toEqual(['view']);
  expect(context().view.step.id).toBe('book');
});

test('news during a look is looked at after it, not instead of it', async () => {
  let answer: (view: StepView) => void = () => undefined;
  const { actor, settle, calls, context } = begin({
    view: [
      new Promise<StepView>((resolve) => (answer = resolve)),
      view('book', { seq: 9, at: '2026-11-21T10:00:09.000Z' }),
    ],
  });
  actor.send({ type: 'CHANGED', seq: 2 });
  await settle(300);
  for (const seq of [3, 4, 9]) actor.send({ type: 'CHANGED', seq });
  await settle(3000);
  expect(calls).toHaveLength(1);
  answer(view('book', { seq: 4, at: '2026-11-21T10:00:04.000Z' }));
  await settle(50);
  expect(context().view.journey.seq).toBe(4);
  await settle(3000);
  expect(context().view.journey.seq).toBe(9);
  expect(calls).toHaveLength(2);
});

test('what was missed is looked at, whatever is known', async () => {
  const { actor, settle, calls } = begin({ view: [view('book', { seq: 5 })] }, view('book', { seq: 5 }));
  actor.send({ type: 'CHANGED', seq: 0 });
  await settle(3000);
  expect(calls).toHaveLength(1);
});

test('the echo of what was sent costs no look', async () => {
  const { actor, settle, calls } = begin({ send: [view('pickup', { revision: 2, seq: 3 })] });
  actor.send({ type: 'SEND', event: 'submit', data: {} });
  actor.send({ type: 'CHANGED', seq: 3 });
  await settle(3000);
  expect(calls.map(({ call }) => call)).toEqual(['send']);
});

test('news during a submit never replaces what the submit brings', async () => {
  let accept: (view: StepView) => void = () => undefined;
  const { actor, settle, context } = begin({
    send: [new Promise<StepView>((resolve) => (accept = resolve))],
    view: [view('elsewhere', { revision: 2 })],
  });
  actor.send({ type: 'SEND', event: 'submit', data: {} });
  actor.send({ type: 'CHANGED' });
  await settle(300);
  expect(context().view.step.id).toBe('book');
  accept(view('pickup', { revision: 3 }));
  await settle();
  expect(context().view.step.id).toBe('pickup');
});

test('moved on in another window while typing: asked, not pulled away', async () => {
  const { actor, settle, context } = begin({ view: [view('pickup', { revision: 2 })] });
  actor.send({ type: 'TYPE', data: { title: 'typed' } });
  actor.send({ type: 'CHANGED', seq: 2 });
  await settle(300);
  expect(context().view.step.id).toBe('book');
  expect(context().away?.step.id).toBe('pickup');
  actor.send({ type: 'GO_THERE' });
  expect(context().view.step.id).toBe('pickup');
});

test('a refused one-time password is cleared, what was typed since stays', () => {
  expect(reconcile({ otp: '111111' }, { otp: '111111' }, {})).toEqual({});
  expect(reconcile({ a: 1, b: 1 }, { a: 2, b: 1 }, { a: 1, b: 3, c: 4 })).toEqual({ a: 2, b: 3, c: 4 });
  expect(reconcile({ a: 1 }, {}, { a: 1 })).toEqual({});
});

test('newer is a higher revision, then a later look', () => {
  const now = view('book', { revision: 3, at: '2026-11-21T10:00:02.000Z' });
  expect(isNewer(view('book', { revision: 4, at: '2026-11-21T10:00:01.000Z' }), now)).toBe(true);
  expect(isNewer(view('book', { revision: 3, at: '2026-11-21T10:00:01.000Z' }), now)).toBe(false);
  expect(isNewer(view('book', { revision: 2, at: '2026-11-21T10:00:03.000Z' }), now)).toBe(false);
  expect(draftable({ properties: { otp: { 'x-secret': true } } }, { otp: '1', a: 2 })).toEqual({ a: 2 });
});

test('an offer is taken at the price that was shown; where another stands by now, that is told and nothing is done', async () => {
  const offered = (paise: number) => {
    const shown = view('prices', { revision: 1, seq: paise });
    const items = [
      {
        id: 'a',
        provider: { name: 'A' },
        state: 'answered',
        price: { paise },
        action: { event: 'take', data: { id: 'a' } },
      },
    ];
    return {
      ...shown,
      step: { ...shown.step, view: { blocks: [{ block: 'options', items }] } },
    } as unknown as StepView;
  };
  const refused = refuse({ status: 409, code: 'repriced', view: offered(900_00) });
  const { actor, settle, context, sent, work } = begin(
    { send: [refused, view('pay', { revision: 2 })] },
    offered(800_00),
  );
  actor.send({ type: 'SEND', event: 'take', data: { id: 'a' }, shown: 800_00 });
  await settle();
  expect(work()).toBe('editing');
  expect(context().failure?.prices).toEqual({ shown: 800_00, now: 900_00 });
  expect(context().view.journey.seq).toBe(900_00);
  actor.send({ type: 'SEND', event: 'take', data: { id: 'a' }, shown: 900_00 });
  await settle();
  expect(context().view.step.id).toBe('pay');
  expect(sent().map(([body]) => (body as { shown?: number }).shown)).toEqual([800_00, 900_00]);
});
