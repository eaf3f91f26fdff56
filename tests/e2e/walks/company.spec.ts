/** A company buys; its identity check fails first and its money comes late. */
import { Motor, car } from '../support/motor.ts';
import { expect, test } from '../support/walk.ts';

test.use({ viewport: { width: 1280, height: 900 } });

test('company: failing identity check, pending payment that arrives late, policy', async ({ walk, page }) => {
  const motor = new Motor(walk, car);
  await motor.toQuotes('DL-3-CAB-1234');
  await motor.quotes(20);
  // a firm does not drive
  await motor.requoted('HDFC ERGO', () => motor.choices(() => walk.select(/Accident cover of ₹15 lakh/, 'A firm owns the vehicle')));
  await motor.buy('HDFC ERGO');
  await motor.company();
  await motor.address();
  // a company has no nominee
  await motor.papers();
  await motor.kycOfFirm('AAACB8888C');
  await expect(
    page.getByText('The KYC is unsuccessful. Please click on Verify KYC to re-submit. After redirection, please close insurance company window.'),
  ).toBeVisible();
  await walk.submit('Verify KYC');
  await walk.at('Check your answers', '/confirm');
  await expect(page.getByText(/A company or firm · .*Lakeview Traders/)).toBeVisible();
  await motor.confirm();
  await motor.pay('The bank takes a while');
  await walk.at('Your payment is on its way', '/payment-pending');
  await expect(page.getByText('Please do not pay again')).toBeVisible();
  await walk.press('Check now');
  await expect(walk.heading('Your payment is on its way')).toBeVisible();
  await motor.issued();
});
