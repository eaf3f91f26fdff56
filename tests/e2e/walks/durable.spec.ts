/** Nothing she has typed or been told is lost: not by a reload, another tab, Back, or the death of the product. */
import { Motor, car } from '../support/motor.ts';
import { Product } from '../support/product.ts';
import { Walk, expect, test as base } from '../support/walk.ts';

// a product of its own: it is killed
const test = base.extend<{ walk: Walk; mortal: Product }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner wants a pattern
  mortal: async ({}, use) => {
    const product = await Product.start();
    await use(product);
    await product.stop();
  },
  walk: async ({ page, mortal }, use) => {
    await use(new Walk(page, mortal));
  },
});

test.use({ viewport: { width: 1280, height: 900 } });

test('reload and another tab at every step, Back, and kill -9 after the quotes and during payment', async ({ walk, page, context, mortal }) => {
  const motor = new Motor(walk, car);
  /** The same step with the same values, here and in another tab. */
  const same = async () => {
    // before a journey begins nothing that names somebody is kept
    if (!page.url().includes('request=')) return;
    const [title, typed] = [await page.getByRole('heading', { level: 1 }).textContent(), await walk.typed()];
    await page.reload();
    await walk.settled();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(title!);
    await expect.poll(() => walk.typed()).toEqual(typed);
    const tab = await context.newPage();
    const other = new Walk(tab, mortal);
    await tab.goto(page.url());
    await other.settled();
    await expect(tab.getByRole('heading', { level: 1 })).toHaveText(title!);
    await expect.poll(() => other.typed()).toEqual(typed);
    await tab.close();
  };
  walk.axe = false;
  walk.leaving = async () => {
    // a one-time password is never kept
    if (page.url().includes('/otp')) return;
    await expect(page.locator('.saved[data-state="saving"], .saved[data-state="unsaved"]')).toHaveCount(0);
    await same();
  };
  const killed = async () => {
    await mortal.kill();
    await mortal.up();
  };

  await motor.number('dl3cab1234');
  await motor.contact();
  await motor.otp();
  await motor.vehicle();
  await motor.previous();
  await motor.quotes(20);

  // the browser's Back goes to answered steps; the answers stand
  await page.goBack();
  await walk.at('Your previous policy', '/previous-policy');
  await page.goBack();
  await walk.at('Is this your car?', '/vehicle');
  await walk.submit('Yes, this is my car');
  await walk.at('Your previous policy', '/previous-policy');
  await walk.submit('See prices');
  await motor.quotes(20);

  await same();
  const offers = () => motor.cards().locator('h3, .option-amount').allTextContents();
  const before = await offers();
  await killed();
  await page.reload();
  await walk.at('Your quotes', '/quotes');
  // nothing of what stood there is lost; who answered late has joined it
  const lost = async () => {
    const now = await offers();
    return before.filter((words) => !now.includes(words));
  };
  await expect.poll(lost).toEqual([]);

  await motor.buy('HDFC ERGO');
  await motor.person();
  await motor.address();
  await walk.at('Your nominee', '/checkout-nominee');
  await walk.back();
  await walk.at('Your address', '/checkout-address');
  await expect(walk.field('House and building')).toHaveValue('12 Lake View');
  await walk.submit('Continue');
  await motor.nominee();
  await motor.papers();
  await motor.kyc();
  await walk.at('Check your answers', '/confirm');
  const journey = page.url().replace('/confirm', '/payment');
  await walk.submit(/^Pay ₹/);

  await expect(page).toHaveURL(/sandbox\/pages/, { timeout: 30_000 });
  await killed();
  await page.goto(journey);
  await walk.at('Pay the premium', '/payment');
  await walk.press('Go to the payment page');
  await motor.pay('Fails now, debited later');
  await walk.at('The payment did not go through', '/payment-fail');
  await killed();
  await page.reload();
  // the money comes although the bank had refused, and nobody asks her to pay again
  await motor.issued();
});
