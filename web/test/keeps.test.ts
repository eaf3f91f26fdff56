import { afterEach, expect, test, vi } from 'vitest';
import { keep } from '../src/site/keeps';

const visit = (name: string, take: string, encoded = false) => ({ name, call: '/visit', take, tab: true, encoded });

afterEach(() => {
  vi.unstubAllGlobals();
  sessionStorage.clear();
  localStorage.clear();
});

test('each answer is asked for once and lies under its names; what it no longer has goes', async () => {
  const answers: Record<string, unknown> = {
    '/visit': { agent: { id: 'A1' }, partner: null, preferred: { plan: 'P-₹' } },
    '/towns': { result: { city: ['Pune'] } },
  };
  const asked = vi.fn(async (call: string) => new Response(JSON.stringify(answers[call])));
  vi.stubGlobal('fetch', asked);
  sessionStorage.setItem('partner', 'before');
  const towns = { name: 'towns', call: '/towns', take: 'result.city', tab: false, encoded: false };
  await keep([visit('agent', 'agent'), visit('partner', 'partner'), visit('preferred', 'preferred', true), towns]);
  expect(asked).toHaveBeenCalledTimes(2);
  expect([sessionStorage.getItem('agent'), sessionStorage.getItem('partner')]).toEqual(['{"id":"A1"}', null]);
  expect(localStorage.getItem('towns')).toBe('["Pune"]');
  const encoded = sessionStorage.getItem('preferred')!;
  expect(encoded).not.toContain('P-');
  expect(JSON.parse(Buffer.from(encoded, 'base64').toString())).toEqual({ plan: 'P-₹' });
});

test('without a line what was kept stays', async () => {
  vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('no line')));
  sessionStorage.setItem('agent', 'before');
  await keep([visit('agent', 'agent')]);
  expect(sessionStorage.getItem('agent')).toBe('before');
});
