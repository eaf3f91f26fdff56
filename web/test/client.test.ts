import { expect, test, vi } from 'vitest';
import { client } from '../src/api/client';

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
