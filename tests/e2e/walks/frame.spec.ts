/** What stands around every page: header, menus, footer, chat, and how their links behave. */
import AxeBuilder from '@axe-core/playwright';
import { Product } from '../support/product.ts';
import { expect, runs, stopClock, test } from '../support/walk.ts';

const phone = { width: 390, height: 844 };
const desk = { width: 1280, height: 900 };

test('the header changes at 768 px and stays from 50 px of scrolling on (R2.2-12, R2.2-13)', async ({ page, product }) => {
  await page.setViewportSize({ width: 767, height: 800 });
  await page.goto(product.base);
  const bar = page.getByRole('banner');
  await expect(bar.getByRole('button', { name: 'Menu' })).toBeVisible();
  await expect(bar.getByRole('navigation', { name: 'Main' })).toBeHidden();
  await page.setViewportSize({ width: 768, height: 800 });
  await expect(bar.getByRole('button', { name: 'Menu' })).toBeHidden();
  await expect(bar.getByRole('navigation', { name: 'Main' })).toBeVisible();

  const top = () => bar.evaluate((one) => one.getBoundingClientRect().top);
  await page.evaluate(() => scrollTo({ top: 49, behavior: 'instant' }));
  await expect.poll(top).toBe(-49);
  await page.evaluate(() => scrollTo({ top: 51, behavior: 'instant' }));
  await expect.poll(top).toBe(0);
  await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
  await expect(page.locator('body')).not.toHaveAttribute('data-stuck');
});

test('the menu of a phone slides in and keeps the focus (R2.2-14)', async ({ page, product }) => {
  await page.setViewportSize(phone);
  await page.goto(product.base);
  const open = page.getByRole('banner').getByRole('button', { name: 'Menu' });
  await open.click();
  const menu = page.getByRole('navigation', { name: 'Menu' });
  await expect(menu).toBeVisible();
  await expect(menu.getByRole('button', { name: 'Close' })).toBeFocused();
  await expect(page.locator('main')).toHaveAttribute('inert');
  for (let presses = 0; presses < 24; presses += 1) {
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement === document.body || !!document.activeElement?.closest('#site-menu'))).toBe(true);
  }
  // items of a phone alone, and pictures beside words
  await expect(menu.getByRole('link', { name: 'Contact us' })).toBeVisible();
  await menu.getByText('Motor', { exact: true }).click();
  await expect(menu.getByRole('link', { name: 'Car insurance' })).toBeVisible();
  const found = await new AxeBuilder({ page }).include('#site-menu').analyze();
  expect(found.violations).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(menu).toBeHidden();
  await expect(open).toBeFocused();
  await expect(page.locator('main')).not.toHaveAttribute('inert');
  await open.click();
  await menu.getByRole('button', { name: 'Close' }).click();
  await expect(menu).toBeHidden();
});

test('links: a new tab, the same tab, the telephone, words alone, a whole page (R2.1-05, R2.1-06, R2.1-07, R2.1-08, R2.1-09, R2.2-18)', async ({ page, product }) => {
  await page.setViewportSize(desk);
  await page.goto(`${product.base}/car-insurance`);
  const foot = page.getByRole('contentinfo');
  const away = foot.getByRole('link', { name: 'Vehicle services of the ministry' });
  await expect(away).toHaveAttribute('target', '_blank');
  await expect(page.getByRole('banner').getByRole('link', { name: '24/7 assistance' })).toHaveAttribute('href', /^tel:/);

  const main = page.getByRole('navigation', { name: 'Main' });
  const before = page.url();
  await main.getByText('Health', { exact: true }).click();
  expect(page.url()).toBe(before);
  await expect(main.getByText('Free')).toBeVisible();
  await page.evaluate(() => Object.assign(window, { stays: true }));
  const later = runs(page, 'later');
  await main.getByRole('link', { name: 'Health insurance' }).click();
  await expect(page).toHaveURL(`${product.base}/health-insurance`);
  expect(await page.evaluate(() => 'stays' in window)).toBe(false);
  // another press closes what is open
  await later();
  await main.getByText('Motor', { exact: true }).click();
  await expect(main.getByRole('link', { name: 'Insurers for cars' })).toBeVisible();
  await page.getByRole('contentinfo').click({ position: { x: 2, y: 2 } });
  await expect(main.getByRole('link', { name: 'Insurers for cars' })).toBeHidden();

  // where the item says so, another site opens in this tab
  await page.goto(`${product.base}/sme`);
  await page.route('https://msme.gov.in/**', (route) => route.fulfill({ body: 'Small enterprises' }));
  await foot.getByRole('link', { name: 'Small enterprises at the ministry' }).click();
  await expect(page).toHaveURL('https://msme.gov.in/');
  expect(page.context().pages()).toHaveLength(1);
});

