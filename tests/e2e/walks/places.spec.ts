/** Journeys that stand in other pages: in the page itself, in a dialog with a hash, and dialogs that open by themselves. */
import type { Page } from '@playwright/test';
import { type Walk, expect, hold, newMobile, stopClock, test } from '../support/walk.ts';

const phone = { width: 390, height: 844 };
const desk = { width: 1280, height: 900 };

const hash = (page: Page) => page.evaluate(() => location.hash);

async function describe(walk: Walk) {
  await walk.type('Full name', 'Asha Rao');
  await walk.type('Business name', 'Lakeview Traders');
  await walk.type('Mobile number', newMobile());
  await walk.type('E-mail', 'asha@example.com');
}

async function fill(walk: Walk, page: Page) {
  await describe(walk);
  await walk.select('What would you like to insure?', 'Shopkeeper package');
  await page.getByRole('dialog').getByRole('button', { name: 'Get a quote' }).click();
}

test('a dialog has a hash, its steps too; Back and Forward move between them, closing restores the address (R2.1-11, R2.2-21, R2.9-01, R2.9-02, R2.9-03, R2.9-04, R2.9-06, R2.9-07, R2.9-08, R2.9-09, R4-19)', async ({ page, walk, product }) => {
  await page.setViewportSize(desk);
  await page.goto(`${product.base}/sme`);
  const dialog = page.getByRole('dialog');
  const opener = page.getByRole('banner').getByRole('link', { name: 'Get A Quote' });
  await opener.click();
  await expect(dialog.getByRole('heading', { name: 'Enter Details' })).toBeVisible();
  expect(await hash(page)).toBe('#leadStep1');
  await expect(dialog.locator('.place-steps li')).toHaveText(['Fill details', 'Compare quotes and choose policy', 'Make payment']);
  await dialog.locator('.place[data-ready]').waitFor();
  await walk.accessible();

  // a failed submit stays; closing forgets what was typed
  await walk.type('Business name', 'Lakeview Traders');
  await dialog.getByRole('button', { name: 'Get a quote' }).click();
  await expect(dialog.getByText('Please Enter Full Name').first()).toBeVisible();
  expect(await hash(page)).toBe('#leadStep1');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(page).toHaveURL(`${product.base}/sme`);
  await expect(opener).toBeFocused();
  await opener.click();
  await expect(walk.field('Business name')).toHaveValue('');

  await fill(walk, page);
  await expect(dialog.getByRole('heading', { name: 'Thank You!' })).toBeFocused();
  await expect(dialog.getByText('For choosing the product! Our relationship manager will call you to guide you along with your purchase.')).toBeVisible();
  expect(await hash(page)).toBe('#success');
  await page.goBack();
  await expect(dialog.getByRole('heading', { name: 'Enter Details' })).toBeVisible();
  await expect(walk.field('Full name')).toHaveValue('Asha Rao');
  expect(await hash(page)).toBe('#leadStep1');
  await page.goForward();
  await expect(dialog.getByRole('heading', { name: 'Thank You!' })).toBeVisible();
  expect(await hash(page)).toBe('#success');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page).toHaveURL(`${product.base}/sme`);

  // by its address, on a phone
  await page.setViewportSize(phone);
  await page.goto('about:blank');
  await page.goto(`${product.base}/sme#leadStep1`);
  await expect(dialog.getByRole('heading', { name: 'Enter Details' })).toBeVisible();
  await expect(dialog.locator('.place-steps')).toBeHidden();
  await fill(walk, page);
  await dialog.getByRole('link', { name: 'Return To Home' }).click();
  await expect(page).toHaveURL(`${product.base}/`);
});

test('while a lead is sent the page says so, and a double click is one call (R4-21)', async ({ page, walk, product }) => {
  await page.setViewportSize(desk);
  await page.goto(`${product.base}/sme#leadStep1`);
  const dialog = page.getByRole('dialog');
  await dialog.locator('.place[data-ready]').waitFor();
  let calls = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/v1/journeys')) calls += 1;
  });
  await describe(walk);
  await walk.type('Business name', 'Leadslow Traders');
  await walk.select('What would you like to insure?', 'Shopkeeper package');
  await dialog.getByRole('button', { name: 'Get a quote' }).dblclick();
  await expect(dialog.getByText('Sending your request').first()).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Get a quote' })).toHaveCount(0);
  await expect(dialog.getByRole('heading', { name: 'Thank You!' })).toBeVisible();
  expect(calls).toBe(1);
});

