import { readFileSync } from 'node:fs';
import { act, fireEvent, render, renderHook, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { expect, test, vi } from 'vitest';
import { fixtures } from '../dev/fixtures';
import type { Block, Option, OptionsBlock } from '../src/contract/blocks';
import { Plan } from '../src/journey/plan';
import { Redirecting } from '../src/journey/redirecting';
import { Review } from '../src/journey/review';
import { useScreenOn } from '../src/journey/screen-on';
import { StepPage } from '../src/journey/step-page';
import { Blocks } from '../src/renderer/blocks';
import { ActionsView } from '../src/renderer/blocks/actions';
import { comparison } from '../src/renderer/blocks/comparison';
import { CoverageView } from '../src/renderer/blocks/coverage';
import { Logo, wordmark } from '../src/renderer/blocks/logo';
import { OptionsView } from '../src/renderer/blocks/options';
import { narrowed } from '../src/renderer/blocks/options-narrow';
import {
  arrange,
  ordered,
  ownLists,
  picks,
  sections,
  shared,
  sorted,
  standing,
} from '../src/renderer/blocks/options-order';
import { ActionsContext, ClockContext } from '../src/renderer/context';
import { safeUrl } from '../src/routes';
import { date, money, value } from '../src/ui/format';

test.each(Object.entries(fixtures))('%s has no axe violation', async (_, view) => {
  const { container } = render(
    <StepPage
      view={view}
      data={view.step.form?.data ?? {}}
      problems={[]}
      busy={false}
      onType={vi.fn()}
      onSubmit={vi.fn()}
      onBack={vi.fn()}
    />,
  );
  const { violations } = await axe.run(container, {
    rules: { region: { enabled: false }, 'color-contrast': { enabled: false } },
  });
  expect(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html)}`)).toEqual([]);
});

test('a block that nobody knows is a line in the log, and the page goes on (R8-29)', () => {
  const said = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const blocks = [{ block: 'hologram' }, { block: 'notice', text: 'The page goes on' }] as unknown as Block[];
  render(<Blocks blocks={blocks} />);
  expect(screen.getByText('The page goes on')).toBeTruthy();
  expect(said.mock.calls).toEqual([['unknown block', 'hologram']]);
});

test('a block that comes while somebody types leaves the field, its text and the focus where they are', async () => {
  const form = <input aria-label="Card number" />;
  const later = { block: 'actions', items: [{ label: 'Fill in', event: 'fill' }] } as Block;
  const blocks: Block[] = [{ block: 'text', text: 'Which card?' }, { block: 'form' }];
  const { rerender } = render(<Blocks blocks={blocks} form={form} />);
  const field = screen.getByLabelText<HTMLInputElement>('Card number');
  await userEvent.type(field, 'ABCPE1234');
  rerender(<Blocks blocks={[blocks[0]!, later, blocks[1]!]} form={form} />);
  await userEvent.keyboard('F');
  expect(screen.getByRole('button', { name: 'Fill in' })).toBeTruthy();
  expect(screen.getByLabelText<HTMLInputElement>('Card number').value).toBe('ABCPE1234F');
});

const offer = (id: string, more: Partial<Option> = {}): Option => ({
  id,
  provider: { name: id.split('.')[0]! },
  state: 'answered',
  price: { paise: 100 },
  ...more,
});
const ids = (offers: Option[]) => offers.map((one) => `${one.id}${one.stale ? '*' : ''}`).join(' ');

const answer = (label: string, value: string | boolean, autocomplete?: string) => ({
  label,
  value,
  pointer: `/${label}`,
  autocomplete,
});
const nameAsAsked = [
  answer('First name', 'Asha', 'given-name'),
  answer('Middle name', '', 'additional-name'),
  answer('Last name', 'Rao', 'family-name'),
  answer('Gender', 'Female'),
  answer('Title', 'Ms', 'honorific-prefix'),
];

test.each([
  [[answer('Owner changed?', false), answer('Kind', 'All'), answer('Active?', true), answer('Note', '')], 'All'],
  [[answer('In hospital?', false), answer('Medicine?', false)], 'No to all 2 questions'],
  [[answer('In hospital?', false), answer('Medicine?', true)], 'Medicine? Yes'],
  [[answer('To be insured?', false)], 'To be insured? No'],
  [nameAsAsked, 'Ms Asha Rao · Female'],
])('a folded group of answers is said in words that mean something without their question', (rows, said) => {
  const { container } = render(
    <Review
      view={fixtures.review!}
      sections={[{ title: 'Your previous policy', step: 'last', path: null, changeable: true, rows, parts: [] }]}
      submit="Pay"
      hasForm={false}
      form={null}
      busy={false}
      onSubmit={vi.fn()}
    />,
  );
  expect(container.querySelector('.review-line')?.textContent).toBe(said);
});

test('the folded line of a plan says what is clear without its label: no day and no time', () => {
  const items = [
    { label: 'Insurer', value: 'HDFC ERGO' },
    { label: 'To pay', value: { paise: 7_715_00 } },
    { label: 'Starts on', value: { date: '2026-12-14' } },
    { label: 'Price held till', value: { time: '2026-11-30T21:31:00Z' } },
  ];
  const { container } = render(<Plan blocks={[{ block: 'facts', title: 'Your plan', items }]} />);
  expect(container.querySelector('.review-line')?.textContent).toBe('HDFC ERGO · ₹7,715');
});

test('on the way elsewhere a GET is a link with its query, a POST a form with its fields', () => {
  const to = (method: string, url: string, fields: Record<string, string>) => (
    <Redirecting redirect={{ url, method, fields, label: 'Go on' }} once={method + url} />
  );
  const { rerender, container } = render(to('GET', '/dashboard', {}));
  expect(screen.getByRole('link', { name: 'Go on' }).getAttribute('href')).toBe('/dashboard');
  rerender(to('GET', '/pay?order=1', { by: 'a b' }));
  expect(screen.getByRole('link', { name: 'Go on' }).getAttribute('href')).toMatch(/\/pay\?order=1&by=a\+b$/);
  expect(container.querySelector('form')).toBeNull();
  rerender(to('POST', '/pay', { by: 'a b' }));
  expect(screen.getByRole('button', { name: 'Go on' })).toBeTruthy();
  expect(container.querySelector('form')?.method).toBe('post');
  expect(container.querySelector<HTMLInputElement>('input[name="by"]')?.value).toBe('a b');
});

test('R9-53: what was checked is sent once, 800 ms after the first press', () => {
  vi.useFakeTimers();
  const send = vi.fn();
  render(
    <Review
      view={fixtures.review!}
      sections={[]}
      submit="Pay"
      hasForm={false}
      form={null}
      busy={false}
      onSubmit={send}
      timers={{ checked: 800 }}
    />,
  );
  const button = screen.getByRole('button', { name: 'Pay' });
  fireEvent.click(button);
  act(() => vi.advanceTimersByTime(400));
  fireEvent.click(button);
  act(() => vi.advanceTimersByTime(399));
  expect(send).not.toHaveBeenCalled();
  act(() => vi.advanceTimersByTime(1));
  expect(send).toHaveBeenCalledTimes(1);
  act(() => vi.advanceTimersByTime(2_000));
  expect(send).toHaveBeenCalledTimes(1);
  vi.useRealTimers();
});

test('R9-49: the screen stays on for 120,000 ms, also when the page was hidden meanwhile', async () => {
  vi.useFakeTimers();
  const release = vi.fn();
  const request = vi.fn(async () => ({ release }));
  Object.defineProperty(navigator, 'wakeLock', { value: { request }, configurable: true });
  renderHook(() => useScreenOn(120_000));
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(request).toHaveBeenCalledTimes(1);
  document.dispatchEvent(new Event('visibilitychange'));
  await act(() => vi.advanceTimersByTimeAsync(59_999));
  expect(request).toHaveBeenCalledTimes(2);
  expect(release).not.toHaveBeenCalled();
  await act(() => vi.advanceTimersByTimeAsync(1));
  expect(release).toHaveBeenCalledTimes(1);
  Reflect.deleteProperty(navigator, 'wakeLock');
  vi.useRealTimers();
});

test('what was chosen heads the page in words of its own', () => {
  const view = structuredClone(fixtures.contact!);
  const kind = {
    type: 'string',
    title: 'Kind',
    oneOf: [{ const: 'old' }, { const: 'new', head: 'Which one will it be?' }],
  };
  view.step.form!.schema = { type: 'object', properties: { kind } } as never;
  const drawn = (chosen: string) => (
    <StepPage
      view={view}
      data={{ kind: chosen }}
      problems={[]}
      busy={false}
      onType={vi.fn()}
      onSubmit={vi.fn()}
      onBack={vi.fn()}
    />
  );
  const { rerender } = render(drawn('old'));
  const heading = () => screen.getByRole('heading', { level: 1 }).textContent;
  expect(heading()).toBe(view.step.title);
  rerender(drawn('new'));
  expect(heading()).toBe('Which one will it be?');
});

test('what one kind covers stands in two lists, each under its word', () => {
  const items = [
    { label: 'Theft', values: [true] },
    { label: 'Delay', values: ['up to ₹500'] },
    { label: 'Wear', values: [false] },
  ];
  render(<CoverageView columns={[{ title: 'By road' }]} items={items} />);
  const told = screen.getAllByRole('list').map((list) => list.parentElement?.textContent);
  expect(told).toEqual(['CoveredTheftDelay: up to ₹500', 'Not coveredWear']);
});

test('a price that is folded above a form says its total', () => {
  const lines = [{ label: 'Total', kind: 'total' as const, value: { paise: 8_515_00 } }];
  const { container } = render(<Plan blocks={[{ block: 'breakup', style: 'plan', title: 'What you pay', lines }]} />);
  expect(container.querySelector('summary')?.textContent).toBe('What you pay₹8,515');
});

test('offers keep their places as others come and go', () => {
  const first = arrange([], [offer('a'), offer('b')]);
  expect(ids(arrange(first, [offer('z'), offer('b'), offer('a')]))).toBe('a b z');
  expect(ids(arrange(first, [offer('b'), offer('c')]))).toBe('b c');
});

test('asked again: cards stay, stale, until their provider has answered; the new one takes the old place', () => {
  const before = [offer('a.1'), offer('b.1'), offer('b.2')];
  const asked = [offer('a.asked', { state: 'asked' }), offer('b.asked', { state: 'asked' })];
  const during = arrange(before, standing(before, asked));
  expect(ids(during)).toBe('a.1* b.1* b.2*');
  const after = [offer('b.9'), offer('a.1', { was: { paise: 90 } })];
  expect(ids(arrange(during, standing(during, after)))).toBe('a.1 b.9');
  const declined = standing(during, [offer('a.1'), offer('b.none', { state: 'declined' })]);
  expect(ids(arrange(during, declined))).toBe('a.1');
});

test('what was asked for by name stands first in every order, and is no better pick for it', () => {
  const offers = [3, 1, 2, 4].map((paise) => offer(`o${paise}`, { price: { paise }, first: paise === 2 }));
  expect(ids(ordered(offers, 'price'))).toBe('o2 o1 o3 o4');
  expect(picks(offers, [{ id: 'price', label: 'Price', pick: 'Cheapest' }]).map((one) => one.offer.id)).toEqual(['o1']);
});

test('sorted by the figure that the server names; ties keep their order', () => {
  const offers = [
    offer('a', { sort: { claims: 5 } }),
    offer('b', { price: { paise: 50 } }),
    offer('c', { sort: { claims: 1 } }),
  ];
  expect(ids(sorted(offers, 'price'))).toBe('b a c');
  expect(ids(sorted(offers, 'claims'))).toBe('c a b');
});

test('what offers cover stands before their facts and prices; what a price was rounded by is left out', () => {
  const priced = (id: string, theft: boolean, paise: number) =>
    offer(id, {
      covers: [true, theft],
      facts: [{ label: 'Value', value: paise }],
      breakup: [
        { label: 'Carriage', value: { paise } },
        { label: 'Rounding', kind: 'rounding', value: { paise: 37 } },
      ],
    });
  const rows = comparison([priced('a', true, 100), priced('b', false, 200)], [{ label: 'Fire' }, { label: 'Theft' }]);
  expect(rows.map(({ label, differs, priced }) => [label, differs, Boolean(priced)])).toEqual([
    ['Theft', true, false],
    ['Fire', false, false],
    ['Value', true, false],
    ['Carriage', true, true],
  ]);
});

test('rows that differ come first', () => {
  const rows = comparison([
    offer('a', {
      facts: [
        { label: 'Same', value: 1 },
        { label: 'Limit', value: { paise: 1 } },
      ],
    }),
    offer('b', {
      facts: [
        { label: 'Same', value: 1 },
        { label: 'Limit', value: { paise: 2 } },
        { label: 'Extra', value: 'x' },
      ],
    }),
  ]);
  expect(rows.map((row) => `${row.label} ${row.differs}`)).toEqual(['Limit true', 'Extra true', 'Same false']);
});

test('an action that asks first sends only after the answer', async () => {
  const send = vi.fn();
  render(
    <ActionsContext.Provider value={{ send, change: vi.fn(), documentUrl: () => '', say: vi.fn() }}>
      <ActionsView items={[{ label: 'Cancel', event: 'cancel', confirm: 'Really?' }]} />
    </ActionsContext.Provider>,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(send).not.toHaveBeenCalled();
  await userEvent.click(screen.getAllByRole('button', { name: 'Cancel' }).at(-1)!);
  expect(send).toHaveBeenCalledWith('cancel', undefined);
});

test('prices are asked for again by the clock of the server, however wrong the one of the phone is', () => {
  const hour = 3_600_000;
  const until = (ms: number) => new Date(Date.now() + ms).toISOString();
  const asks = (server: () => number, valid_until: string) => {
    const send = vi.fn();
    render(
      <ClockContext.Provider value={server}>
        <ActionsContext.Provider value={{ send, change: vi.fn(), documentUrl: () => '', say: vi.fn() }}>
          <OptionsView items={[offer('a')]} valid_until={valid_until} renew={{ event: 'again' }} />
        </ActionsContext.Provider>
      </ClockContext.Provider>,
    );
    return send.mock.calls;
  };
  // the phone is an hour ahead, then an hour behind
  expect(asks(() => Date.now() - hour, until(-hour / 2))).toEqual([]);
  expect(asks(() => Date.now() + hour, until(hour / 2))).toEqual([['again']]);
});

test('of a refusal on a form, the reason that the page itself gives comes into the window', () => {
  const scrolled = vi.fn();
  Element.prototype.scrollIntoView = scrolled;
  const form = Object.values(fixtures).find(({ step }) => step.kind === 'form' && step.form)!;
  const refused = { code: 'refused', level: 'error' as const, pointer: null, text: 'That did not work.' };
  const reason = { block: 'notice', tone: 'warning', title: 'The number is another', text: 'Compare it' };
  const drawn = (answered: number) => (
    <StepPage
      view={{
        ...form,
        messages: answered > 0 ? [refused] : [],
        step: { ...form.step, view: { blocks: [reason, { block: 'form' }] } as never },
      }}
      data={{}}
      problems={[]}
      busy={false}
      answered={answered}
      onType={vi.fn()}
      onSubmit={vi.fn()}
      onBack={vi.fn()}
    />
  );
  const { rerender } = render(drawn(0));
  expect(scrolled).not.toHaveBeenCalled();
  rerender(drawn(1));
  expect(scrolled.mock.contexts.map((one) => (one as Element).textContent)).toEqual([
    expect.stringContaining('The number is another'),
  ]);
});

test('a price that is told is one that stands first on the page: a cheaper offer of another kind is no lower price', () => {
  vi.useFakeTimers();
  try {
    const say = vi.fn();
    const drawn = (items: Option[]) => (
      <ActionsContext.Provider value={{ send: vi.fn(), change: vi.fn(), documentUrl: () => '', say }}>
        <OptionsView items={items} />
      </ActionsContext.Provider>
    );
    const usual = offer('a', { price: { paise: 900_00 } });
    const limited = offer('b', { price: { paise: 500_00 }, section: 'For a few parcels only' });
    const { rerender } = render(drawn([]));
    rerender(drawn([usual]));
    rerender(drawn([usual, limited]));
    vi.advanceTimersByTime(5_000);
    expect(say.mock.calls.flat()).toEqual(['1 of 1 have made an offer', '2 of 2 have made an offer']);
    rerender(drawn([usual, limited, offer('c', { price: { paise: 800_00 } })]));
    vi.advanceTimersByTime(5_000);
    expect(say).toHaveBeenLastCalledWith('3 of 3 have made an offer. A lower price came in: ₹800');
  } finally {
    vi.useRealTimers();
  }
});

test('whoever is slow is named in place of the count and holds up nothing; without any offer there is nothing to sort', () => {
  const asked = offer('b', { state: 'asked', price: undefined });
  const failed = offer('b', { state: 'failed', price: undefined });
  const drawn = (items: Option[], slow?: string) => (
    <OptionsView
      items={items}
      slow={slow}
      sort={[{ id: 'price', label: 'Price' }]}
      empty="Nobody could answer just now."
    />
  );
  const { rerender, container } = render(drawn([offer('a'), asked]));
  expect(container.querySelectorAll('.option-waiting')).toHaveLength(1);
  rerender(drawn([offer('a'), asked], 'b is slow'));
  expect(screen.getByText('b is slow')).toBeTruthy();
  expect(container.querySelector('.options-progress')?.hasAttribute('data-done')).toBe(true);
  expect(container.querySelectorAll('.option-waiting')).toHaveLength(0);
  expect(screen.getByRole('combobox', { name: 'Sort by' })).toBeTruthy();
  rerender(drawn([failed]));
  expect(screen.getByText('Nobody could answer just now.')).toBeTruthy();
  expect(screen.queryByRole('combobox')).toBeNull();
});

test('an error of a field stands at it, in focus, and what else is said in the window; one about something else is told above', () => {
  const form = fixtures.contact!;
  const [name] = Object.keys(form.step.form!.schema.properties as object);
  const error = (pointer: string | null, text: string) => ({ code: text, level: 'error' as const, pointer, text });
  const messages = [error(`/${name}`, 'This one'), error('/elsewhere', 'That one'), error(null, 'The other')];
  const { container } = render(
    <StepPage
      view={{ ...form, messages }}
      data={{}}
      problems={[]}
      busy={false}
      onType={vi.fn()}
      onSubmit={vi.fn()}
      onBack={vi.fn()}
    />,
  );
  expect(container.querySelector(`[data-pointer="/${name}"][data-invalid] .field-error`)?.textContent).toContain(
    'This one',
  );
  expect(document.activeElement?.closest('[data-pointer]')?.getAttribute('data-pointer')).toBe(`/${name}`);
  const above = container.querySelector('.messages[data-answer]');
  expect([...above!.querySelectorAll('.notice')].map((one) => one.textContent)).toEqual([
    expect.stringContaining('That one'),
    expect.stringContaining('The other'),
  ]);
});

test.each([
  [123_456_700, '₹12,34,567'],
  [45_123, '₹451.23'],
  [-5_000, '−₹50'],
  [0, '₹0'],
])('%i paise', (paise, expected) => expect(money(paise)).toBe(expected));

test('dates and values', () => {
  expect(date('2026-11-21')).toBe('21 Nov 2026');
  expect(date('2026-11-21T10:02:00Z')).toBe('21 Nov, 3:32 pm');
  expect(date('soon')).toBe('soon');
  expect(value({ percent: 99 })).toBe('99%');
  expect(value(null)).toBe('—');
});

test.each([
  ['/a', '/a'],
  ['//evil.example', undefined],
  ['/\\evil.example', undefined],
  ['javascript:alert(1)', undefined],
  ['data:text/html,x', undefined],
  ['https://a.example', 'https://a.example'],
  ['tel:1', 'tel:1'],
])('address %s', (url, expected) => expect(safeUrl(url)).toBe(expected));

test.each([
  ['North Star', ['North', 'Star']],
  ['Monsoon', ['Monsoon']],
  ['Rain-Check of India', ['Rain-Check', 'of']],
])('the wordmark of %s says %s', (name, expected) => expect(wordmark(name)).toEqual(expected));

test('a wordmark has its colour where no style is allowed', () => {
  const { container } = render(<Logo provider={{ name: 'North Star Mutual', short: 'North', colour: '#8a1c1c' }} />);
  expect(container.querySelector('svg')?.getAttribute('fill')).toBe('#8a1c1c');
  expect(container.querySelector('[style]')).toBeNull();
  expect(container.textContent).toBe('North');
});

test('the best by each figure stand above the list with their criterion, never of another kind', () => {
  const offers = [
    offer('dear', { price: { paise: 400 }, sort: { claims: 2 } }),
    offer('cheap', { price: { paise: 200 }, sort: { claims: 1 } }),
    offer('other', { price: { paise: 100 }, sort: { claims: 0 }, section: 'Only on Sundays' }),
    offer('middle', { price: { paise: 300 }, sort: { claims: 2 } }),
    offer('fourth', { price: { paise: 900 }, sort: { claims: 9 } }),
  ];
  const sort = [
    { id: 'price', label: '', pick: 'Cheapest' },
    { id: 'claims', label: '', pick: 'Best' },
    { id: 'x', label: '' },
  ];
  const named = (of: Option[], by: OptionsBlock['sort']) =>
    picks(of, by).map(({ title, offer }) => `${title} ${offer.id}`);
  // nobody is called the best who is not
  expect(named(offers, sort)).toEqual(['Cheapest · Best cheap']);
  const alike = offers.map((one) => (one.id === 'middle' ? { ...one, sort: { claims: 1 } } : one));
  expect(named(alike, sort)).toEqual(['Cheapest cheap', 'Best middle']);
  const settled = [{ id: 'claims', label: '', pick: 'Most settled', criterion: 'Yearbook 2025' }];
  const figures = alike.map((one) => ({ ...one, facts: [{ id: 'claims', label: 'Settled', value: { percent: 98 } }] }));
  expect(picks(figures, settled)[0]?.why).toEqual([
    'Settled: 98%. First of 4 companies, tied with 1 other; the cheapest of them. Yearbook 2025',
  ]);
  // among those with one price nobody is the cheapest
  const same = offers.map((one) => (one.id === 'middle' ? { ...one, price: { paise: 200 } } : one));
  const priced = [{ id: 'price', label: '', pick: 'Cheapest', criterion: 'Price with GST' }];
  expect(picks(same, priced)[0]?.why).toEqual(['First of 4 companies, tied with 1 other. Price with GST']);
  expect(picks(offers.slice(0, 3), sort)).toEqual([]);
  expect(sections(offers).map((one) => `${one.title ?? '-'}: ${ids(one.offers)}`)).toEqual([
    '-: dear cheap middle fourth',
    'Only on Sundays: other',
  ]);
});

test('a list with an order of its own goes by it until another is chosen, and then nothing moves by itself', () => {
  const both = { sections: ['best', 'lowest'] };
  const items = [
    offer('a', { ...both, price: { paise: 300 }, sort: { relevance: 1, claims: 2 } }),
    offer('b', { ...both, price: { paise: 100 }, sort: { relevance: 2, claims: 1 } }),
    offer('c', { sections: ['lowest'], price: { paise: 200 }, sort: { relevance: 3, claims: 3 } }),
  ];
  const named = [
    { id: 'best', title: 'Best' },
    { id: 'lowest', title: 'Lowest price', sort: 'price' },
  ];
  const free = ownLists({}, items, named, true);
  const said = (own: typeof free, of = items) => sections(of, named, own).map((one) => ids(one.offers));
  expect(said(free)).toEqual(['a b', 'b c a']);
  // what a filter leaves keeps the order
  expect(said(free, [items[0]!, items[2]!])).toEqual(['a', 'c a']);
  // whoever reads has a dearer card come last, wherever it belongs
  const more = [...items, offer('d', { sections: ['lowest'], price: { paise: 150 } })];
  expect(said(ownLists(free, more, named, false), more)).toEqual(['a b', 'b c a d']);
  const sort = [
    { id: 'relevance', label: 'Relevance' },
    { id: 'claims', label: 'Most claims settled' },
  ];
  render(<OptionsView items={items} sort={sort} sections={named} />);
  const names = () =>
    screen
      .getAllByRole('article')
      .map((card) => card.getAttribute('aria-label'))
      .join(' ');
  expect(names()).toBe('a b b c a');
  fireEvent.change(screen.getByRole('combobox', { name: /sort/i }), { target: { value: 'claims' } });
  expect(names()).toBe('b a b a c');
});

test('what all cards say alike is said once', () => {
  const with_ = (id: string, speed: number) =>
    offer(id, {
      facts: [
        { label: 'Kind', value: 'full' },
        { label: 'Speed', value: speed },
      ],
    });
  expect(shared([with_('a', 1), with_('b', 1), with_('c', 2)]).facts).toEqual([{ label: 'Kind', value: 'full' }]);
  expect(shared([with_('a', 1), with_('b', 1)]).facts).toEqual([]);
  const tagged = [['Photo', 'Sunday'], ['Photo'], ['Sunday', 'Photo']].map((tags, i) => offer(`t${i}`, { tags }));
  expect(shared(tagged).tags).toEqual(['Photo']);
});

test('offers in lists that the block names: in several, in its order, empty ones left out; narrowed by what they have', () => {
  const offers = [
    offer('a', { sections: ['all', 'top'], choices: { room: 'Single' } }),
    offer('b', { sections: ['all'], choices: { room: 'Shared' } }),
  ];
  const named = ['top', 'none', 'all'].map((id) => ({ id, title: id }));
  expect(sections(offers, named).map((list) => `${list.id}: ${ids(list.offers)}`)).toEqual(['top: a', 'all: a b']);
  expect(ids(narrowed(offers, { room: 'Shared' }))).toBe('b');
  expect(ids(narrowed(offers, { room: '' }))).toBe('a b');
});

test('lists as tabs, a filter with a way back, a second action, comparing as an event', async () => {
  const send = vi.fn();
  const items = [
    offer('A', { sections: ['x'], choices: { room: 'Single' }, second: { event: 'look', label: 'What is covered' } }),
    offer('B', { sections: ['x', 'y'], choices: { room: 'Shared' } }),
  ];
  render(
    <ActionsContext.Provider value={{ send, change: vi.fn(), documentUrl: () => '#', say: vi.fn() }}>
      <OptionsView
        items={items}
        sections={[
          { id: 'x', title: 'First' },
          { id: 'y', title: 'Second' },
        ]}
        sections_as="tabs"
        filters={[{ id: 'room', label: 'Room' }]}
        compare={{ event: 'compare', data: { from: 'list' } }}
      />
    </ActionsContext.Provider>,
  );
  const names = () => screen.getAllByRole('article').map((card) => card.getAttribute('aria-label'));
  expect(names()).toEqual(['A', 'B']);
  await userEvent.click(screen.getByRole('button', { name: 'What is covered A ₹1' }));
  expect(send).toHaveBeenLastCalledWith('look', undefined);
  for (const name of ['A', 'B']) await userEvent.click(screen.getByRole('checkbox', { name: `Compare ${name}` }));
  await userEvent.click(screen.getByRole('button', { name: 'Compare' }));
  expect(send).toHaveBeenLastCalledWith('compare', { from: 'list', chosen: ['A', 'B'] });
  await userEvent.click(screen.getByRole('button', { name: /^Second/ }));
  expect(names()).toEqual(['B']);
  await userEvent.selectOptions(screen.getByLabelText('Room'), 'Single');
  expect(names()).toEqual(['A']);
  await userEvent.selectOptions(screen.getByLabelText('Room'), 'Room: any');
  expect(names()).toEqual(['B']);
});

test('on a phone a fourth plan cannot be added to three that are compared (R9-38)', async () => {
  window.history.replaceState(null, '', '/');
  render(
    <ActionsContext.Provider value={{ send: vi.fn(), change: vi.fn(), documentUrl: () => '#', say: vi.fn() }}>
      <OptionsView items={['A', 'B', 'C', 'D'].map((id) => offer(id))} compare_max={3} />
    </ActionsContext.Provider>,
  );
  const box = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name: `Compare ${name}` });
  for (const name of ['A', 'B', 'C', 'D']) await userEvent.click(box(name));
  expect(['A', 'B', 'C', 'D'].map((name) => box(name).checked)).toEqual([true, true, true, false]);
  expect(box('D').disabled).toBe(true);
  await userEvent.click(box('A'));
  await userEvent.click(box('D'));
  expect(['A', 'B', 'C', 'D'].map((name) => box(name).checked)).toEqual([false, true, true, true]);
});

test('lists stand in the order that is named, whatever comes when; of many cards three, the rest on request', async () => {
  const named = ['top', 'middle', 'all'].map((id) => ({ id, title: id }));
  const page = (items: Option[]) => (
    <ActionsContext.Provider value={{ send: vi.fn(), change: vi.fn(), documentUrl: () => '#', say: vi.fn() }}>
      <OptionsView items={items} sections={named} />
    </ActionsContext.Provider>
  );
  const facts = [{ label: 'Room', value: 'Any' }];
  const all = ['a', 'b', 'c', 'd', 'e'].map((id) =>
    offer(id, { sections: id === 'a' ? ['top', 'all'] : id === 'e' ? ['middle', 'all'] : ['all'], facts }),
  );
  const { rerender, container } = render(page(all.slice(0, 1)));
  for (const count of [2, 3, 4, 5]) rerender(page(all.slice(0, count)));
  const lists = () =>
    screen.getAllByRole('list').map((list) => [list.getAttribute('aria-label'), list.children.length]);
  expect(lists()).toEqual([
    ['top', 1],
    ['middle', 1],
    ['all', 3],
  ]);
  expect(container.querySelectorAll('.options-same')).toHaveLength(1);
  expect(screen.getAllByRole('article')[0]?.textContent).not.toContain('Room');
  await userEvent.click(screen.getByRole('button', { name: 'Show all 5 all' }));
  expect(lists().at(-1)).toEqual(['all', 5]);
  await userEvent.click(screen.getByRole('button', { name: 'Show fewer all' }));
  expect(lists().at(-1)).toEqual(['all', 3]);
});

test('rows that are all providers stand side by side as a list of names', () => {
  const items = ['Wheelsure', 'Roadsafe'].map((name) => ({ label: name, value: name, kind: 'provider' as const }));
  const { rerender, container } = render(<Blocks blocks={[{ block: 'facts', items }]} />);
  expect(screen.getAllByRole('listitem').map((item) => item.querySelector('.sr')?.textContent)).toEqual([
    'Wheelsure',
    'Roadsafe',
  ]);
  rerender(<Blocks blocks={[{ block: 'facts', items: [items[0]!, { label: 'Price', value: '₹5' }] }]} />);
  expect(screen.queryByRole('listitem')).toBeNull();
  expect(container.querySelectorAll('dt')).toHaveLength(2);
});

test('every drawing that a flow may name for the way is there', () => {
  const table = readFileSync('../workflows/shared/tables/scenes.yaml', 'utf8');
  const scenes = [...table.matchAll(/^ {2}- \[(\w+)\]$/gm)].map(([, scene]) => scene!);
  expect(scenes).not.toEqual([]);
  expect(
    [...scenes, 'pin'].filter((scene) => !readFileSync(`public/way/${scene}.svg`, 'utf8').includes('id="way"')),
  ).toEqual([]);
});