test('the business header says whom to call and what to press (R2.2-20, R6-09)', async ({ page, product }) => {
  for (const viewport of [phone, desk]) {
    await page.setViewportSize(viewport);
    await page.goto(`${product.base}/sme`);
    const bar = page.getByRole('banner');
    await bar.getByText('Call Us').click();
    await expect(bar.getByRole('link', { name: /Sales/ })).toBeVisible();
    await expect(bar.getByRole('link', { name: /Support/ })).toBeVisible();
    await expect(bar.getByText('press 3 for business insurance')).toBeVisible();
  }
});

test('what a page leaves out is not displayed (R2.2-01, R2.2-02, R2.2-07)', async ({ page, product }) => {
  for (const viewport of [phone, desk]) {
    await page.setViewportSize(viewport);
    const shown = async (path: string) => {
      await page.goto(product.base + path);
      const bar = page.getByRole('banner');
      return {
        menu: (await bar.getByRole('button', { name: 'Menu' }).isVisible()) || (await bar.getByRole('navigation').isVisible()),
        foot: await page.getByRole('contentinfo').isVisible(),
        call: await bar.locator('a[href^="tel:"]').isVisible(),
        secure: await bar.getByText('Secure', { exact: true }).isVisible(),
      };
    };
    expect(await shown('/')).toEqual({ menu: true, foot: true, call: true, secure: false });
    expect(await shown('/car-insurance/quotes')).toEqual({ menu: false, foot: false, call: true, secure: true });
    expect(await shown('/health-insurance/document-upload')).toEqual({ menu: false, foot: false, call: false, secure: false });
    expect(await shown('/car-insurance/buy-now')).toEqual({ menu: true, foot: false, call: true, secure: false });
  }
});

test('the chat comes late and for cars alone; the page that was open is noted (R2.2-22, R7.2-21, R9-50)', async ({ page, product }) => {
  await stopClock(page);
  const scripts: string[] = [];
  page.on('request', (request) => scripts.push(new URL(request.url()).pathname));
  const chat = page.locator('.site-chat');
  let later = runs(page, 'later');
  await page.goto(`${product.base}/car-insurance`);
  await page.clock.runFor(1_500);
  await later();
  expect(await page.evaluate(() => localStorage.getItem('lastvisit'))).toBe(null);
  await page.clock.runFor(1_500);
  await expect.poll(() => page.evaluate(() => localStorage.getItem('lastvisit'))).toBe('/car-insurance');
  expect(scripts).not.toContain('/chat.js');
  await page.clock.runFor(7_000);
  await expect(chat).toBeVisible();
  await expect(chat).not.toHaveAttribute('data-placed');
  await page.clock.runFor(2_000);
  await expect(chat).toHaveAttribute('data-placed');
  // on a phone it covers nothing that somebody types in
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(chat).toHaveCSS('position', 'fixed');
  // the field is the app's from the first focus on: it counts once the app is there
  await expect(async () => {
    await page.getByLabel('Registration number').focus();
    await expect(chat).toHaveCSS('position', 'static', { timeout: 1_000 });
  }).toPass();
  // nor, on a desk, what somebody is asked to pay: once a journey has begun it waits at the end
  await page.setViewportSize(desk);
  await expect(chat).toHaveCSS('position', 'fixed');
  await page.evaluate(() => document.body.setAttribute('data-begun', ''));
  await expect(chat).toHaveCSS('position', 'static');

  scripts.length = 0;
  later = runs(page, 'later');
  await page.goto(`${product.base}/health-insurance`);
  await page.clock.runFor(1_500);
  await later();
  await page.clock.runFor(15_000);
  expect(scripts).not.toContain('/chat.js');
  await expect(chat).toHaveCount(0);
});

