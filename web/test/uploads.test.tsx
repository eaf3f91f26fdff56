/** Files that people send: over lines that break, refused, replaced, and a form that waits for them. */
import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { useState } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Data, Schema } from '../src/api/open';
import { ActionsContext } from '../src/renderer/context';
import { StepForm } from '../src/renderer/form/form';
import { Button } from '../src/ui/button';

const PART = 64 * 1024;

/** The server's half: it takes parts in their order, and may refuse, break off or take its time. */
class Server {
  readonly uploads: Record<string, Data & { id: string; size: number; received: number; status: string }> = {};
  readonly asked: string[] = [];
  /** answers in place of its own, the first for the next call of this method */
  readonly instead: Record<string, (() => Response | Promise<Response>)[]> = {};
  becomes: Data = { status: 'ready' };
  #ids = 0;

  answer = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const method = init.method ?? 'GET';
    const id = /uploads\/([^/]+)/.exec(url)?.[1];
    this.asked.push([method, id].filter(Boolean).join(' '));
    const other = this.instead[method]?.shift();
    if (other) return other();
    const say = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });
    if (method === 'POST') {
      const own = `u${++this.#ids}`;
      this.uploads[own] = {
        ...JSON.parse(String(init.body)),
        id: own,
        received: 0,
        status: 'receiving',
        chunk_bytes: PART,
      };
      return say(this.uploads[own], 201);
    }
    if (!id) return say({ uploads: Object.values(this.uploads) });
    const upload = this.uploads[id];
    if (!upload) return say({ status: 404 }, 404);
    if (method === 'DELETE') {
      delete this.uploads[id];
      return new Response(null, { status: 204 });
    }
    if (method === 'PUT') {
      const [, first, last] = /bytes (\d+)-(\d+)/.exec(new Headers(init.headers).get('content-range') ?? '') ?? [];
      if (Number(first) === upload.received) upload.received = Number(last) + 1;
      if (upload.received === upload.size) Object.assign(upload, this.becomes);
    }
    return say(upload);
  };
}

let server: Server;
let journeys = 0;
beforeEach(() => {
  server = new Server();
  sessionStorage.clear();
  vi.useFakeTimers({ shouldAdvanceTime: true, advanceTimeDelta: 20 });
  vi.spyOn(globalThis, 'fetch').mockImplementation((url, init) => server.answer(String(url), init));
  return () => vi.useRealTimers();
});

const invoice: Schema = {
  type: 'array',
  title: 'Invoice',
  items: { type: 'string', maxLength: 32 },
  maxItems: 2,
  'x-messages': { required: 'Please upload the invoice' },
  'x-ui': {
    widget: 'upload',
    kind: 'invoice',
    max: 2,
    media: ['picture', 'pdf'],
    accept: 'image/jpeg,application/pdf',
  },
};
const file = (name: string, size = 1_000, type = 'application/pdf') => new File([new Uint8Array(size)], name, { type });

/** A form with a field for files, in a journey of its own or in one that was shown before. */
function show(rule: Schema = invoice, { journey = `j${++journeys}`, data = {} as Data, required = true } = {}) {
  const sent = vi.fn();
  let answers: Data = data;
  const schema: Schema = { type: 'object', properties: { x: rule }, required: required ? ['x'] : [] };
  function Page() {
    const [typed, setTyped] = useState(data);
    answers = typed;
    return (
      <ActionsContext.Provider value={{ send: () => 0, change: () => 0, documentUrl: () => '', say: () => 0, journey }}>
        <StepForm
          form={{ id: 't', schema, data, draft: false, submit: '' }}
          data={typed}
          onChange={setTyped}
          onSubmit={sent}
        >
          <Button type="submit">Send</Button>
        </StepForm>
      </ActionsContext.Provider>
    );
  }
  const view = render(<Page />);
  const input = (name = /^Choose (a file|files)$|^Add another$/) =>
    screen.getByRole('button', { name }).parentElement!.querySelector('input')!;
  return {
    ...view,
    journey,
    sent,
    answers: () => answers.x,
    choose: (...files: File[]) => userEvent.upload(input(), files, { applyAccept: false }),
    input,
    submit: () => userEvent.click(screen.getByRole('button', { name: 'Send' })),
    rows: () => screen.queryAllByRole('listitem'),
  };
}

