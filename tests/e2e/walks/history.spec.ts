/** The browser's Back and Forward at every step of a purchase keep her place and her answers. */
import { Motor, car } from '../support/motor.ts';
import { expect, test } from '../support/walk.ts';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

test('Back and Forward at every step of a purchase, and Back from the policy', async ({ walk, page }) => {
  walk.axe = false;
  const motor = new Motor(walk, car);
  const title = page.getByRole('heading', { level: 1 });
  const seen: string[] = [];
  walk.arrived = async (step) => {
    // the first page has nothing before it; a one-time password that is left is asked for anew
    if (['start', 'otp'].includes(step) || seen.includes(step)) return;
    seen.push(step);
    const [here, path, typed] = [await title.textContent(), new URL(page.url()).pathname, await walk.typed()];
    await page.goBack();
    await expect(title, `Back from ${step}`).not.toHaveText(here!);
    await walk.settled();
    await page.goForward();
    await expect(title, `Forward to ${step}`).toHaveText(here!, { timeout: 30_000 });
    await expect.poll(() => new URL(page.url()).pathname).toBe(path);
    if (step !== 'quotes') await expect.poll(() => walk.typed(), `answers of ${step}`).toEqual(typed);
  };
  await motor.number('dl3cab1234');
  await motor.contact();
  await motor.otp();
  await motor.vehicle();
  await motor.previous();
  await motor.quotes(20);
  await motor.buy('HDFC ERGO');
  await motor.person();
  await motor.address();
  await motor.nominee();
  await motor.papers();
  await motor.kyc();
  await motor.confirm();
  walk.arrived = undefined;
  await motor.pay(/^Pay ₹/);
  const number = await motor.issued();
  const request = new URL(page.url()).searchParams.get('request');
  await page.goBack();
  // what is paid is never shown as payable again
  await expect(page.getByRole('button', { name: /^Pay/ })).toHaveCount(0);
  await page.goto(`${walk.product.base}/car-insurance/confirm?request=${request}`);
  await expect(walk.heading('Your car is insured')).toBeVisible();
  await expect(page.getByText(number)).toBeVisible();
  expect(seen).toEqual(['contact', 'vehicle', 'previous-policy', 'quotes', 'checkout', 'checkout-address', 'checkout-nominee', 'checkout-vehicle', 'checkout-kyc', 'confirm']);
});
