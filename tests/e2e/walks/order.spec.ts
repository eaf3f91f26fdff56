/** Prices that arrive one after the other, on a phone: in order for who only looks, in their places for who has begun to read. */
import type { Page } from '@playwright/test';
import { Motor, car, paise } from '../support/motor.ts';
import { expect, test } from '../support/walk.ts';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

/** Prices of the first list from top to bottom, as they stand. */
async function prices(page: Page): Promise<number[]> {
  const shown = await page.locator('.options-list').first().locator('article:has(button:text-matches("^Buy now")) .option-amount').allTextContents();
  return shown.map(paise);
}

const rising = (amounts: number[]) => [...amounts].sort((a, b) => a - b);

test('phone: a fresh page is in the order that it names, and nothing moves while somebody reads (R2.10-01)', async ({ walk, page, product }) => {
  const motor = new Motor(walk, car);
  // some of them answer only when the page is being read
  const late = ['hdfc-ergo', 'icici-lombard', 'bajaj-allianz', 'reliance'];
  for (const partner of late) await product.switch({ partner, operation: 'quote', mode: 'hang' });
  await motor.toPrevious('dl3cab1234');
  await motor.previous();
  await expect(walk.heading('Your quotes')).toBeFocused();
  await expect.poll(async () => (await prices(page)).length).toBeGreaterThan(4);
  const first = await prices(page);
  expect(first).toEqual(rising(first));

  await page.mouse.wheel(0, 300);
  await page.waitForFunction(() => window.scrollY > 0);
  const stood = await prices(page);
  for (const partner of late) await product.switch({ partner, operation: 'quote', mode: 'normal' });
  for (const partner of ['HDFC ERGO', 'IndusInd']) await expect(motor.card(partner).getByRole('button', { name: /^Buy now/ })).toBeVisible({ timeout: 40_000 });
  const stand = await prices(page);
  expect(stand.length).toBeGreaterThan(stood.length);
  expect(stand.slice(0, stood.length)).toEqual(stood);

  const inOrder = page.getByRole('button', { name: /in order$/ });
  await inOrder.click();
  // who answers only now stands below again, and so does the button
  await expect(async () => {
    if (await inOrder.isVisible()) await inOrder.click();
    const shown = await prices(page);
    expect(shown).toEqual(rising(shown));
  }).toPass();
  const ordered = await prices(page);
  expect(ordered.length).toBeGreaterThanOrEqual(stand.length);

  await page.reload();
  await walk.at('Your quotes', '/quotes');
  await expect.poll(async () => (await prices(page)).length).toBeGreaterThanOrEqual(ordered.length);
  const again = await prices(page);
  expect(again).toEqual(rising(again));
});
