import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import type { Data, Schema } from '../src/api/open';
import type { FieldProblem, FormView } from '../src/contract/api';
import { LookupContext } from '../src/renderer/form/context';
import { StepForm } from '../src/renderer/form/form';
import { Button } from '../src/ui/button';

const files = import.meta.glob<{ example?: { name: string; schema: Schema } }>('../src/renderer/widgets/*.tsx', {
  eager: true,
});
const examples = Object.values(files).flatMap((file) => (file.example ? [file.example] : []));

const blank = { id: 'test', data: {}, draft: false, submit: 'Send' };

/** The words and widgets that the server always gives. */
function complete(schema: Schema): Schema {
  const properties = Object.entries<Schema>(schema.properties ?? {}).map(([name, rule]) => {
    const words = Object.keys(rule).map((keyword) => [keyword, `Please check ${rule.title}`]);
    const texts = { required: `Please enter ${rule.title}`, ...Object.fromEntries(words), ...rule['x-messages'] };
    return [name, { ...complete(rule), 'x-messages': texts, 'x-ui': { widget: 'text', ...rule['x-ui'] } }];
  });
  return {
    ...schema,
    ...(schema.properties && { properties: Object.fromEntries(properties) }),
    ...(schema.items?.properties && { items: complete(schema.items) }),
    ...(schema.prefixItems && { prefixItems: schema.prefixItems.map(complete) }),
  };
}

/** A form on the page; what it sends, and a way to let the server refuse. */
function show(schema: Schema, data: Data = {}) {
  const sent = vi.fn();
  let refuse: (problems: FieldProblem[]) => void = () => undefined;
  const form: FormView = { ...blank, schema: complete({ type: 'object', ...schema }) };
  function Page() {
    const [typed, setTyped] = useState(data);
    const [problems, setProblems] = useState<FieldProblem[]>([]);
    refuse = setProblems;
    return (
      <StepForm form={form} data={typed} problems={problems} onChange={setTyped} onSubmit={sent}>
        <Button type="submit">Send</Button>
      </StepForm>
    );
  }
  const view = render(<Page />);
  return {
    sent,
    view,
    refuse: (problems: FieldProblem[]) => act(() => refuse(problems)),
    submit: () => userEvent.click(screen.getByRole('button', { name: 'Send' })),
  };
}

test('what need not be answered is called optional, but for what only may wait', () => {
  const text = { title: 'Nickname', type: 'string' } as const;
  show({ properties: { nick: text, paper: { ...text, title: 'Paper', 'x-ui': { unmarked: true } } } });
  expect(screen.getByText(/Nickname/).textContent).toBe('Nickname (optional)');
  expect(screen.getByText(/Paper/).textContent).toBe('Paper');
});

