/** What stands on a page before its scripts have come, and that nothing of it is lost or moves when they do. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { Product } from '../support/product.ts';
import { expect, hold, settled, test } from '../support/walk.ts';

/** Every page in every width, with a picture. */
const isLong = process.env.E2E_EXAMPLES === 'all';
const web = resolve(import.meta.dirname, '../../../web');
const widths = [
  { width: 390, height: 844 },
  { width: 1280, height: 900 },
];

for (const viewport of widths) {
  test.describe(`${viewport.width} px, no scripts`, () => {
    test.use({ viewport, javaScriptEnabled: false });

    test('home and every first step are whole pages', async ({ page, product }) => {
      expect(product.landings.length).toBeGreaterThan(2);
      for (const path of ['/', ...product.landings]) {
        await page.goto(product.base + path);
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        await expect(page.getByRole('banner')).toBeVisible();
        await expect(page.locator('.spinner, .skeleton')).toHaveCount(0);
        // a line that is slow paints the beginning of a document first: on a phone nothing that comes later pushes it down; the way on stands at the window's edge
        if (viewport.width < 400) {
          const tops = await page.locator('main :is(h1, h2, .lead, .points, .field)').evaluateAll((all) =>
            all.filter((one) => one.checkVisibility() && getComputedStyle(one).position === 'static' && one.getBoundingClientRect().height > 1).map((one) => one.getBoundingClientRect().top),
          );
          expect(tops, path).toEqual([...tops].sort((one, other) => one - other));
        }
        if (path !== '/') {
          await expect(page.locator('form .field').first(), path).toBeVisible();
          await expect(page.locator('form button[type=submit]')).toBeVisible();
        }
        if (isLong) await page.screenshot({ path: join(import.meta.dirname, `../pictures/plain${path.replace(/\W+/g, '-').replace(/^-$/, '-home')}-${viewport.width}.png`), fullPage: true });
      }
    });

    test('a first step can be sent; the next one says that it needs scripts', async ({ page, product }) => {
      await page.goto(`${product.base}/car-insurance`);
      await page.getByLabel('Registration number').fill('DL-3-CAB-1234');
      await page.getByRole('button', { name: 'See my prices' }).click();
      await expect(page).toHaveURL(/request=/);
      await expect(page.locator('noscript p')).toBeVisible();
      await expect(page.locator('noscript p')).toContainText('This page needs JavaScript');
    });
  });
}

test('a press before the scripts are there starts the journey; with an error it comes back with what was typed', async ({ page, walk, product }) => {
  const release = await hold(page, '**/assets/*.js');
  await page.goto(`${product.base}/car-insurance`, { waitUntil: 'commit' });
  await page.getByLabel('Registration number').fill('nonsense');
  const refused = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.getByRole('button', { name: 'See my prices' }).click({ noWaitAfter: true });
  expect((await refused).status()).toBe(422);
  release();
  await walk.settled();
  await expect(page.getByLabel('Registration number')).toHaveValue('nonsense');
  await expect(page.getByLabel('Registration number')).toBeFocused();
  await walk.accessible();

  await page.getByLabel('Registration number').fill('DL-3-CAB-1234');
  await page.getByRole('button', { name: 'See my prices' }).click();
  await expect(page).toHaveURL(/request=/);
});

test('what is typed before the scripts are there stays, with the caret', async ({ page, walk, product }) => {
  const release = await hold(page, '**/assets/*.js');
  await page.goto(`${product.base}/car-insurance`, { waitUntil: 'commit' });
  const field = page.getByLabel('Registration number');
  await field.fill('DL-3-CAB-124');
  await field.press('ArrowLeft');
  release();
  await walk.settled();
  await expect(field).toBeFocused();
  await page.keyboard.type('3');
  await expect(field).toHaveValue('DL 3 CAB 1234');
  await page.getByRole('button', { name: 'See my prices' }).click();
  await expect(page).toHaveURL(/request=/);
});

/** Where every element of the drawn step stands that is shown. */
const places = (page: Page) =>
  page.locator('#app').evaluate((app) =>
    [...app.querySelectorAll('*')].filter((one) => one.checkVisibility()).map((one) => {
      const { x, y, width, height } = one.getBoundingClientRect();
      return { what: `${one.tagName}#${one.id}.${one.className}`, x, y, width, height };
    }),
  );

