import { expect, test, vi } from 'vitest';
import { client, Unreachable } from '../src/api/client';

test('rows that were found once are not asked for again (R3-16)', async () => {
  const server = vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(async () => new Response(JSON.stringify({ rows: [{ name: 'Pune' }], more: false })));
  const first = await client.master('towns', { q: '', limit: '20' });
  const again = await client.master('towns', { q: '', limit: '20' });
  expect(again).toEqual(first);
  expect(server).toHaveBeenCalledTimes(1);
  await client.master('towns', { q: 'p', limit: '20' });
  expect(server).toHaveBeenCalledTimes(2);
});

test('what could not be fetched is asked for again', async () => {
  const server = vi.spyOn(globalThis, 'fetch').mockRejectedValueOnce(new TypeError('no network'));
  await expect(client.master('rivers', {})).rejects.toThrow();
  server.mockImplementation(async () => new Response(JSON.stringify({ rows: [], more: false })));
  await expect(client.master('rivers', {})).resolves.toEqual({ rows: [], more: false });
});

test('an answer after 29 s counts, one after 31 s is as none (R7-01, R9-45)', async () => {
  vi.useFakeTimers();
  let after_ms = 0;
  vi.spyOn(globalThis, 'fetch').mockImplementation(
    (_, request) =>
      new Promise((answer, fail) => {
        request?.signal?.addEventListener('abort', () => fail(new DOMException('', 'AbortError')));
        setTimeout(() => answer(new Response('[]')), after_ms);
      }),
  );
  const asked = async (ms: number) => {
    after_ms = ms;
    const began = Date.now();
    const mine = client.view('j1').then(
      () => 'answered',
      (error) => error,
    );
    await vi.runAllTimersAsync();
    return { said: await mine, ms: Date.now() - began };
  };
  expect(await asked(29_000)).toEqual({ said: 'answered', ms: 29_000 });
  const late = await asked(31_000);
  expect(late.said).toBeInstanceOf(Unreachable);
  vi.useRealTimers();
});
