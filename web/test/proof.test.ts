import { createHash, webcrypto } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { client, Refusal } from '../src/api/client';
import { solve } from '../src/api/proof';

const leadingZeros = (text: string) => {
  const bits = [...createHash('sha256').update(text).digest()]
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('');
  return bits.indexOf('1');
};
const answer = (status: number, body: unknown) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/problem+json' } });
const asked = () => answer(403, { status: 403, code: 'proof', challenge: { token: 'a.b', bits: 8 } });

describe('a proof of work', () => {
  // jsdom has no `subtle`
  beforeAll(() => void vi.stubGlobal('crypto', webcrypto));

  it('has the zero bits that were asked for', async () => {
    for (const bits of [0, 5, 11]) {
      const proof = await solve({ token: 'token', bits });
      expect(proof.startsWith('token.')).toBe(true);
      expect(leadingZeros(proof)).toBeGreaterThanOrEqual(bits);
    }
  });

  it('goes with the same request again, once', async () => {
    const sent: [string, RequestInit][] = [];
    const server = vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
      sent.push([String(url), init ?? {}]);
      return sent.length === 1 ? asked() : answer(200, { journey: {} });
    });
    await client.send('j', { type: 'submit', data: { mobile: '9' }, revision: 1 }, 'key');
    const headers = sent.map(([, init]) => init.headers as Record<string, string>);
    expect(headers.map((all) => all['idempotency-key'])).toEqual(['key', 'key']);
    const [first, second] = sent.map(([, init]) => init.body);
    expect(second).toBe(first);
    expect(leadingZeros(headers[1]?.['x-proof'] ?? '')).toBeGreaterThanOrEqual(8);

    // what was worked for ahead goes along at once; what the server does not take after all is done anew, once
    sent.length = 1;
    client.ahead({ token: 'c.d', bits: 4 });
    client.ahead({ token: 'e.f', bits: 4 });
    await client.send('j', { type: 'submit', data: { mobile: '9' }, revision: 1 }, 'key');
    await client.send('j', { type: 'submit', data: { mobile: '9' }, revision: 1 }, 'key');
    const proofs = sent.slice(1).map(([, init]) => (init.headers as Record<string, string>)['x-proof']);
    expect(proofs).toEqual([expect.stringMatching(/^c\.d\.\d+$/), undefined]);
    sent.length = 0;
    client.ahead({ token: 'old', bits: 4 });
    await client.send('j', { type: 'submit', data: {}, revision: 1 }, 'key');
    expect(sent.map(([, init]) => (init.headers as Record<string, string>)['x-proof'])).toEqual([
      expect.stringMatching(/^old\./),
      expect.stringMatching(/^a\.b\./),
    ]);

    server.mockImplementation(async () => asked());
    const again = client.send('j', { type: 'submit', data: {}, revision: 1 }, 'other');
    const refused: unknown = await again.catch((problem) => problem);
    expect(refused).toBeInstanceOf(Refusal);
    expect((refused as Refusal).problem.detail).toMatch(/confirm you're human/);
  });
});