test('the chat goes and comes with the steps that have it: after 200 ms, or 10 s while it is not there yet (R9-58)', async ({ page, product }) => {
  await stopClock(page);
  const chat = page.locator('.site-chat');
  const hide = (parts: string) => page.evaluate((names) => void (document.body.dataset.hide = names), parts);
  const later = runs(page, 'later');
  await page.goto(`${product.base}/car-insurance`);
  await page.clock.runFor(1_500);
  await later();
  await hide('chat');
  await page.clock.runFor(10_000);
  expect(await chat.count()).toBe(0);
  const asked = page.waitForRequest('**/chat.js');
  await hide('');
  await page.clock.runFor(9_900);
  expect(await chat.count()).toBe(0);
  await page.clock.runFor(200);
  await asked;
  await expect(chat).toBeVisible();

  for (const [parts, visible] of [
    ['chat', true],
    ['', false],
  ] as const) {
    await hide(parts);
    await page.clock.runFor(150);
    expect(await chat.isVisible()).toBe(visible);
    await page.clock.runFor(100);
    expect(await chat.isVisible()).toBe(!visible);
  }
});

test('five questions are shown, the rest after a press; each opens and closes (R9-42, R4-47)', async ({ page, product }) => {
  await page.goto(`${product.base}/health-insurance`);
  const questions = page.locator('[data-block=faq] .faq');
  await expect(questions).toHaveCount(9);
  await expect(questions.nth(4)).toBeVisible();
  await expect(questions.nth(5)).toBeHidden();
  await page.getByText('4 more questions').click();
  await expect(questions.nth(8)).toBeVisible();
  const answer = questions.first().locator('p');
  await questions.first().locator('summary').click();
  await expect(answer).toBeVisible();
  await questions.first().locator('summary').click();
  await expect(answer).toBeHidden();
});

test('a page whose row is not there is the page that is shown in its place (R2.1-26)', async ({ page, product }) => {
  expect((await page.goto(`${product.base}/car-insurance/companies/nobody`))!.status()).toBe(404);
  await expect(page.getByRole('heading', { level: 1, name: 'Page not found' })).toBeVisible();
  await expect(page.getByText("Oops! We can't seem to find the page you're looking for.")).toBeVisible();
  await page.getByRole('main').getByRole('link', { name: 'Go to the home page' }).click();
  await expect(page).toHaveURL(`${product.base}/`);
});

test('the slider of the home page turns and can be stopped (R9-56)', async ({ page, product }) => {
  await stopClock(page);
  await page.setViewportSize(phone);
  await page.goto(product.base);
  await page.clock.runFor(1_500);
  const stop = page.getByRole('button', { name: 'Pause' });
  await expect(stop).toBeVisible();
  const slides = page.locator('.slides');
  const left = () => slides.evaluate((list) => list.scrollLeft);
  expect(await left()).toBeLessThan(10);
  const arrived = slides.evaluate((list) => new Promise((resolve) => list.addEventListener('scrollend', () => resolve(true), { once: true })));
  await page.clock.runFor(4_600);
  await arrived;
  expect(await left()).toBeGreaterThan(100);
  await stop.click();
  const play = page.getByRole('button', { name: 'Play' });
  await expect(play).toBeVisible();
  const still = await left();
  await page.clock.runFor(9_200);
  expect(await left()).toBe(still);
  await play.click();
  await page.clock.runFor(4_600);
  await expect.poll(left).not.toBe(still);
});

