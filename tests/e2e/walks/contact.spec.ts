/** What pages say of themselves: that somebody is there, and which errors happened; and where a partner may lead a visitor. */
import { expect, test } from '../support/walk.ts';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

test('a ping with the six keys every 30 s until 360 s of idling, and again when she acts (R7.2-05, R4-44, R9-59)', async ({ walk, page }) => {
  await page.clock.install();
  await walk.open('/car-insurance?utm_source=mail&utm_medium=cpc&utm_campaign=spring');
  await walk.type('Registration number', 'dl3cab1234');
  await walk.press('See my prices');
  await walk.at('Your contact details', '/contact');
  const pings: { body: Record<string, unknown>; status: Promise<number | undefined> }[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/presence'))
      pings.push({ body: request.postDataJSON(), status: request.response().then((response) => response?.status()) });
  });
  await page.keyboard.press('Tab');
  await page.clock.runFor(31_000);
  await expect.poll(() => pings.length).toBeGreaterThan(0);
  expect(pings[0].body).toEqual({
    leadId: new URL(page.url()).searchParams.get('request'),
    abTesting: expect.stringMatching(/^chat:without,shop-words:(shop|price)$/),
    online: true,
    final_source: 'B2C',
    final_medium: 'B2CAPP',
    final_campaign: 'spring',
    // R7.2-20
    city: '',
    connectoid: expect.stringMatching(/^[0-9a-f]{32}$/),
    session_id: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  expect(await pings[0].status).toBe(204);
  await page.clock.runFor(900_000);
  const idle = pings.length;
  expect(idle).toBeGreaterThanOrEqual(10);
  expect(idle).toBeLessThanOrEqual(13);
  await page.clock.runFor(120_000);
  expect(pings).toHaveLength(idle);
  await page.keyboard.press('Tab');
  await page.clock.runFor(100);
  await expect.poll(() => pings.length).toBe(idle + 1);
  // the tracking partner has heard of it, through our server
  const heard = await page.request.get(`${walk.product.base}/sandbox/calls.json?partner=tracking&operation=online`);
  expect((await heard.json()).recent.length).toBeGreaterThan(0);
});

test('three errors within five seconds are one report, missing libraries none (R7.2-19, R8-11, R9-51)', async ({ walk, page }) => {
  await page.clock.install();
  await walk.open('/car-insurance');
  // from here on time passes only when it is told to
  await page.clock.pauseAt(new Date(Date.now() + 60_000));
  const reports: { message: string }[][] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/stackTraceApi')) reports.push(request.postDataJSON());
  });
  const raise = (code: string) =>
    page.evaluate((text) => {
      window.dispatchEvent(new ErrorEvent('error', { message: text, filename: '/x.js', lineno: 1, error: new Error(text) }));
    }, code);
  await raise('Uncaught ReferenceError: gtag is not defined');
  await page.clock.runFor(6_000);
  expect(reports).toHaveLength(0);
  await raise('first');
  await page.clock.runFor(2_000);
  await raise('second');
  await page.evaluate(() => void Promise.reject(new Error('third')));
  await page.clock.runFor(2_900);
  expect(reports).toHaveLength(0);
  const answered = page.waitForResponse((response) => response.url().endsWith('/stackTraceApi'));
  await page.clock.runFor(200);
  expect((await answered).status()).toBe(204);
  expect(reports.map((errors) => errors.map((error) => error.message))).toEqual([['first', 'second', 'third']]);
  await page.clock.runFor(60_000);
  expect(reports).toHaveLength(1);
});

test('steps are tracked, and a partner may lead her to a page of ours, not to a foreign one (R7.2-06, R7.2-07, R8-10, R3-77)', async ({ walk, page }) => {
  const begin = async (campaign: string) => {
    await walk.open(`/car-insurance?utm_campaign=${campaign}&_aid=7&_uid=8`);
    await walk.type('Registration number', 'dl3cab1234');
    await walk.press('See my prices');
  };
  // asked to a foreign host: she stays
  await begin('stranger');
  await walk.at('Your contact details', '/contact');
  const tracked = async (): Promise<{ recent: { operation: string }[] }> =>
    (await page.request.get(`${walk.product.base}/sandbox/calls.json?partner=tracking&operation=step`)).json();
  await expect.poll(async () => (await tracked()).recent.length).toBeGreaterThan(1);
  await expect(walk.heading('Your contact details')).toBeVisible();
  // asked to a page of ours: she is there
  await begin('moved');
  // the first page has the same heading: it is the other one that she has come to
  await expect(page).toHaveURL(/\/car-insurance\?moved=1$/, { timeout: 30_000 });
  await walk.at('Car insurance', '/car-insurance');
  expect(await walk.typed()).not.toEqual({});
});

test('each field of a business lead is told of once when it is left, never what with (R5-43)', async ({ walk, page }) => {
  const told: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/v1/filled') told.push(request.postData() ?? '');
  });
  await walk.open('/sme/get-a-quote');
  const form = page.locator('form.form').first();
  const fields: [string, string][] = [
    ['name', 'Asha Rao'],
    ['businessName', 'Bluebird Traders'],
    ['mobile', '9812345670'],
    ['email', 'asha@example.com'],
  ];
  for (const [name, value] of fields) {
    await form.locator(`[name="${name}"]`).fill(value);
    await page.keyboard.press('Tab');
  }
  await form.locator('[name="productType"]').selectOption({ index: 1 });
  await page.keyboard.press('Tab');
  const expected = [...fields.map(([name]) => name), 'productType'].map((field) => JSON.stringify({ field }));
  await expect.poll(() => [...told].sort()).toEqual([...expected].sort());
  await form.locator('[name="name"]').fill('Asha Sen');
  await page.keyboard.press('Tab');
  await form.locator('[name="email"]').focus();
  await page.keyboard.press('Tab');
  expect(told).toHaveLength(5);
});
