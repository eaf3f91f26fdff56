/** Who came by a partner, or as an agent: what the page does by itself. */
import { expect, test } from '../support/walk.ts';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

test("a partner's visitor sees its name and colours on every page, and only what it offers (R9-68, R3-09)", async ({ walk, page }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  const brand = () => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--brand'));
  await page.goto(`${walk.product.base}/`);
  const ours = await brand();
  await page.goto(`${walk.product.base}/bike-insurance?source=twowheelclub&sub-source=members`);
  await expect(page).toHaveURL(`${walk.product.base}/bike-insurance`);
  await expect(page.locator('.site-partner')).toHaveText('Two Wheel Club');
  const theirs = await brand();
  expect(theirs).not.toBe(ours);
  await page.goto(`${walk.product.base}/contact-us`);
  expect(await brand()).toBe(theirs);
  await page.goto(`${walk.product.base}/car-insurance`);
  await expect(page).toHaveURL(`${walk.product.base}/bike-insurance/tp`);
});

test('the tab keeps how the visitor came, the browser the cities of health (R3-14, R7.2-12)', async ({ walk, page }) => {
  // null, too, while the page comes anew as an agent's
  const kept = (tab: boolean, name: string) =>
    page.evaluate(([tab, name]) => (tab ? sessionStorage : localStorage).getItem(name as string), [tab, name] as const).catch(() => null);
  const came = 'source=clinicplus&sub-source=reception&preferred_insurer=24&preferred_plan=P77';
  await page.goto(`${walk.product.base}/health-insurance?_aid=A7&_uid=A8&${came}`);
  await expect.poll(() => kept(true, 'agentinfo'), { timeout: 20_000 }).toContain('A7');
  await expect.poll(() => kept(true, 'partnerentry')).toContain('clinicplus');
  let preferred = '';
  await expect.poll(async () => (preferred = (await kept(true, 'preferred')) ?? '')).not.toBe('');
  expect(preferred).not.toContain('P77');
  expect(JSON.parse(Buffer.from(preferred, 'base64').toString())).toEqual({ insurer: '24', plan: 'P77' });
  await expect.poll(() => kept(false, 'healthCities')).toContain('"citySlug":"pune"');
});

test('an agent is asked about by her page, which is then an agent\'s (R4-08, R4-09)', async ({ walk, page }) => {
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/v1/agent')) asked.push(request.method());
  });
  await page.goto(`${walk.product.base}/health-insurance?_aid=A7&_uid=A8`);
  await expect(page).toHaveURL(`${walk.product.base}/health-insurance`);
  // the chat is there for her
  await expect(page.locator('body:not([data-hide~="chat"])')).toBeAttached();
  await page.goto(`${walk.product.base}/health-insurance/plans`);
  await expect(page.locator('body:not([data-hide~="chat"])')).toBeAttached();
  expect(asked).toEqual(['POST']);
});
