/** Walks the sample workflow against the mock with real mouse and keyboard: what only a browser can show. */
import assert from 'node:assert/strict';
import { chromium } from '@playwright/test';
import { createServer } from 'vite';

const FLAGS =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync --disable-dev-shm-usage'.split(
    ' ',
  );
const server = await createServer({ server: { port: 0 }, logLevel: 'error' });
await server.listen();
const base = `http://localhost:${server.httpServer.address().port}`;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });

async function walk(width, height) {
  const context = await browser.newContext({ viewport: { width, height }, hasTouch: width < 600 });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const say = (text) => console.log(`${width}: ${text}`);
  page.on('pageerror', (error) => console.log(`PAGE ERROR ${error.message}`));
  page.on(
    'console',
    (message) =>
      message.type() === 'error' &&
      !/409|422|Failed to load/.test(message.text()) &&
      console.log(`CONSOLE ${message.text()}`),
  );
  const heading = (name) => page.getByRole('heading', { level: 1, name }).waitFor();
  const press = (name) => page.getByRole('button', { name }).click();

  // typed before the scripts came: kept, with the focus
  await page.route('**/src/entries/page.ts', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await route.continue();
  });
  await page.goto(`${base}/parcel-insurance?_aid=7&source=mail`, { waitUntil: 'commit' });
  await page.getByLabel('Tracking number').pressSequentially('ab12', { delay: 20 });
  assert.equal(await page.locator('#app').getAttribute('data-server'), 'true', 'typed before the take-over');
  await page.waitForSelector('#app[data-ready]');
  await page.keyboard.type('3456');
  assert.equal((await page.getByLabel('Tracking number').inputValue()).toUpperCase(), 'AB123456');
  assert.ok(!page.url().includes('_aid'), 'agent ids leave the address bar');
  say(`take-over keeps ${await page.getByLabel('Tracking number').inputValue()}`);
  await press('See prices');
  await heading('Where can we reach you?');
  assert.match(page.url(), /\/contact\?request=/);
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'step-title');

  // an error on leaving does not swallow the press that left the field
  await page.getByLabel('Mobile number').fill('12345');
  await page.getByLabel(/I agree/).click();
  assert.ok(await page.getByLabel(/I agree/).isChecked());
  await page.getByText('Invalid mobile number.').waitFor();
  await page.getByLabel('Mobile number').fill('12');
  await press('Continue');
  const summary = page.locator('.error-summary');
  await summary.waitFor();
  assert.ok(await summary.evaluate((node) => node === document.activeElement), 'the summary takes the focus');
  await summary.getByRole('link', { name: /Full name/ }).click();
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'f-name');
  await page.keyboard.type('Asha1 R@o');
  assert.equal(await page.getByLabel('Full name').inputValue(), 'Asha Ro');
  await page.getByLabel('Mobile number').fill('+91 98765 43210');
  assert.equal(await page.getByLabel('Mobile number').inputValue(), '9876543210');

  // reload: the draft is there
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.reload();
  await page.waitForSelector('#app[data-ready]');
  assert.equal(await page.getByLabel('Full name').inputValue(), 'Asha Ro');
  await press('Continue');
  await heading('Enter the password we sent');

  await page.getByLabel('One-time password').fill('000000');
  await page.locator('.field-error').getByText('That password is not right.').waitFor();
  assert.equal(await page.getByLabel('One-time password').inputValue(), '', 'a refused password is cleared');
  await page.getByLabel('One-time password').fill('123456');
  await heading('What are you sending?');

  // the browser's Back is the step before: not the password, which is no step to return to
  await page.goBack();
  await heading('Where can we reach you?');
  assert.match(page.url(), /\/contact\?/);
  assert.equal(await page.getByLabel('Full name').inputValue(), 'Asha Ro');
  await press('Continue');
  await heading('Enter the password we sent');
  await page.getByLabel('One-time password').fill('123456');
  await heading('What are you sending?');

  await page.getByLabel('Contents').selectOption({ label: 'Something else' });
  await page.getByLabel('What is it?').fill('A lamp');
  await page.getByLabel('Value of the goods').pressSequentially('1250000');
  assert.equal(await page.getByLabel('Value of the goods').inputValue(), '12,50,000');
  await page.getByLabel('Value of the goods').fill('50000');
  await page.getByRole('group', { name: 'Is it fragile?' }).getByText('Yes').click();
  await page.getByLabel('Town').click();
  await page.keyboard.type('ma');
  await page.getByRole('option', { name: 'Madurai' }).waitFor();
  await page.keyboard.press('Enter');
  assert.equal(await page.getByLabel('Town').inputValue(), 'Madurai');
  await page.getByLabel('Day', { exact: true }).pressSequentially('25');
  await page.keyboard.type('112026');
  assert.equal(await page.getByLabel('Year').inputValue(), '2026');
  await page
    .getByRole('group', { name: /damaged/ })
    .getByText('Yes')
    .click();
  await press('Continue');
  await summary.getByText('Please enter How many?').waitFor();
  await page
    .getByRole('group', { name: /damaged/ })
    .getByText('No', { exact: true })
    .click();
  await press('Continue');
  await heading('Choose your cover');

  // offers arrive; the first card does not move
  const first = page.locator('.option[aria-label]').first();
  await first.waitFor();
  const name = await first.getAttribute('aria-label');
  const top = await first.evaluate((node) => node.getBoundingClientRect().top + window.scrollY);
  await page
    .getByText('10 offers')
    .or(page.locator('.options-status p', { hasText: '10 offers' }))
    .first()
    .waitFor({ timeout: 15000 });
  assert.equal(await first.getAttribute('aria-label'), name);
  assert.equal(await first.evaluate((node) => node.getBoundingClientRect().top + window.scrollY), top);
  await page.getByRole('button', { name: /Show in order/ }).click();
  assert.match(await first.getAttribute('aria-label'), /Zephyr/);

  // another cover asks again by itself; cards stay
  if (width < 900) await press('Change your choices');
  await page.getByLabel(/More: Covered value/).click();
  await page.getByRole('group', { name: 'You pay first' }).getByText('Nothing').click();
  if (width < 900) await press('Show offers');
  await page.locator('.option[data-stale]').first().waitFor();
  await page.locator('.option-was').first().waitFor();
  assert.match(await first.getAttribute('aria-label'), /Zephyr/);

  // compare
  await page.locator('.option-compare', { hasText: 'Compare' }).nth(0).click();
  await page.locator('.option-compare', { hasText: 'Compare' }).nth(1).click();
  assert.match(page.url(), /#compare=/);
  await page.getByRole('region', { name: 'Compare' }).getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('dialog').waitFor();
  await page.screenshot({ path: `${process.argv[2] ?? '/tmp'}/compare-${width}.png` });
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /Choose Monsoon/ }).click();
  await heading('Who sends it?');

  await page.getByText('A company', { exact: true }).click();
  await page.getByLabel('Company name').fill('Lamps Ltd');
  await page.getByLabel('Address').fill('14 Lake View');
  await page.getByLabel('Pincode').fill('999999');
  await page.getByLabel('Name', { exact: true }).fill('Ravi Kumar');
  await press('Continue');
  await page.locator('.field-error').getByText('We do not collect there yet').waitFor();
  await page.getByLabel('Pincode').fill('560041');
  await press('Continue');
  await heading('Check your answers');
  await page.getByRole('button', { name: 'Change Name' }).click();
  await heading('Where can we reach you?');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'f-name', 'Change goes to the answer');
  await page.goto(`${base}/parcel-insurance/confirm${new URL(page.url()).search}`);

  // offline: nothing is lost, sent once when back
  await page.waitForSelector('#app[data-ready]');
  await context.setOffline(true);
  await page.getByText('You are offline.').waitFor();
  await context.setOffline(false);
  await page.getByText('You are offline.').waitFor({ state: 'detached' });
  say('walked');
  await context.close();
}

for (const [width, height] of [
  [390, 844],
  [1280, 900],
]) {
  try {
    await walk(width, height);
  } catch (error) {
    const page = browser.contexts().at(-1)?.pages().at(-1);
    await page?.screenshot({ path: `${process.argv[2] ?? '/tmp'}/failed.png`, fullPage: true });
    console.log(page?.url());
    throw error;
  }
}
await browser.close();
await server.close();