test('a step without its journey is its first form at that address, with its query', async ({ page, walk, product }) => {
  await page.goto(`${product.base}/car-insurance/quotes?city=pune`);
  await walk.settled();
  await expect(page).toHaveURL(`${product.base}/car-insurance/quotes?city=pune`);
  await page.getByLabel('Registration number').fill('DL-3-CAB-1234');
  await page.getByRole('button', { name: 'See my prices' }).click();
  await expect(page).toHaveURL(/\/contact\?request=/);
  // the old address shows where the request is now, and changes nothing
  const request = new URL(page.url()).searchParams.get('request');
  const here = new URL(page.url()).pathname;
  await page.goto(`${product.base}/car-insurance?request=${request}`);
  await walk.settled();
  await expect.poll(() => new URL(page.url()).pathname).toBe(here);
});

test('the bar of the business pages is one line on every phone', async ({ page, product }) => {
  for (const width of [390, 360, 320]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(`${product.base}/sme`);
    const { height } = (await page.getByRole('banner').boundingBox())!;
    expect(height, `${width} px`).toBeLessThan(70);
    await page.getByRole('banner').getByText('Call Us').click({ force: true });
    await expect(page.getByRole('banner').getByRole('link', { name: /Sales/ })).toBeVisible();
  }
});

test('the bar of every page is one line on every phone, in English and in Hindi', async ({ page, product }) => {
  for (const language of ['en', 'hi'])
    for (const width of [390, 360, 320]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${product.base}/car-insurance?lang=${language}`);
      const { height } = (await page.getByRole('banner').boundingBox())!;
      expect(height, `${language}, ${width} px`).toBeLessThan(70);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
});

test('visits are counted 3,200 ms after the page, where the settings name who counts and the visitor agrees (R9-57)', async ({ page }) => {
  const product = await Product.start({ JOURNEY_PARTNERS__HOSTS__VISITS__URL: 'https://visits.example', JOURNEY_PARTNERS__HOSTS__VISITS__SCRIPT: 'true' });
  try {
    let asked = 0;
    await page.route('https://visits.example/**', (route) => {
      asked += 1;
      return route.fulfill({ contentType: 'text/javascript', body: 'document.documentElement.dataset.counted = "";' });
    });
    const question = page.getByRole('complementary', { name: /^May we count this visit/ });
    const counted = page.locator('html[data-counted]');
    const open = async (path: string) => {
      const later = runs(page, 'later');
      await page.goto(product.base + path);
      await page.clock.runFor(1_500);
      await later();
      await page.clock.runFor(1_650);
    };
    await stopClock(page);
    await open('/terms-of-use');
    await expect(question).toHaveCount(0);
    await page.clock.runFor(100);
    await expect(question).toBeVisible();
    expect(asked).toBe(0);
    await question.getByRole('button', { name: 'Yes, count it' }).click();
    await expect(counted).toBeAttached();
    await expect(question).toHaveCount(0);
    // agreed once: on the next page nobody is asked
    await open('/privacy-policy');
    expect(asked).toBe(1);
    await page.clock.runFor(100);
    await expect(counted).toBeAttached();
    await expect(question).toHaveCount(0);
    // the visit of who said no is not counted
    await page.evaluate(() => localStorage.setItem('visit-counted', 'no'));
    asked = 0;
    await open('/privacy-policy');
    await page.clock.runFor(5_000);
    expect(asked).toBe(0);
    await expect(question).toHaveCount(0);
  } finally {
    await product.stop();
  }
});

test('the reference of the API names every call, by day and by night, and hinders nobody', async ({ walk, page, product }) => {
  const described = (await (await fetch(`${product.base}/openapi.json`)).json()) as { paths: Record<string, object> };
  const calls = Object.entries(described.paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`));
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto(`${product.base}/docs`);
    await expect(walk.heading('API reference')).toBeVisible();
    const named = await page.locator('td:first-child').allTextContents();
    expect(calls.filter((call) => !named.includes(call))).toEqual([]);
    await walk.accessible();
  }
});