test('a file goes in parts, is said to have arrived, and its id is the answer', async () => {
  const page = show();
  await page.choose(file('bill.pdf', 3 * PART - 5));
  await waitFor(() => expect(page.answers()).toEqual(['u1']));
  expect(server.uploads.u1).toMatchObject({ kind: 'invoice', name: 'bill.pdf', type: 'application/pdf' });
  expect(server.asked.filter((one) => one === 'PUT u1')).toHaveLength(3);
  expect(within(page.rows()[0]!).getByText('bill.pdf', { selector: '.upload-name' })).toBeTruthy();
  await waitFor(() =>
    expect(screen.getAllByRole('status').map((one) => one.textContent)).toContain('bill.pdf: Uploaded'),
  );
  const { violations } = await axe.run(page.container, {
    rules: { region: { enabled: false }, 'color-contrast': { enabled: false } },
  });
  expect(violations.map((one) => one.id)).toEqual([]);
  await page.submit();
  expect(page.sent).toHaveBeenCalledWith({ x: ['u1'] });
});

test('a line that breaks costs one part: what the server has is not sent again', async () => {
  const page = show();
  const lost = () => Promise.reject(new TypeError('no line'));
  // the second part arrives, its answer does not; then nothing gets through for a while
  const put = server.answer;
  let parts = 0;
  server.answer = async (url, init) => {
    const answer = await put(url, init);
    if (init?.method === 'PUT' && ++parts === 2) {
      server.instead.GET = [lost, lost];
      return lost();
    }
    return answer;
  };
  await page.choose(file('bill.pdf', 4 * PART));
  expect(await screen.findByText(/No connection/, { selector: '.upload-about' })).toBeTruthy();
  await act(() => vi.advanceTimersByTimeAsync(20_000));
  await waitFor(() => expect(page.answers()).toEqual(['u1']));
  expect(server.uploads.u1!.received).toBe(4 * PART);
  expect(parts).toBeGreaterThanOrEqual(4);
  expect(server.asked.filter((one) => one === 'POST')).toHaveLength(1);
});

test('offline it stands still, and goes on by itself once the line is back', async () => {
  const page = show();
  const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  server.instead.POST = [() => Promise.reject(new TypeError('offline'))];
  await page.choose(file('bill.pdf'));
  expect(await screen.findByText(/No connection/, { selector: '.upload-about' })).toBeTruthy();
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(server.asked.filter((one) => one === 'POST')).toHaveLength(1);
  online.mockReturnValue(true);
  act(() => void dispatchEvent(new Event('online')));
  await waitFor(() => expect(page.answers()).toEqual(['u1']));
});

test('a refused file says why and makes way for another one', async () => {
  const page = show();
  server.becomes = { status: 'refused', reason: { code: 'upload.blurred', text: 'Too blurred or dark' } };
  await page.choose(file('bill.pdf'));
  expect(await screen.findByText('Too blurred or dark', { selector: '.field-error' })).toBeTruthy();
  expect(screen.getAllByRole('status').map((one) => one.textContent)).toContain('bill.pdf: Too blurred or dark');
  await page.submit();
  expect(page.sent).not.toHaveBeenCalled();
  server.becomes = { status: 'ready' };
  await userEvent.upload(page.input(/^Choose another file/), file('sharp.pdf'));
  await waitFor(() => expect(page.answers()).toEqual(['u2']));
  expect(page.rows()).toHaveLength(1);

  // one that is refused at once never leaves the phone
  server.instead.POST = [
    () =>
      new Response(
        JSON.stringify({
          status: 422,
          code: 'invalid',
          errors: [{ pointer: '', code: 'upload.size', text: 'Too large: up to 10 MB' }],
        }),
        { status: 422 },
      ),
  ];
  await page.choose(file('huge.pdf'));
  expect(await screen.findByText('Too large: up to 10 MB', { selector: '.field-error' })).toBeTruthy();
});

