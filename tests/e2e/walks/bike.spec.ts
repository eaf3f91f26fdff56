/** The bike journey is the car journey with other data. */
import { Motor, bike } from '../support/motor.ts';
import { expect, test } from '../support/walk.ts';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

test('bike: own limits, a refused payment and a second try; the summary at its own address (R2.4-24, R9-15)', async ({ walk, page }) => {
  const motor = new Motor(walk, bike);
  await motor.number('dl3sab1234');
  await motor.contact();
  await motor.otp();
  await motor.vehicle();
  await motor.previous();
  await motor.quotes(20);
  await motor.choices(async () => {
    await expect(walk.field(/Cover for passengers/).locator('option')).toHaveText([/^$|Choose|None/, '₹10 K', '₹50 K', '₹1 Lakh']);
  });
  await motor.buy('HDFC ERGO');
  await motor.person();
  await motor.address();
  await motor.nominee();
  await motor.papers();
  await motor.kyc();
  await motor.confirm();
  await motor.pay('The bank refuses');
  await walk.at('The payment did not go through', '/bike-insurance/payment-fail');
  await expect(page.getByText('The bank refused the payment. It may work with UPI, another card, or after a call to the bank.')).toBeVisible();
  await walk.press('Try again');
  await motor.pay(/^Pay ₹/);
  await motor.issued();
  await page.goto(page.url().replace('post-payment-success', 'postpaymentsummary'));
  await walk.at('Your policy at a glance', '/bike-insurance/postpaymentsummary');
  await walk.press('Back');
  await motor.issued();
});
