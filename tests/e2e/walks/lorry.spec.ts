/** A firm insures its lorry: what decides the price comes from the register and is shown to be corrected. */
import { Motor, commercial } from '../support/motor.ts';
import { expect, test } from '../support/walk.ts';

test.use({ viewport: { width: 1280, height: 900 } });

test('a lorry of a firm, from its number to the policy (R1-04, R3-20)', async ({ walk, page }) => {
  const motor = new Motor(walk, commercial);
  await motor.number('tn37ct1001');
  await motor.contact();
  await motor.otp();
  await motor.vehicle();
  await motor.use();
  await motor.previous();
  await motor.quotes(5);
  await motor.requoted('Shriram', () => motor.choices(() => walk.select(/Accident cover of ₹15 lakh/, 'A firm owns the vehicle')));
  await motor.buy('Shriram');
  await motor.company();
  await motor.address('641001');
  await motor.papers();
  // at this insurer the check fails the first time, and the page says what to do
  await motor.kycOfFirm('AAACB8888C');
  await expect(page.getByText(/KYC is unsuccessful/)).toBeVisible();
  await walk.submit('Verify KYC');
  await motor.confirm();
  await motor.pay(/^Pay ₹/);
  await motor.issued();
});
