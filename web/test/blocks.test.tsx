import { readFileSync } from 'node:fs';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { expect, test, vi } from 'vitest';
import { fixtures } from '../dev/fixtures';
import type { Block, Option } from '../src/contract/blocks';
import openapi from '../src/contract/openapi.json';
import { Plan } from '../src/journey/plan';
import { Review } from '../src/journey/review';
import { StepPage } from '../src/journey/step-page';
import { Blocks } from '../src/renderer/blocks';
import { ActionsView } from '../src/renderer/blocks/actions';
import { CoverageView } from '../src/renderer/blocks/coverage';
import { initials } from '../src/renderer/blocks/logo';
import { OptionsView } from '../src/renderer/blocks/options';
import { narrowed } from '../src/renderer/blocks/options-narrow';
import { arrange, comparison, picks, sections, shared, sorted, standing } from '../src/renderer/blocks/options-order';
import { ActionsContext, ClockContext } from '../src/renderer/context';
import { safeUrl } from '../src/routes';
import { date, money, time, value } from '../src/ui/format';

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
      sections={[{ title: 'Your last policy', step: 'last', path: null, changeable: true, rows, parts: [] }]}
      submit="Pay"
      hasForm={false}
      form={null}
      busy={false}
      onSubmit={vi.fn()}
    />,
  );
  expect(container.querySelector('.review-line')?.textContent).toBe(said);
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

test('sorted by the figure that the server names; ties keep their order', () => {
  const offers = [
    offer('a', { sort: { claims: 5 } }),
    offer('b', { price: { paise: 50 } }),
    offer('c', { sort: { claims: 1 } }),
  ];
  expect(ids(sorted(offers, 'price'))).toBe('b a c');
  expect(ids(sorted(offers, 'claims'))).toBe('c a b');
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
  expect(time('2026-11-21T11:22:00Z')).toBe('4:52 pm');
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
  ['North Star', 'NS'],
  ['Monsoon', 'M'],
  ['Rain-Check of India', 'RC'],
])('a tile of %s says %s', (name, expected) => expect(initials(name)).toBe(expected));

test('the best by each figure stand above the list, another one each time, never of another kind', () => {
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
  expect(picks(offers, sort).map((pick) => `${pick.title} ${pick.offer.id}`)).toEqual([
    'Cheapest cheap',
    'Best middle',
  ]);
  expect(picks(offers.slice(0, 3), sort)).toEqual([]);
  expect(sections(offers).map((one) => `${one.title ?? '-'}: ${ids(one.offers)}`)).toEqual([
    '-: dear cheap middle fourth',
    'Only on Sundays: other',
  ]);
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
  expect(screen.getAllByRole('listitem').map((item) => item.querySelector('strong')?.textContent)).toEqual([
    'Wheelsure',
    'Roadsafe',
  ]);
  rerender(<Blocks blocks={[{ block: 'facts', items: [items[0]!, { label: 'Price', value: '₹5' }] }]} />);
  expect(screen.queryByRole('listitem')).toBeNull();
  expect(container.querySelectorAll('dt')).toHaveLength(2);
});

test('every drawing that a flow may name for the way is there', () => {
  const drawings = readFileSync('public/way.svg', 'utf8');
  const { enum: scenes } = openapi.components.schemas.Scene;
  expect([...scenes, 'pin'].filter((scene) => !drawings.includes(`id="${scene}"`))).toEqual([]);
});