test('the form is not sent while a file is on its way, says so, and goes when it has come', async () => {
  const page = show(invoice, { required: false });
  let go = () => {};
  server.instead.PUT = [
    () =>
      new Promise(
        (answer) =>
          (go = () =>
            answer(server.answer('/uploads/u1', { method: 'PUT', headers: { 'content-range': 'bytes 0-999/1000' } }))),
      ),
  ];
  await page.choose(file('bill.pdf'));
  await waitFor(() => expect(server.asked).toContain('PUT u1'));
  await page.submit();
  expect(page.sent).not.toHaveBeenCalled();
  expect(screen.getByText(/bill\.pdf is still on its way/)).toBeTruthy();
  go();
  await waitFor(() => expect(page.answers()).toEqual(['u1']));
  await waitFor(() => expect(page.sent).toHaveBeenCalledWith({ x: ['u1'] }));
  expect(screen.queryByText(/still on its way/)).toBeNull();
  expect(page.sent).toHaveBeenCalledTimes(1);
});

test('who cancels takes it away from the server too', async () => {
  const page = show(invoice, { required: false });
  server.instead.PUT = [() => new Promise(() => undefined)];
  await page.choose(file('bill.pdf'));
  await waitFor(() => expect(server.asked).toContain('PUT u1'));
  await page.submit();
  await userEvent.click(screen.getByRole('button', { name: 'Cancel bill.pdf' }));
  await waitFor(() => expect(server.uploads).toEqual({}));
  expect(page.rows()).toEqual([]);
  expect(page.sent).not.toHaveBeenCalled();
  await page.submit();
  expect(page.sent).toHaveBeenCalledWith({});
});

test('replaced, the new file takes the place of the old one once it is good; removed, it is gone', async () => {
  const page = show();
  await page.choose(file('a.pdf'), file('b.pdf'));
  await waitFor(() => expect(page.answers()).toEqual(['u1', 'u2']));
  expect(screen.queryByRole('button', { name: /^Add another/ })).toBeNull();
  await userEvent.upload(page.input(/^Replace a\.pdf/), file('c.pdf'));
  await waitFor(() => expect(page.answers()).toEqual(['u3', 'u2']));
  expect(server.uploads.u3).toMatchObject({ replaces: 'u1' });
  await userEvent.click(screen.getByRole('button', { name: 'Remove b.pdf' }));
  await waitFor(() => expect(page.answers()).toEqual(['u3']));
  expect(server.uploads.u2).toBeUndefined();
  await waitFor(() => expect(page.container.contains(document.activeElement)).toBe(true));
});

test('more files than there may be: the first ones are taken, and it is said', async () => {
  const page = show();
  await page.choose(file('a.pdf'), file('b.pdf'), file('c.pdf'));
  await waitFor(() => expect(page.answers()).toEqual(['u1', 'u2']));
  expect(screen.getByText('No more than 2 files here')).toBeTruthy();
});

test('after a reload the answer has its names again; what the server has no more is no answer; a half goes on', async () => {
  server.uploads.u8 = { id: 'u8', kind: 'invoice', name: 'kept.pdf', size: 5, received: 5, status: 'ready', pages: 3 };
  server.uploads.u9 = {
    id: 'u9',
    kind: 'invoice',
    name: 'half.pdf',
    size: 2 * PART,
    received: PART,
    status: 'receiving',
    chunk_bytes: PART,
  };
  const page = show(invoice, { data: { x: ['u7', 'u8'] } });
  expect(await screen.findByText('kept.pdf', { selector: '.upload-name' })).toBeTruthy();
  expect(screen.getByText(/3 pages/)).toBeTruthy();
  await waitFor(() => expect(page.answers()).toEqual(['u8']));
  expect(screen.getByText(/Stopped at 50%/)).toBeTruthy();
  await userEvent.upload(page.input(/^Choose it again/), file('half.pdf', 2 * PART));
  await waitFor(() => expect(page.answers()).toEqual(['u8', 'u9']));
  expect(server.asked).not.toContain('POST');
});

test('a check that takes long is waited for while the next one goes', async () => {
  const page = show();
  server.becomes = { status: 'scanning' };
  await page.choose(file('a.pdf'));
  await waitFor(() => expect(server.uploads.u1?.status).toBe('scanning'));
  server.becomes = { status: 'ready' };
  await page.choose(file('b.pdf'));
  await waitFor(() => expect(page.answers()).toEqual(['u2']));
  server.uploads.u1!.status = 'ready';
  await waitFor(() => expect(page.answers()).toEqual(['u2', 'u1']), { timeout: 20_000 });
});

