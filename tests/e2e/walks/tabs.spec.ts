/** Many tabs of one browser, a page that others change, a browser that keeps nothing. */
import type { Page } from '@playwright/test';
import { Motor, car } from '../support/motor.ts';
import { Product } from '../support/product.ts';
import { Walk, expect, test } from '../support/walk.ts';

test.use({ viewport: { width: 1280, height: 900 } });

test('seven tabs over HTTP/1.1: each is drawn, and what is sent in the first arrives', async ({ context, product }) => {
  const tabs: Walk[] = [];
  for (let at = 0; at < 7; at++) {
    const walk = new Walk(await context.newPage(), product);
    walk.axe = false;
    tabs.push(walk);
    await new Motor(walk, car).number('DL-3-CAB-1234');
    await walk.at('Your contact details', '/contact');
  }
  const first = tabs[0]!;
  await new Motor(first, car).contact();
  await first.at('Enter the code we sent you', '/otp');
  // as do prices in the last one
  const last = tabs.at(-1)!;
  await new Motor(last, car).toQuotes('DL-3-CAB-1234');
  await new Motor(last, car).quotes();
});

test('a request that does not get through says that it waits', async ({ walk, page }) => {
  await new Motor(walk, car).number('DL-3-CAB-1234');
  await walk.at('Your contact details', '/contact');
  let release = () => {};
  const held = new Promise<void>((go) => (release = go));
  await page.route('**/events', async (route) => {
    await held;
    await route.continue();
  });
  await new Motor(walk, car).contact();
  await expect(page.getByText("We're still waiting for an answer.")).toBeVisible();
  release();
  await walk.at('Enter the code we sent you', '/otp');
});

/** As translators do: every text of the page stands in an element of theirs. */
const translate = (page: Page) =>
  page.evaluate(() => {
    const all = document.createTreeWalker(document.getElementById('app')!, NodeFilter.SHOW_TEXT);
    const texts: Text[] = [];
    while (all.nextNode()) texts.push(all.currentNode as Text);
    for (const text of texts) {
      const font = document.createElement('font');
      font.textContent = text.data;
      text.replaceWith(font);
    }
  });

