/** Prices that run out while somebody looks at them: they are asked for again where she is, and she agrees to another one. */
import { type Locator, type Page, expect, test as base } from '@playwright/test';
import { Motor, car, paise } from '../support/motor.ts';
import { Product } from '../support/product.ts';
import { Walk } from '../support/walk.ts';

// a product of its own: its clock is moved, and an insurer changes its prices
const test = base.extend<object, { late: Product }>({
  late: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner wants a pattern
    async ({}, use) => {
      const product = await Product.startWithClock();
      await use(product);
      await product.stop();
    },
    { scope: 'worker' },
  ],
});

const discount = /(\[hdfc-ergo, fw, 3652, )\d+/;
/** From here on one insurer gives so many per cent less than its tariff. */
const gives = (product: Product, percent: number) =>
  product.edit('workflows/partners/kits/general-insurer/discounts.sandbox.yaml', (rates) => rates.replace(discount, `$1${percent}`));

/** A notice that is read out, stands in the window and covers nothing of the bar. */
async function told(page: Page, words: string | RegExp): Promise<Locator> {
  const notice = page.getByRole('status').filter({ hasText: words });
  await expect(notice).toBeVisible({ timeout: 30_000 });
  await expect(async () => {
    const box = (await notice.boundingBox())!;
    expect(box.y).toBeGreaterThanOrEqual(0);
    expect(box.y + box.height).toBeLessThanOrEqual(page.viewportSize()!.height);
  }).toPass();
  return notice;
}

/** The amount on the button. */
const due = async (pay: Locator) => paise((await pay.textContent())!);

for (const [width, height, change] of [
  [390, 844, true],
  [1280, 900, false],
] as const)
  test(`${width} px: ${change ? 'another' : 'the same'} price at the offers and before the payment (R7.3-02, R7.3-04)`, async ({ page, late: product }) => {
    await page.setViewportSize({ width, height });
    const walk = new Walk(page, product);
    walk.axe = width < 768;
    const motor = new Motor(walk, car);
    const held = page.getByText(/^Prices held till \d/);

    await test.step('the offers say until when they hold; after that a press asks again in place', async () => {
      await motor.toQuotes('dl3cab1234');
      await motor.quotes(20);
      const till = await held.textContent();
      const before = await motor.price('HDFC ERGO');
      if (change) await gives(product, 44);
      product.pass(31);
      // far down the page, on the last card
      await motor.cards().last().getByRole('button', { name: /^Buy now/ }).click();
      await told(page, 'This price has expired');
      await expect(page.locator('#step-messages')).toBeFocused();
      await walk.at('Your quotes', '/quotes');
      await expect(held).not.toHaveText(till!, { timeout: 30_000 });
      await expect(motor.card('HDFC ERGO').getByText('Updating')).toHaveCount(0, { timeout: 30_000 });
      const was = motor.card('HDFC ERGO').locator('.option-was');
      if (!change) return expect(was).toHaveCount(0);
      await expect(was).toHaveText(/^Before: ₹[\d,.]+, now:$/);
      expect(paise((await was.locator('s').textContent())!)).toBe(before);
      expect(await motor.price('HDFC ERGO')).toBeGreaterThan(before);
    });

    await test.step('before the payment it is asked again in place, and nobody pays another price with one press', async () => {
      await motor.buy('HDFC ERGO');
      await walk.at('Owner of the car', '/checkout');
      await motor.toCheck();
      await walk.at('Check your answers', '/confirm');
      const till = page.locator('.facts > div').filter({ hasText: 'Price held till' }).locator('dd').first();
      const [until, pay] = [await till.textContent(), page.getByRole('button', { name: /^Pay ₹[\d,]+ securely$/ })];
      const before = await due(pay);
      if (change) await gives(product, 38);
      product.pass(31);
      await pay.click();
      await told(page, change ? /^The price had expired, so we asked again\. It was ₹[\d,.]+ and is now ₹[\d,.]+; nothing was charged\./ : /It's still ₹[\d,.]+; nothing was charged\./);
      await walk.at('Check your answers', '/confirm');
      // an insurer that answers at once leaves her on the page, where the notice has the focus; after a wait its heading has it
      await expect(page.locator(':is(#step-title, #step-messages):focus')).toHaveCount(1);
      await expect(walk.heading('Check your answers')).toHaveAccessibleDescription(/so we asked again/);
      await expect(till).not.toHaveText(until!);
      const now = await due(pay);
      if (change) expect(now).toBeGreaterThan(before);
      else expect(now).toBe(before);
      await pay.click();
      await expect(page).toHaveURL(/sandbox\/pages/, { timeout: 30_000 });
    });
  });

test('who comes back to the page after the prices have run out finds new ones; meanwhile nobody was asked', async ({ page, late: product }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const walk = new Walk(page, product);
  walk.axe = false;
  const motor = new Motor(walk, car);
  const held = page.getByText(/^Prices held till \d/);
  const turns = async (to: 'hidden' | 'visible') =>
    page.evaluate((state) => {
      Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, to);
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/events')) asked.push(JSON.parse(request.postData()!).type);
  });

  await page.clock.install();
  await motor.toQuotes('dl3cab1234');
  await motor.quotes(20);
  const [till, before] = [await held.textContent(), await motor.price('HDFC ERGO')];
  await gives(product, 40);
  await turns('hidden');
  product.pass(31);
  await page.clock.fastForward('31:00');
  // who looks away asks and hears nothing
  expect(asked).toEqual([]);

  await turns('visible');
  await expect.poll(() => asked, { timeout: 30_000 }).toHaveLength(1);
  await expect(held).not.toHaveText(till!, { timeout: 30_000 });
  await expect(motor.card('HDFC ERGO').getByText('Updating')).toHaveCount(0, { timeout: 30_000 });
  expect(await motor.price('HDFC ERGO')).not.toBe(before);
  await expect(motor.card('HDFC ERGO').locator('.option-was')).toHaveText(/^Before: ₹/);
  expect(asked).toHaveLength(1);
  await walk.at('Your quotes', '/quotes');
});