test('one file: it is the answer itself, and there is no room for a second', async () => {
  const ui = { ...invoice['x-ui'], max: 1 };
  const page = show({ ...invoice, type: 'string', items: undefined, maxItems: undefined, 'x-ui': ui });
  await page.choose(file('bill.pdf'));
  await waitFor(() => expect(page.answers()).toBe('u1'));
  expect(screen.queryByRole('button', { name: /^(Choose|Add)/ })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Remove bill.pdf' }));
  await waitFor(() => expect(page.answers()).toBeUndefined());
  expect(screen.getByRole('button', { name: 'Choose a file' })).toBeTruthy();
});

test('files are dropped on it', async () => {
  const page = show();
  const box = page.container.querySelector('.upload')!;
  fireEvent.dragOver(box);
  expect(box.hasAttribute('data-over')).toBe(true);
  fireEvent.drop(box, { dataTransfer: { files: [file('a.pdf'), file('b.pdf')] } });
  await waitFor(() => expect(page.answers()).toEqual(['u1', 'u2']));
  expect(box.hasAttribute('data-over')).toBe(false);
});

test('who goes back and comes again finds it going on', async () => {
  const page = show();
  let go = () => {};
  const part = { method: 'PUT', headers: { 'content-range': 'bytes 0-999/1000' } };
  server.instead.PUT = [() => new Promise((answer) => (go = () => answer(server.answer('/uploads/u1', part))))];
  await page.choose(file('bill.pdf'));
  await waitFor(() => expect(server.asked).toContain('PUT u1'));
  page.unmount();
  const again = show(invoice, { journey: page.journey });
  expect(screen.getByText('bill.pdf', { selector: '.upload-name' })).toBeTruthy();
  go();
  await waitFor(() => expect(again.answers()).toEqual(['u1']));
});

test('by keyboard alone', async () => {
  const page = show();
  const opened = vi.spyOn(HTMLInputElement.prototype, 'click').mockImplementation(() => undefined);
  await userEvent.tab();
  await userEvent.tab();
  await userEvent.tab();
  expect(document.activeElement?.textContent).toBe('Choose files');
  await userEvent.keyboard('{Enter}');
  expect(opened).toHaveBeenCalled();
  opened.mockRestore();
  await page.choose(file('bill.pdf'));
  await waitFor(() => expect(page.answers()).toEqual(['u1']));
});

test('photos by a list: one after the other, taken again, none that must be there is left out', async () => {
  const shots = [
    { key: 'front', title: 'Front', hint: 'The whole bumper', required: true },
    { key: 'left', title: 'Left side', required: true },
    { key: 'tyre', title: 'Tyre' },
  ];
  const ui = { widget: 'upload', kind: 'inspection', max: 3, media: ['picture'], accept: 'image/jpeg', shots };
  const page = show({ ...invoice, maxItems: 3, title: 'Photos', 'x-ui': ui }, { required: false });
  const photo = (name: string) => file(name, 10, 'image/jpeg');
  expect(screen.getByText('Photo 1 of 3: Front')).toBeTruthy();
  expect(screen.getByText('The whole bumper')).toBeTruthy();
  await page.submit();
  expect(screen.getByText('Still to take: Front, Left side')).toBeTruthy();

  await userEvent.upload(page.input(/^Take a photo$/), photo('IMG_1.jpg'));
  expect(await screen.findByText('Photo 2 of 3: Left side')).toBeTruthy();
  await waitFor(() => expect(server.uploads.u1).toMatchObject({ name: 'front.jpg', kind: 'inspection' }));
  await userEvent.upload(page.input(/^Take a photo$/), photo('IMG_2.jpg'));
  expect(await screen.findByText('Photo 3 of 3: Tyre')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Skip this one' }));
  expect(screen.getByText(/All photos taken/)).toBeTruthy();
  await waitFor(() => expect(page.answers()).toEqual(['u1', 'u2']));

  await userEvent.upload(page.input(/^Take it again Front/), photo('IMG_3.jpg'));
  await waitFor(() => expect(page.answers()).toEqual(['u3', 'u2']));
  expect(server.uploads.u3).toMatchObject({ name: 'front.jpg', replaces: 'u1' });
  await page.submit();
  expect(page.sent).toHaveBeenCalledWith({ x: ['u3', 'u2'] });
});
