/** A page loads what it draws; what comes next comes ahead; what cannot be had is told, and there is a way on. */
import type { Page } from '@playwright/test';
import { Motor, car } from '../support/motor.ts';
import { expect, test } from '../support/walk.ts';

test.use({ viewport: { width: 390, height: 844 } });

/** Scripts by the name that the build gave them. */
function scripts(page: Page): () => string[] {
  const seen = new Set<string>();
  page.on('request', (request) => {
    const name = /\/assets\/([a-z]+)-[\w-]+\.js$/.exec(request.url())?.[1];
    if (name) seen.add(name);
  });
  return () => [...seen].sort();
}

const LATER = /\/assets\/(?:events|further|options|otp)-[\w-]+\.js$/;

/** Bytes of everything that a page asks for, with headers, until nothing more comes. */
async function weight(page: Page, address: string): Promise<number> {
  const network = await page.context().newCDPSession(page);
  await network.send('Network.enable');
  let bytes = 0;
  network.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  const last = page.waitForResponse(/\/assets\/later-/);
  await page.goto(address);
  await (await last).finished();
  await page.waitForLoadState('networkidle');
  await network.detach();
  return bytes;
}

test('a first visit weighs 84 KB until somebody is there, 95 KB more in Hindi', async ({ page, product }) => {
  const loaded = scripts(page);
  const english = await weight(page, `${product.base}/car-insurance`);
  expect(english).toBeLessThan(84_000);
  expect(loaded()).toEqual(['begin', 'later', 'page', 'rolldown']);
  await page.context().clearCookies();
  const other = await page.context().browser()!.newPage({ viewport: { width: 390, height: 844 }, locale: 'en-IN' });
  expect(await weight(other, `${product.base}/car-insurance?lang=hi`)).toBeLessThan(english + 95_000);
  await other.close();
});

test('the first touch brings the app; nothing that is typed meanwhile is lost', async ({ page, product, walk }) => {
  await page.goto(`${product.base}/car-insurance`);
  const field = walk.field('Registration number');
  await field.click();
  await page.keyboard.type('dl3cab1234');
  // capitals are the app's work
  await expect(field).toHaveValue('DL3CAB1234');
  await expect(field).toBeFocused();
  await walk.press('See my prices');
  await walk.at('Your contact details', '/contact');
});

test('a first step loads what it draws, the rest comes ahead once somebody types', async ({ page, walk, product }) => {
  const loaded = scripts(page);
  await page.goto(`${product.base}/car-insurance`);
  await walk.settled();
  await page.waitForLoadState('networkidle');
  expect(loaded().filter((name) => !['page', 'begin', 'app', 'form', 'landing', 'later', 'rolldown'].includes(name))).toEqual([]);
  const hinted = await page.locator('link[rel=modulepreload]').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  for (const part of ['app', 'form', 'landing']) expect(hinted.some((href) => href?.includes(`/${part}-`))).toBe(true);
  await walk.type('Registration number', 'KA1AB0405');
  await expect.poll(loaded).toEqual(expect.arrayContaining(['events', 'further', 'lookup', 'options', 'otp']));
});

test('a part that cannot be had: the page says so and goes on when it is asked again', async ({ page, walk, product }) => {
  const motor = new Motor(walk, car);
  await walk.open('/car-insurance');
  await page.route(LATER, (route) => route.abort());
  await page.route('**/favicon.svg', (route) => route.abort());
  await walk.type('Registration number', 'KA1AB0405');
  await walk.submit('See my prices');
  await expect(walk.heading('Your contact details')).toBeFocused();
  await expect(page.getByText("Part of this page didn't load")).toBeVisible();
  await walk.accessible();
  await page.unroute(LATER);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(walk.field('Name')).toBeVisible();
  await motor.contact();
});

test('a part of a build that is gone: the page loads anew once, and nothing is lost', async ({ page, walk }) => {
  await walk.open('/car-insurance');
  await page.route(LATER, (route) => route.fulfill({ status: 404, body: '' }));
  await walk.type('Registration number', 'KA1AB0405');
  const reloaded = page.waitForEvent('load');
  await walk.submit('See my prices');
  await reloaded;
  await expect(page.getByText("Part of this page didn't load")).toBeVisible();
  expect(page.url()).toContain('/contact?request=');
  await page.unroute(LATER);
  await page.reload();
  await expect(walk.field('Name')).toBeVisible();
});