test.describe('every example', () => {
  const built = mkdtempSync(join(tmpdir(), 'journey-web-'));
  let product: Product;
  test.beforeAll(async () => {
    // React's development build says what its own build only mends
    execFileSync('npx', ['vite', 'build', '--mode', 'development', '--minify', 'false', '--logLevel', 'error', '--outDir', built, '--emptyOutDir'], {
      cwd: web,
      env: { ...process.env, NODE_ENV: 'development' },
    });
    product = await Product.start({ JOURNEY_SERVER__WEB_DIR: built });
  });
  test.afterAll(async () => {
    await product?.stop();
    rmSync(built, { recursive: true, force: true });
  });

  for (const viewport of widths) {
    test(`is taken over as it stands, ${viewport.width} px`, async ({ browser }) => {
      const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
      const page = await context.newPage();
      const said: string[] = [];
      let isDevelopment = false;
      page.on('console', (message) => {
        // the one line that React's development build says of itself
        const own = message.text().includes('Download the React DevTools');
        if (own) isDevelopment = true;
        else said.push(message.text());
      });
      page.on('pageerror', (error) => said.push(error.message));
      let release = () => {};
      let held = Promise.resolve();
      await page.route('**/assets/*.js', async (route) => {
        await held;
        await route.continue();
      });
      await page.goto(`${product.base}/gallery`);
      const names = await page.locator('main a').allTextContents();
      expect(names.length).toBeGreaterThan(25);
      const all = [...names.map((name) => `/gallery/${name}`), ...product.landings];
      // most are drawn alike on a desk, and first steps are alike
      const every = isLong ? 1 : viewport.width > 390 ? 6 : 2;
      for (const path of all.filter((_, at) => at % every === 0)) {
        held = new Promise((go) => (release = go));
        await page.goto(product.base + path, { waitUntil: 'commit' });
        await page.locator('footer').waitFor({ state: 'attached' });
        await page.waitForFunction(() => [...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')].every((link) => link.sheet));
        await page.evaluate(() => document.fonts.ready);
        const drawn = await page.locator('#app').evaluateHandle((app) => app.firstElementChild);
        const before = await places(page);
        release();
        await settled(page);
        await page.evaluate(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))));
        const after = await places(page);
        expect(after.map((one) => one.what), path).toEqual(before.map((one) => one.what));
        for (const [index, one] of before.entries()) {
          for (const side of ['x', 'y', 'width', 'height'] as const) {
            expect(Math.abs(one[side] - after[index]![side]), `${path}: ${one.what} ${side}`).toBeLessThanOrEqual(1);
          }
        }
        expect(await drawn.evaluate((node) => node?.isConnected), `${path} keeps its elements`).toBe(true);
        expect(said, path).toEqual([]);
      }
      expect(isDevelopment).toBe(true);
      await context.close();
    });
  }
});

for (const viewport of widths)
  test(`nothing moves when the letters come late, ${viewport.width} px`, async ({ page, walk }) => {
    await page.setViewportSize(viewport);
    const drawn = () => page.evaluate(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))));
    /** Of every text in the window, how many lines it has. */
    const lines = () =>
      page.locator('body').evaluate((body) => {
        const texts = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
        const all: { text: string; lines: number }[] = [];
        for (let node = texts.nextNode(); node; node = texts.nextNode()) {
          const range = document.createRange();
          range.selectNodeContents(node);
          const boxes = [...range.getClientRects()].filter((box) => box.width > 1 && box.top < innerHeight);
          if (boxes.length > 0) all.push({ text: node.textContent ?? '', lines: new Set(boxes.map((box) => Math.round(box.top / 8))).size });
        }
        return all;
      });
    for (const path of ['/', '/car-insurance']) {
      const letters = await hold(page, /\.woff2$/);
      await page.goto(walk.product.base + path, { waitUntil: 'domcontentloaded' });
      await expect(walk.heading(/insurance/i)).toBeVisible();
      await drawn();
      const before = new Map((await lines()).map((one) => [one.text, one.lines]));
      letters();
      await page.evaluate(() => document.fonts.ready);
      await drawn();
      const wrapped = (await lines()).filter((one) => before.has(one.text) && before.get(one.text) !== one.lines);
      expect(before.size, path).toBeGreaterThan(10);
      // the letters of the device are as wide on average, not each of them
      expect(wrapped.length, JSON.stringify(wrapped)).toBeLessThanOrEqual(1);
    }
  });