test('a translated page shows the prices that are, and a price that has moved is told before it is bought', async ({ walk, page }) => {
  const motor = new Motor(walk, car);
  await motor.toQuotes('DL-3-CAB-1234');
  await motor.quotes();
  await translate(page);
  const { before, after } = await motor.requoted('HDFC ERGO', () => walk.press(/^Roadside assistance/));
  expect(after).not.toBe(before);
  const button = motor.card('HDFC ERGO').getByRole('button', { name: /^Buy now/ });
  await expect(button).toHaveAccessibleName(new RegExp(`₹${(after / 100).toLocaleString('en-IN')}`));

  // what others wrote over a price counts as what was read
  const said = motor.card('HDFC ERGO').locator('.option-amount');
  await said.evaluate((amount) => void (amount.textContent = '₹1,234'));
  await button.click();
  const notice = page.locator('.messages[data-answer]');
  await expect(notice).toContainText(/This price has changed: it's ₹[\d,.]+ now, and you saw ₹1,234/);
  await walk.reachable();
  await expect(page).toHaveURL(/quotes/);
  expect(await motor.price('HDFC ERGO')).toBe(after);
  await button.click();
  await walk.at('Owner of the car', '/checkout');
});

test('a browser that refuses cookies is told at once, with other ways', async ({ walk, page, product, context }) => {
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setDocumentCookieDisabled', { disabled: true });
  await page.route('**/*', async (route) => {
    const answer = await route.fetch({ headers: { ...route.request().headers(), cookie: '' } });
    const headers = { ...answer.headers() };
    delete headers['set-cookie'];
    await route.fulfill({ response: answer, headers });
  });
  await page.goto(`${product.base}/car-insurance`);
  const notice = page.getByRole('alert').filter({ hasText: 'This site needs cookies' });
  await expect(notice).toBeVisible();
  await expect(notice.getByRole('link', { name: /^Call 1800/ })).toHaveAttribute('href', /^tel:/);
  await expect(notice.getByRole('link', { name: 'Ask for a call' })).toHaveAttribute('href', '/call-me-back');
  await walk.reachable();

  // nothing is begun that would send a code, and the reason stands at the form too
  await walk.settled();
  await walk.type('Registration number', 'DL-3-CAB-1234');
  await walk.press('See my prices');
  await expect(page.getByText('This site needs cookies')).toHaveCount(2);
});

test('first pages keep what was typed over a reload, Back and the other language', async ({ walk, page }) => {
  await walk.open('/call-me-back');
  await walk.type('Your name', 'Asha Rao');
  await page.reload();
  await walk.settled();
  await expect(walk.field('Your name')).toHaveValue('Asha Rao');
  await page.goto(`${walk.product.base}/term-use`);
  await page.goBack();
  await walk.settled();
  await expect(walk.field('Your name')).toHaveValue('Asha Rao');
  await page.getByRole('link', { name: 'हिन्दी' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'hi');
  await walk.settled();
  await expect(page.locator('#name, [name=name]').first()).toHaveValue('Asha Rao');
});

test('without scripts a first page says so before anything is typed, and a wrong answer keeps what was typed', async ({ browser, product }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${product.base}/car-insurance`);
  const needed = page.locator('noscript .notice').filter({ hasText: 'This page needs JavaScript' });
  await expect(needed).toContainText('1800');
  await page.getByLabel('Registration number').fill('1234');
  await page.getByRole('button', { name: 'See my prices' }).click();
  await expect(needed).toContainText('1800');
  await expect(page.getByText(/enter the number as it appears on the plate/)).toBeVisible();
  await expect(page.getByLabel('Registration number')).toHaveValue('1234');
  await context.close();
});

test('without a chat partner there is help: ways to a person, in a window, in the language of the reader', async ({ browser }) => {
  const product = await Product.start({ JOURNEY_SANDBOX__CHAT: 'false' });
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  try {
    for (const [query, open, call] of [
      ['', 'Help', /^Call 1800/],
      ['?lang=hi', 'मदद', /1800/],
    ] as const) {
      await page.clock.install();
      await page.goto(`${product.base}/car-insurance${query}`);
      await page.clock.runFor(12_000);
      await page.getByRole('button', { name: open, exact: true }).click();
      const dialog = page.getByRole('dialog');
      await expect(dialog.getByRole('link', { name: call })).toBeInViewport();
      await expect(dialog.locator('a[href="/call-me-back"]')).toBeInViewport();
      await expect(dialog.locator('a[href^="https://wa.me/"]')).toBeInViewport();
      await page.keyboard.press('Escape');
      await expect(dialog).toBeHidden();
    }
  } finally {
    await page.close();
    await product.stop();
  }
});

for (const path of ['/', '/car-insurance', '/bike-insurance'])
  test(`the focus stays where it is when the app arrives at ${path}: the arrows go on through the first question`, async ({ page, product }) => {
    await page.goto(product.base + path);
    const answers = page.locator('form input[type=radio]');
    await answers.first().focus();
    await page.keyboard.press('ArrowRight');
    await expect(page.locator('#app[data-ready], .place[data-ready]')).toBeAttached();
    await expect(answers.nth(1)).toBeFocused();
    await page.keyboard.press('ArrowRight');
    await expect(answers.nth(2)).toBeFocused();
  });

test('a line that is lost is told below the header, wherever one has scrolled to', async ({ walk, page, context }) => {
  await page.setViewportSize({ width: 390, height: 600 });
  await new Motor(walk, car).number('DL-3-CAB-1234');
  await walk.at('Your contact details', '/contact');
  await page.evaluate(() => window.scrollTo(0, 200));
  await context.setOffline(true);
  const banner = page.locator('.banner');
  await expect(banner).toBeVisible();
  await expect
    .poll(() =>
      banner.evaluate((one) => {
        const { left, top, width, height } = one.getBoundingClientRect();
        return one.contains(document.elementFromPoint(left + width / 2, top + height / 2)) && one.contains(document.elementFromPoint(left + 4, top + 2));
      }),
    )
    .toBe(true);
  await walk.reachable();
  await context.setOffline(false);
});