test.each(
  examples.map((example) => [example.name, example] as const),
)('%s: labelled, accessible, with its error beside it', async (name, example) => {
  const { view, submit, sent } = show({
    required: ['x'],
    properties: { x: { ...example.schema, 'x-messages': { required: 'It is missing' } } },
  });
  if (name === 'hidden') return expect(view.container.querySelector('.field')).toBeNull();
  const field = view.container.querySelector('.field') as HTMLElement;
  expect(field.dataset.widget).toBe(name);
  const check = async () => {
    const { violations } = await axe.run(view.container, {
      rules: { region: { enabled: false }, 'color-contrast': { enabled: false } },
    });
    expect(violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html)}`)).toEqual([]);
  };
  await check();
  await submit();
  expect(sent).not.toHaveBeenCalled();
  expect(within(field).getByText('It is missing')).toBeTruthy();
  await check();
});

const two: Schema = {
  required: ['a', 'b'],
  properties: {
    a: {
      type: 'string',
      title: 'First',
      maxLength: 5,
      pattern: '^[a-z]+$',
      'x-normalise': ['trim', 'lower'],
      'x-messages': { pattern: 'Letters only' },
    },
    b: { type: 'string', title: 'Second', maxLength: 5 },
  },
};

test('an error shows on leaving, goes when corrected, and is not shown while the field is typed in again', async () => {
  show(two);
  const first = screen.getByLabelText('First');
  await userEvent.type(first, '1');
  expect(screen.queryByText('Letters only')).toBeNull();
  await userEvent.tab();
  await screen.findByText('Letters only');
  expect(first.getAttribute('aria-invalid')).toBe('true');
  expect(document.getElementById(first.getAttribute('aria-describedby')!)?.textContent).toContain('Letters only');
  await userEvent.clear(first);
  await userEvent.type(first, 'a');
  expect(screen.queryByText('Letters only')).toBeNull();
  await userEvent.type(first, '2');
  expect(screen.queryByText('Letters only')).toBeNull();
});

test('a field that is only passed through is no error yet', async () => {
  show(two);
  await userEvent.tab();
  await userEvent.tab();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(document.querySelector('.field-error')).toBeNull();
});

test('a form that is gone changes nothing any more, though its last field was just left', async () => {
  const changed = vi.fn();
  const form: FormView = { ...blank, schema: complete({ type: 'object', ...two }) };
  const view = render(
    <StepForm form={form} data={{ a: ' AB ' }} problems={[]} onChange={changed} onSubmit={changed}>
      {null}
    </StepForm>,
  );
  fireEvent.blur(screen.getByLabelText('First'));
  view.unmount();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(changed).not.toHaveBeenCalled();
});

test('leaving a field normalises it; a submit sends the normalised answers', async () => {
  const { submit, sent } = show(two);
  await userEvent.type(screen.getByLabelText('First'), ' AB ');
  await userEvent.tab();
  await waitFor(() => expect((screen.getByLabelText('First') as HTMLInputElement).value).toBe('ab'));
  await userEvent.type(screen.getByLabelText('Second'), 'x');
  await submit();
  expect(sent).toHaveBeenCalledWith({ a: 'ab', b: 'x' });
});

test('R9-32: of several errors the summary takes the focus, lists all, and leads to each field', async () => {
  const { submit } = show(two);
  await submit();
  const summary = screen.getByRole('alert');
  expect(document.activeElement).toBe(summary);
  const links = within(summary).getAllByRole('link');
  expect(links.map((link) => link.textContent)).toEqual(['Please enter First', 'Please enter Second']);
  await userEvent.click(links[1]!);
  expect(document.activeElement).toBe(screen.getByLabelText('Second'));
});

test("the server's refusal stands beside its field until the field changes", async () => {
  const { refuse } = show(two, { a: 'ab', b: 'x' });
  refuse([{ pointer: '/b', code: 'taken', text: 'Already taken' }]);
  expect(screen.getAllByText('Already taken')).toHaveLength(1);
  expect(screen.queryByRole('alert')).toBeNull();
  expect(document.activeElement).toBe(screen.getByLabelText('Second'));
  await userEvent.type(screen.getByLabelText('Second'), 'y');
  expect(screen.queryByText('Already taken')).toBeNull();
});

test('what is known already stays folded until somebody opens it or one of its answers is wrong', async () => {
  const { view, submit, refuse } = show(
    {
      groups: { known: { title: 'Asha Rao: change it', collapsed: true } },
      required: ['name', 'age'],
      properties: {
        name: { type: 'string', title: 'Name', maxLength: 20, 'x-ui': { group: 'known' } },
        age: { type: 'string', title: 'Age', maxLength: 3 },
      },
    },
    { name: 'Asha Rao' },
  );
  const folded = view.container.querySelector('details')!;
  await submit();
  expect(folded.open).toBe(false);
  refuse([{ pointer: '/name', code: 'pattern', text: 'Not this name' }]);
  expect(folded.open).toBe(true);
  expect(within(folded).getByText('Not this name')).toBeTruthy();
});

test('consent is never ticked beforehand and no option is chosen beforehand', () => {
  const { view } = show({
    required: ['c', 'o'],
    properties: {
      c: { type: 'boolean', const: true, title: 'C' },
      o: {
        type: 'string',
        title: 'O',
        default: 'a',
        oneOf: [
          { const: 'a', title: 'A' },
          { const: 'b', title: 'B' },
        ],
      },
    },
  });
  expect(view.container.querySelectorAll('input:checked')).toHaveLength(0);
});

test('a question appears and vanishes with the answer that asks for it; its answer is not sent', async () => {
  const { sent, submit } = show({
    required: ['k', 'w'],
    properties: {
      k: { type: 'boolean', title: 'More?', 'x-ui': { widget: 'toggle' } },
      w: { type: 'string', title: 'What', 'x-ui': { show: { k: true } } },
    },
  });
  expect(screen.queryByLabelText('What')).toBeNull();
  await userEvent.click(screen.getByLabelText('Yes'));
  await userEvent.type(screen.getByLabelText('What'), 'z');
  await userEvent.click(screen.getByLabelText('No'));
  expect(screen.queryByLabelText('What')).toBeNull();
  await submit();
  expect(sent).toHaveBeenCalledWith({ k: false });
});

test('constants keep their type', async () => {
  const { sent, submit } = show({
    properties: {
      n: {
        type: 'integer',
        title: 'N',
        oneOf: [
          { const: 0, title: 'None' },
          { const: 2500, title: 'Much' },
        ],
        'x-ui': { widget: 'select' },
      },
      l: {
        type: 'array',
        title: 'L',
        items: {
          type: 'string',
          oneOf: [
            { const: 'p', title: 'P' },
            { const: 'q', title: 'Q' },
          ],
        },
        'x-ui': { widget: 'checkboxes' },
      },
    },
  });
  await userEvent.selectOptions(screen.getByLabelText(/^N/), 'Much');
  await userEvent.click(screen.getByLabelText('Q'));
  await userEvent.click(screen.getByLabelText('P'));
  await submit();
  expect(sent).toHaveBeenCalledWith({ n: 2500, l: ['p', 'q'] });
});

test('money is typed in rupees and answered in paise', async () => {
  const { sent, submit } = show({ properties: { m: { type: 'integer', title: 'M', 'x-ui': { widget: 'money' } } } });
  await userEvent.type(screen.getByLabelText(/^M/), '1250000');
  expect((screen.getByLabelText(/^M/) as HTMLInputElement).value).toBe('12,50,000');
  await submit();
  expect(sent).toHaveBeenCalledWith({ m: 125_000_000 });
});

test('a slider shows what is typed above it, and writes what it is moved to', () => {
  const ui = { widget: 'range', unit: 'rupees', typed: true, slider: 100_000, step: 500 };
  const monthly = { type: 'integer', title: 'Every month', minimum: 500, maximum: 1_000_000, 'x-ui': ui };
  show({ properties: { monthly } }, { monthly: 5000 });
  const [typed, slid] = [screen.getByRole<HTMLInputElement>('textbox'), screen.getByRole<HTMLInputElement>('slider')];
  expect([typed.value, slid.value, slid.name]).toEqual(['5,000', '5000', '']);
  fireEvent.change(slid, { target: { value: '12500' } });
  expect(typed.value).toBe('12,500');
  // more than the slider reaches is typed
  fireEvent.change(typed, { target: { value: '4,00,000' } });
  expect([typed.value, slid.value]).toEqual(['4,00,000', '100000']);
});

test('a look-up is filtered by another answer and forgets its own when that changes', async () => {
  const asked: string[] = [];
  const rows = [
    { code: 'MAD', name: 'Madurai', region: 's' },
    { code: 'AGR', name: 'Agra', region: 'n' },
  ];
  const lookup = async (name: string, query: Record<string, string>) => {
    asked.push(`${name}?${new URLSearchParams(query)}`);
    return {
      rows: rows.filter(
        (row) => (!query.region || row.region === query.region) && (!query.key || row.code === query.key),
      ),
    };
  };
  const form: FormView = {
    ...blank,
    schema: {
      type: 'object',
      properties: {
        r: { type: 'string', title: 'Region', enum: ['s', 'n'], 'x-ui': { widget: 'select' } },
        t: {
          type: 'string',
          title: 'Town',
          'x-ui': { widget: 'lookup', source: 'towns', value: 'code', label: 'name', filter: { region: '/r' } },
        },
      },
    },
  };
  const typed: Data[] = [];
  function Page() {
    const [data, setData] = useState<Data>({ r: 's', t: 'MAD' });
    typed.push(data);
    return (
      <LookupContext.Provider value={lookup}>
        <StepForm form={form} data={data} onChange={setData} onSubmit={() => undefined} />
      </LookupContext.Provider>
    );
  }
  render(<Page />);
  const town = screen.getByRole('combobox', { name: /Town/ }) as HTMLInputElement;
  await waitFor(() => expect(town.value).toBe('Madurai'));
  expect(asked).toEqual(['towns?key=MAD']);
  await userEvent.selectOptions(screen.getByLabelText(/Region/), 'n');
  await waitFor(() => expect(typed.at(-1)).toEqual({ r: 'n' }));
  await userEvent.click(town);
  await userEvent.click(await screen.findByRole('option', { name: 'Agra' }));
  expect(typed.at(-1)).toEqual({ r: 'n', t: 'AGR' });
  expect(town.value).toBe('Agra');
  // what is pressed is taken, whatever rows arrive before it is let go
  await userEvent.clear(town);
  await userEvent.pointer({ keys: '[MouseLeft>]', target: await screen.findByRole('option', { name: 'Agra' }) });
  expect(typed.at(-1)).toEqual({ r: 'n', t: 'AGR' });
  // what is no row stays as it was typed, is said to be none, and is no answer
  await userEvent.clear(town);
  await userEvent.type(town, 'Xyzabad');
  await userEvent.tab();
  expect(town.value).toBe('Xyzabad');
  expect(await screen.findByText('Please choose one from the list.')).toBeTruthy();
  expect(typed.at(-1)).toEqual({ r: 'n' });
  // one that is a row is taken, also where its rows come only now
  await userEvent.clear(town);
  await userEvent.type(town, 'agra');
  await userEvent.tab();
  await waitFor(() => expect(typed.at(-1)).toEqual({ r: 'n', t: 'AGR' }));
  expect(screen.queryByText('Please choose one from the list.')).toBeNull();
});

test('a list narrows to what a row of reference data has; what its row says of a key stands below the field', async () => {
  const rows: Record<string, Record<string, string>> = {
    'carriers?key=road': { carrier: 'road', sizes: 'small large' },
    'towns?key=411001': { town: 'Pune', state: 'Maharashtra' },
  };
  const lookup = async (name: string, { key }: Record<string, string>) => {
    const row = rows[`${name}?key=${key}`];
    return { rows: row ? [row] : [] };
  };
  const sizes = ['small', 'large', 'huge'].map((title) => ({ const: title, title }));
  const schema = complete({
    type: 'object',
    properties: {
      carrier: { type: 'string', title: 'Carrier' },
      size: {
        type: 'string',
        title: 'Size',
        oneOf: sizes,
        'x-ui': { widget: 'select', source: 'carriers', row: '/carrier', among: 'sizes' },
      },
      code: { type: 'string', title: 'Code', minLength: 6, 'x-ui': { source: 'towns', tells: ['town', 'state'] } },
    },
  });
  function Page() {
    const [data, setData] = useState<Data>({});
    return (
      <LookupContext.Provider value={lookup}>
        <StepForm form={{ ...blank, schema }} data={data} onChange={setData} onSubmit={() => undefined} />
      </LookupContext.Provider>
    );
  }
  render(<Page />);
  const options = () =>
    [...screen.getByLabelText<HTMLSelectElement>(/Size/).options].slice(1).map(({ value }) => value);
  expect(options()).toEqual(['small', 'large', 'huge']);
  await userEvent.type(screen.getByLabelText(/Carrier/), 'road');
  await waitFor(() => expect(options()).toEqual(['small', 'large']));
  await userEvent.type(screen.getByLabelText(/Code/), '411001');
  await screen.findByText('Pune, Maharashtra');
});

test('slots: another day takes the time back, a taken time cannot be chosen, arrows move within the times', async () => {
  const { example } = files['../src/renderer/widgets/slots.tsx'] as { example: { schema: Schema } };
  const { submit, sent } = show({ required: ['x'], properties: { x: example.schema } });
  const times = () => within(screen.getByRole('radiogroup', { name: /^When should we collect it\?: / }));
  expect((screen.getByRole('radio', { name: 'Wednesday, 25 November, all taken' }) as HTMLInputElement).disabled).toBe(
    true,
  );
  expect((times().getByRole('radio', { name: '10:30 am (taken)' }) as HTMLInputElement).disabled).toBe(true);
  await userEvent.click(times().getByRole('radio', { name: '6:00 pm' }));
  expect(screen.getByRole('status').textContent).toBe('Monday, 23 November at 6:00 pm');
  await userEvent.click(screen.getByRole('radio', { name: 'Tuesday, 24 November' }));
  expect(screen.getByRole('status').textContent).toBe('Choose a time on Tuesday, 24 November');
  await submit();
  expect(sent).not.toHaveBeenCalled();
  await userEvent.click(times().getByRole('radio', { name: '12:30 pm' }));
  await submit();
  expect(sent).toHaveBeenCalledWith({ x: '2026-11-24T07:00:00.000Z' });
});

test('slots: without a free time it says so', () => {
  const slots = [{ key: 'k', text: '10:00 am', day: '2026-11-23', full: true }];
  const ui = { widget: 'slots', slots, empty: 'Please call us' };
  show({ properties: { x: { type: 'string', title: 'When?', enum: [], 'x-ui': ui } } });
  expect(screen.getByText('Please call us')).toBeTruthy();
  expect(screen.queryByRole('radio')).toBeNull();
});

const person = (key: string, title: string): Schema => ({
  type: 'object',
  title,
  'x-row': key,
  required: ['smokes', 'cigarettes'],
  properties: {
    smokes: { type: 'boolean', title: 'Smokes?', 'x-ui': { widget: 'toggle' } },
    cigarettes: { type: 'integer', title: 'How many?', 'x-ui': { widget: 'number', show: { smokes: true } } },
  },
});

test('rows of people: each with its name, its own conditions, its errors at its place', async () => {
  const people = { type: 'array', 'x-key': 'key', prefixItems: [person('self', 'Asha'), person('son', 'Ravi')] };
  const { sent, submit } = show({ required: ['people'], properties: { people } });
  const [asha, ravi] = ['Asha', 'Ravi'].map((name) => within(screen.getByRole('group', { name }))) as [
    ReturnType<typeof within>,
    ReturnType<typeof within>,
  ];
  await userEvent.click(asha.getByLabelText('No'));
  await userEvent.click(ravi.getByLabelText('Yes'));
  expect(asha.queryByLabelText('How many?')).toBeNull();
  await submit();
  expect(sent).not.toHaveBeenCalled();
  expect(document.activeElement).toBe(ravi.getByLabelText('How many?'));
  expect(document.querySelector('[data-pointer="/people/1/cigarettes"] .field-error')).toBeTruthy();
  await userEvent.keyboard('5');
  await submit();
  expect(sent).toHaveBeenCalledWith({
    people: [
      { key: 'self', smokes: false },
      { key: 'son', smokes: true, cigarettes: 5 },
    ],
  });
});

test('rows that people add: within their bounds, each with a key that is never used again', async () => {
  const items = {
    type: 'object',
    required: ['age'],
    properties: { age: { type: 'integer', title: 'Age', 'x-ui': { widget: 'number' } } },
  };
  const ui = { add: 'Add a child', remove: 'Remove' };
  const children = { type: 'array', 'x-key': 'key', 'x-title': 'Child {{number}}', maxItems: 2, items, 'x-ui': ui };
  const { sent, submit, view } = show({ properties: { children } });
  const add = () => userEvent.click(screen.getByRole('button', { name: 'Add a child' }));
  await add();
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Age')));
  await userEvent.keyboard('4');
  await add();
  expect(screen.queryByRole('button', { name: 'Add a child' })).toBeNull();
  await userEvent.type(within(screen.getByRole('group', { name: 'Child 2' })).getByLabelText('Age'), '7');
  await userEvent.click(screen.getByRole('button', { name: 'Remove Child 1' }));
  expect((screen.getByLabelText('Age') as HTMLInputElement).value).toBe('7');
  await add();
  const { violations } = await axe.run(view.container, { rules: { region: { enabled: false } } });
  expect(violations).toEqual([]);
  await submit();
  expect(sent).not.toHaveBeenCalled();
  await userEvent.type(within(screen.getByRole('group', { name: 'Child 2' })).getByLabelText('Age'), '1');
  await submit();
  expect(sent).toHaveBeenCalledWith({
    children: [
      { key: 'r2', age: 7 },
      { key: 'r3', age: 1 },
    ],
  });
});

const written = (steps: unknown[], more: Schema = {}): Schema => ({
  properties: { x: { type: 'string', title: 'X', maxLength: 40, 'x-normalise': steps, ...more } },
});

test('while something is composed the text stays as it is, and is read at the end', () => {
  const { view } = show(written(['upper', { strip: '[^A-Z0-9]' }]));
  const input = view.container.querySelector('input') as HTMLInputElement;
  input.focus();
  for (const text of ['m', 'mh', 'mh1', 'mh-1']) {
    fireEvent.input(input, { target: { value: text }, isComposing: true });
    expect(input.value).toBe(text);
  }
  fireEvent.compositionEnd(input);
  expect(input.value).toBe('MH-1');
});

test('a refused letter leaves the caret where it was and has a word', async () => {
  const { view } = show(written(['latin', { keep: '[A-Za-z ]' }, 'trim']));
  const input = view.container.querySelector('input') as HTMLInputElement;
  await userEvent.type(input, 'Asha Rao');
  input.setSelectionRange(4, 4);
  await userEvent.keyboard('1x');
  expect(input.value).toBe('Ashax Rao');
  expect(screen.getByRole('status').textContent).toContain('1');
});

test('letters of another script stay and are refused, never emptied', async () => {
  const { view, submit, sent } = show(
    written([{ keep: '[A-Za-z ]' }, 'trim'], { 'x-messages': { letters: 'In English' } }),
  );
  const input = view.container.querySelector('input') as HTMLInputElement;
  await userEvent.type(input, 'आशा');
  await submit();
  expect(input.value).toBe('आशा');
  expect(within(view.container.querySelector('.field') as HTMLElement).getByText('In English')).toBeTruthy();
  expect(sent).not.toHaveBeenCalled();
});

test('what is folded says what is sent, and stays while it is typed anew', async () => {
  const field = (name: string) => [
    name,
    { type: 'string', title: name, maxLength: 40, 'x-normalise': ['trim'], 'x-ui': { widget: 'text', group: 'named' } },
  ];
  const named = {
    groups: { named: { title: '{{answers}}: change it', collapsed: true } },
    properties: Object.fromEntries(['First', 'Middle', 'Last'].map(field)),
  };
  const { view, submit, sent } = show(named, { First: 'Venkata', Middle: 'Satya Narayana ', Last: 'Rao' });
  const title = () => view.container.querySelector('summary')?.textContent;
  expect(title()).toBe('Venkata Satya Narayana Rao: change it');
  await userEvent.clear(screen.getByLabelText(/Middle/));
  expect(title()).toBe('Venkata Rao: change it');
  await submit();
  expect(sent).toHaveBeenCalledWith({ First: 'Venkata', Last: 'Rao' });
  cleanup();
  expect(show(named).view.container.querySelector('details')).toBeNull();
});

test('an answer that is not shown is posted by the plain form, too', () => {
  const hidden = { 'x-ui': { widget: 'hidden' } };
  const { view } = show(
    {
      properties: {
        from: { type: 'string', ...hidden },
        kinds: { type: 'array', items: { type: 'string' }, ...hidden },
      },
    },
    { from: 'used', kinds: ['a', 'b'] },
  );
  const form = view.container.querySelector('form') as HTMLFormElement;
  expect([...new FormData(form)]).toEqual([
    ['from', 'used'],
    ['kinds', 'a'],
    ['kinds', 'b'],
  ]);
});

test('what the server no longer says of a field goes, also when nothing was typed since', async () => {
  const { view, refuse } = show({ properties: { code: { type: 'string' } } }, { code: '000000' });
  refuse([{ pointer: '/code', code: 'wrong', text: "That code isn't right" }]);
  expect(view.container.querySelector('.field-error')?.textContent).toContain("That code isn't right");
  refuse([]);
  expect(view.container.querySelector('.field-error')).toBeNull();
});