test('a form that has no hash stands in the page, knows what it is about and ends at a page of its own (R1-12, R1-13, R2.9-05)', async ({ page, walk, product }) => {
  await page.setViewportSize(phone);
  await page.goto(`${product.base}/sme`);
  await page.getByRole('link', { name: 'Shopkeeper package' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Shopkeeper insurance' })).toBeVisible();
  await describe(walk);
  await expect(walk.field('What would you like to insure?').locator('option:checked')).toHaveText('Shopkeeper package');
  await walk.accessible();
  await page.getByRole('main').getByRole('button', { name: 'Get a quote' }).click();
  await expect(page).toHaveURL(new RegExp(`^${product.base}/sme/success-page\\?request=\\w+$`));
  await expect(page.getByRole('heading', { level: 1, name: 'Thank You!' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Get a better price: 2 minutes' })).toBeVisible();
  // R2.9-01
  await page.goto(`${product.base}/sme/shopkeeper#leadStep1`);
  await expect(page.getByLabel('Business name')).toBeInViewport();
});

test('a link that is followed before the script is there opens its dialog, and the focus comes back to it', async ({ page, product }) => {
  await page.setViewportSize(desk);
  const bring = await hold(page, /\/assets\/place-/);
  const asked = page.waitForRequest(/\/assets\/place-/);
  await page.goto(`${product.base}/sme`, { waitUntil: 'commit' });
  const opener = page.getByRole('banner').getByRole('link', { name: 'Get A Quote' });
  await opener.click();
  await asked;
  await page.waitForFunction(() => document.activeElement === document.body);
  bring();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('heading', { name: 'Enter Details' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(opener).toBeFocused();
});

for (const [row, path, at, elsewhere] of [
  ['R9-48', '/health-insurance/lp-fusion', 500],
  ['R9-55', '/investment/sip-calculator', 2_000],
  ['R9-54', '/health-insurance/plans', 10_000, '/health-insurance/companies'],
] as const)
  test(`a dialog opens by itself at its time, once a visit (${row})`, async ({ page, product }) => {
    await stopClock(page);
    const arrived = async (where: string = path) => {
      const loaded = page.waitForResponse(/\/assets\/place-/);
      await page.goto(product.base + where);
      await page.clock.runFor(1);
      await loaded;
      await page.locator('.place-pause').waitFor({ state: 'attached' });
    };
    const dialog = page.getByRole('dialog');
    await arrived();
    await page.clock.runFor(at - 100);
    expect(await dialog.count()).toBe(0);
    await page.clock.runFor(300);
    await expect(dialog).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page).toHaveURL(product.base + path);
    // here, and on another page with the same offer
    for (const where of [path, elsewhere ?? path]) {
      await arrived(where);
      await page.clock.runFor(2 * at);
      await expect(dialog).toHaveCount(0);
    }
  });

test('what opens by itself can be paused for the visit and taken up again (R4-43)', async ({ page, product }) => {
  const path = `${product.base}/health-insurance/lp-fusion`;
  await page.goto(path);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: "Don't show again this visit" }).click();
  await expect(dialog).toHaveCount(0);
  await page.goto(path);
  const again = page.getByRole('button', { name: 'Show these offers again' });
  await expect(again).toBeVisible();
  await page.waitForFunction(() => performance.now() > 1_500);
  expect(await dialog.count()).toBe(0);
  await again.click();
  await expect(dialog).toBeVisible();
});

test('a form in a page is sent where it stands, and by itself before scripts are there', async ({ page, walk, product, browser }) => {
  // the script that takes the form over comes when somebody is already typing
  const bring = await hold(page, /\/assets\/place-/);
  const asked = page.waitForRequest(/\/assets\/place-/);
  await page.goto(`${product.base}/tax-saving-schemes`, { waitUntil: 'commit' });
  await walk.type('Your name', 'Asha Rao');
  await asked;
  bring();
  await page.locator('.place[data-ready]').waitFor();
  await expect(walk.field('Your name')).toHaveValue('Asha Rao');
  await walk.type('Mobile number', newMobile());
  // R3-16: cities are asked for once, however often their list is opened
  let asks = 0;
  page.on('request', (request) => {
    if (request.url().includes('/master/cities')) asks += 1;
  });
  const city = page.getByRole('combobox', { name: /^City/ });
  await city.click();
  await page.getByRole('option', { name: 'Mumbai' }).click();
  await expect(city).toHaveValue('Mumbai');
  await walk.field('Your name').click();
  await city.click();
  await expect(page.getByRole('option', { name: 'New Delhi' })).toBeVisible();
  expect(asks).toBe(1);
  await page.keyboard.press('Escape');
  await walk.press('Call me back');
  await expect(page.getByRole('heading', { name: "We'll call you" }).first()).toBeVisible();
  await expect(page.getByText(/An advisor calls \S+ (within 30 minutes|(today|tomorrow|on \w+) between 10:00 and 11:00)/)).toBeVisible();
  await expect(page).toHaveURL(`${product.base}/tax-saving-schemes#thanks`);
  await walk.accessible();

  const plain = await browser.newPage({ javaScriptEnabled: false });
  await plain.goto(`${product.base}/tax-saving-schemes`);
  await plain.getByLabel('Your name').fill('Asha Rao');
  await plain.getByLabel('Mobile number').fill(newMobile());
  await plain.getByRole('button', { name: 'Call me back' }).click();
  await expect(plain).toHaveURL(/\/call-me-back\/thanks\?request=/);
  await plain.close();
});

test('the home page begins with a number and goes on where it is bought', async ({ page, walk, product }) => {
  for (const viewport of [phone, desk]) {
    await page.setViewportSize(viewport);
    await page.goto(product.base);
    // the question stands in the first window
    const button = page.getByRole('button', { name: 'See my prices' });
    const box = (await button.boundingBox())!;
    expect(box.y + box.height).toBeLessThan(viewport.height);
    await walk.type('Registration number', 'dl3cab1234');
    await page.locator('.place[data-ready]').waitFor();
    await walk.accessible();
    await button.click();
    await walk.at('Your contact details', '/car-insurance/contact');
  }
});
