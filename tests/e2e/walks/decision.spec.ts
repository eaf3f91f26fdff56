/** An insurer who says neither yes nor no: the flow of no line of business (`tests/it/fixtures/papers`), as a customer sees it on a phone. */
import type { Page } from '@playwright/test';
import { Ahead } from '../support/ahead.ts';
import { Product } from '../support/product.ts';
import { Walk, expect, newMobile, test as base } from '../support/walk.ts';

const test = base.extend<{ walk: Walk }, { decides: Product }>({
  decides: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner wants a pattern
    async ({}, use) => {
      const product = await Product.startWithClock('papers');
      await use(product);
      await product.stop();
    },
    { scope: 'worker' },
  ],
  walk: async ({ page, decides }, use) => {
    await use(new Walk(page, decides));
  },
});

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

/** A request over the API up to the insurer, who answers by the last digit of the rupees; her number. */
async function asked(walk: Walk, page: Page, rupees: number): Promise<string> {
  const mobile = newMobile();
  const ahead = await Ahead.start(page, walk.product.base, 'papers/request', { name: 'Asha Rao', mobile, email: 'asha@example.com', price: rupees * 100 });
  await ahead.at('otp');
  await ahead.submit('otp', { code: await walk.code(mobile) });
  await ahead.open('confirm');
  await walk.at('Check your answers', '/papers/confirm');
  await walk.submit('Apply to House');
  return mobile;
}

/** The first free time of the second free day. */
async function book(walk: Walk, page: Page): Promise<void> {
  await walk.at('Choose a day and time', '/papers/appointment-time');
  await page.getByRole('radiogroup', { name: 'Day', exact: true }).getByRole('radio', { disabled: false }).nth(1).click();
  await page.getByRole('radiogroup', { name: /^Day and time: / }).getByRole('radio', { disabled: false }).first().click();
  await walk.submit('Book this time');
  await walk.at('Your appointment', '/papers/appointment');
}

/** Whoever came reports that nobody was there. */
async function misses(desk: Page, product: Product): Promise<void> {
  await desk.goto(`${product.base}/sandbox/partners/visits/v1/desk`);
  await desk.getByRole('button', { name: 'Nobody answered', exact: true }).click();
  await expect(desk.getByText(/^Reported: /)).toBeVisible();
}

const newest = async (product: Product, mobile: string) => (await product.messages(mobile))[0]?.text ?? '';

test('an appointment that is missed: she is told, chooses another time, and a second one ends the application', async ({ walk, page, context, decides }) => {
  const mobile = await asked(walk, page, 10_002);
  await walk.at('A test is needed', '/papers/status');
  await walk.press('Choose a time');
  await book(walk, page);
  const desk = await context.newPage();
  await misses(desk, decides);
  await expect(page.getByText('The appointment was missed. Please choose a new time.')).toBeVisible();
  await expect.poll(() => newest(decides, mobile)).toMatch(/we missed you at your appointment/);
  await book(walk, page);
  await misses(desk, decides);
  await walk.at('You withdrew your application', '/papers/withdrawn');
  await expect(page.getByText('The appointment was missed too often, so the application has ended. Nothing was taken.')).toBeVisible();
});

test('a block that is released: her bank keeps the money ready until she withdraws', async ({ walk, page, decides }) => {
  const mobile = await asked(walk, page, 20_002);
  await walk.at('A test is needed', '/papers/status');
  await walk.press('Keep the money ready');
  await expect(page).toHaveURL(/sandbox\/pages/, { timeout: 30_000 });
  await page.getByRole('button', { name: /20,002/ }).click();
  await walk.at('A test is needed', '/papers/status');
  await expect(page.getByText('₹20,002.00 is kept ready by your bank')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Keep the money ready' })).toHaveCount(0);
  await walk.press('Withdraw');
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
  await walk.at('You withdrew your application', '/papers/withdrawn');
  await expect(page.getByText(/money for it, it will be released/)).toBeVisible();
  await expect.poll(() => newest(decides, mobile), { timeout: 30_000 }).toMatch(/the ₹20,002\.00 blocked for House has been released/);
});

// the last one: eight days pass for the product
test('a counter-offer that expires: she sees the new price and why, is reminded, and after seven days it is gone', async ({ walk, page, decides }) => {
  const mobile = await asked(walk, page, 10_001);
  await walk.at('House makes another offer', '/papers/counter-offer');
  const row = page.getByRole('region', { name: 'Why it costs more' }).getByRole('row').nth(1);
  await expect(row.getByRole('cell')).toHaveText(['It stands very high', /25/, /10,001/, /12,501/]);
  decides.pass(3 * 24 * 60);
  await expect.poll(async () => (await decides.messages(mobile)).filter((one) => /new price/.test(one.text)).length, { timeout: 30_000 }).toBe(2);
  await walk.at('House makes another offer', '/papers/counter-offer');
  decides.pass(5 * 24 * 60);
  await walk.at('What is it about?', '/papers');
  // a reminder that was due meanwhile may go out beside it
  const over = async () => (await decides.messages(mobile)).some((one) => /the offer from House has expired\. Nothing was taken/.test(one.text));
  await expect.poll(over).toBe(true);
});
