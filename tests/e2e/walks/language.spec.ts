/** Another language: chosen by a link of the header, kept by the browser, also in the middle of a journey. */
import { Motor, car } from '../support/motor.ts';
import type { Page } from '@playwright/test';
import words from '../../../web/dev/words.json' with { type: 'json' };
import { expect, test } from '../support/walk.ts';

/** What the app itself says in English and would say otherwise in Hindi, as it would stand on the page. */
const english = new Set(Object.entries(words.en).flatMap(([name, text]) => (text.includes('{{') || text === words.hi[name as keyof typeof words.hi] ? [] : [text])));

/** Sentences of the app that are on the page in English, seen or only heard. */
const inEnglish = async (page: Page): Promise<string[]> => {
  const said = await page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, (node) => (node.parentElement?.closest('script, style') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
    const all: string[] = [];
    while (texts.nextNode()) all.push((texts.currentNode.nodeValue ?? '').trim());
    for (const one of document.querySelectorAll('[aria-label]')) all.push(one.getAttribute('aria-label') ?? '');
    return all;
  });
  return said.filter((text) => english.has(text));
};

test('Hindi is chosen in the header and holds on every page; a journey goes on where it was', async ({ walk, page, product }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const header = page.getByRole('banner');
  await page.goto(product.base);
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await header.getByRole('link', { name: 'हिन्दी' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'hi');
  await expect(page).toHaveURL(`${product.base}/`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/[\u0900-\u097f]/);

  await page.goto(`${product.base}/car-insurance`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/[\u0900-\u097f]/);
  await header.getByRole('link', { name: 'English' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');

  const motor = new Motor(walk, car);
  await motor.number('KA1AB0405');
  await walk.at('Your contact details', '/contact');
  const address = page.url();
  await header.getByRole('link', { name: 'हिन्दी' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('आपका संपर्क');
  expect(page.url()).toBe(address);
  await page.getByRole('button', { name: 'वन-टाइम पासवर्ड भेजें' }).click();
  await expect(page.locator('.field-error').first()).toHaveText(/[\u0900-\u097f]/);
  await expect(page.locator('.error-summary h2')).toHaveText('कृपया 2 जवाब जाँचें');
  expect(await inEnglish(page)).toEqual([]);
});

test('a step with yes and no, and the offers, say nothing of the app in English', async ({ walk, page }) => {
  walk.axe = false;
  const motor = new Motor(walk, car);
  await motor.toPrevious('DL-3-CAB-1234');
  await walk.at('Your previous policy');
  const say = async (language: string) => {
    await page.goto(`${page.url()}${page.url().includes('?') ? '&' : '?'}lang=${language}`);
    await walk.settled();
  };
  await say('hi');
  await expect(page.getByRole('radio', { name: 'नहीं' }).first()).toBeVisible();
  expect(await inEnglish(page)).toEqual([]);
  await say('en');
  await motor.previous();
  await motor.quotes(20);
  await say('hi');
  await expect(page.getByRole('article').first()).toBeVisible();
  expect(await inEnglish(page)).toEqual([]);
});

test('with `?lang=hi` a page says nothing of its own in English: landing, popup, step', async ({ page, product }) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  for (const path of ['/', ...product.landings]) {
    await page.goto(`${product.base}${path}?lang=hi`);
    await expect(page.locator('html')).toHaveAttribute('lang', 'hi');
    expect(await inEnglish(page), path).toEqual([]);
  }
  await page.goto(`${product.base}/#login`);
  await expect(page.getByRole('heading', { name: 'लॉग इन करें' })).toBeVisible();
  expect(await inEnglish(page)).toEqual([]);
});

test.describe('a browser that prefers Hindi', () => {
  test.use({ locale: 'hi-IN' });

  test('is offered Hindi once, in Hindi, where nothing moves', async ({ page, product }) => {
    await page.goto(`${product.base}/car-insurance`);
    const offer = page.getByRole('complementary', { name: 'क्या आप यह साइट हिन्दी में पढ़ना चाहेंगे?' });
    await expect(offer).toHaveAttribute('lang', 'hi');
    await offer.getByRole('button', { name: 'बंद करें' }).click();
    await expect(offer).toHaveCount(0);
    await page.reload();
    await page.waitForFunction(() => performance.getEntriesByType('resource').some((one) => one.name.includes('/later-')));
    await page.waitForLoadState('networkidle');
    await expect(offer).toHaveCount(0);
  });

  test('takes it, and then nothing is offered back', async ({ page, product }) => {
    await page.goto(product.base);
    await page.getByRole('link', { name: 'हाँ, हिन्दी में' }).click();
    await expect(page.locator('html')).toHaveAttribute('lang', 'hi');
    await page.waitForLoadState('networkidle');
    await expect(page.locator('aside.begun')).toHaveCount(0);
  });
});

test('nothing is offered to a browser that prefers the language of the page', async ({ page, product }) => {
  await page.goto(product.base);
  await page.waitForFunction(() => performance.getEntriesByType('resource').some((one) => one.name.includes('/later-')));
  await page.waitForLoadState('networkidle');
  await expect(page.locator('aside.begun')).toHaveCount(0);
});
