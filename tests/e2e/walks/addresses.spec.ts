/** Where partners are reached is a setting, for all of them alike. */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { Product } from '../support/product.ts';
import { expect, test } from '../support/walk.ts';

const partners = resolve(import.meta.dirname, '../../../workflows/partners');

test('an outside address is a setting and nothing else: another one is called without a change of definitions or code (R7-03)', async () => {
  // no operation and no partner of the definitions knows a host
  const files = (readdirSync(partners, { recursive: true }) as string[]).filter((name) => /\.yaml$/.test(name) && !/\.(?:sandbox|examples)\.yaml$/.test(name));
  expect(files.length).toBeGreaterThan(20);
  const said = files.filter((name) => /^[^#]*https?:\/\//m.test(readFileSync(join(partners, name), 'utf8')));
  expect(said).toEqual([]);

  const asked: string[] = [];
  const elsewhere = createServer((request, reply) => {
    asked.push(`${request.method} ${request.url}`);
    reply.setHeader('content-type', 'application/json').end('{"pincode": "110001", "city": "Elsewhere", "district": "North", "state": "Goa", "serviceable": true}');
  });
  await new Promise<void>((ready) => elsewhere.listen(0, '127.0.0.1', ready));
  const { port } = elsewhere.address() as AddressInfo;
  const product = await Product.start({ JOURNEY_PARTNERS__HOSTS__PINCODE__URL: `http://127.0.0.1:${port}/of/others`, JOURNEY_PARTNERS__HOSTS__PINCODE__ALLOW_PRIVATE: 'true' });
  try {
    const reply = await fetch(`${product.base}/api/v1/common/pincode?pincode=110001`);
    expect(asked.map((one) => one.split('?')[0])).toEqual(['GET /of/others/v1/pincodes/110001']);
    expect(await reply.json()).toMatchObject({ error: false, response: { city: 'Elsewhere' } });
  } finally {
    await product.stop();
    elsewhere.close();
  }
});

test('master data: a city, a pincode, the lists of insurers, the bank of an IFSC; an unknown one is said clearly (R7.3-16)', async ({ product }) => {
  const get = async (path: string) => (await (await fetch(product.base + path)).json()) as Record<string, unknown>;
  const { data } = (await get('/api/v1/common/get-city?q=Jaipur')) as { data: { city: { cityName: string }[] } };
  expect(data.city.map(({ cityName }) => cityName)).toContain('Jaipur');
  expect(await get('/api/v1/common/pincode?pincode=560001')).toMatchObject({ status: 200, response: { state: 'Karnataka' } });
  for (const line of ['motor', 'health']) {
    const { rows } = (await get(`/api/v1/master/insurers?${line}=true&limit=50`)) as { rows: Record<string, unknown>[] };
    expect(rows.length, line).toBeGreaterThan(0);
    expect(rows.every((row) => row[line] === true && row.slug), line).toBe(true);
  }
  expect(await get('/api/v1/common/bank?ifsc=SBIN0000691')).toMatchObject({
    status: 200,
    error: false,
    response: { ifsc: 'SBIN0000691', bank: 'State Bank of India', city: 'New Delhi' },
  });
  expect(await get('/api/v1/common/bank?ifsc=ABCD0123456')).toMatchObject({ status: 422, error: true, message: 'We do not know this IFSC', response: null });
});
