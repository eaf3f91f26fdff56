/** Customers without a number plate, and with one of the BH series, on a desk. */
import { Motor, car } from '../support/motor.ts';
import { expect, test } from '../support/walk.ts';

test.use({ viewport: { width: 1280, height: 900 } });

test('desk: a new car is chosen by make, model, fuel, variant and office', async ({ walk, page }) => {
  const motor = new Motor(walk, car);
  // one column at one place: what is asked does not jump sideways from step to step
  const columns: Record<string, number[]> = {};
  walk.arrived = async (step) => {
    if (step !== 'start')
      columns[step] = await page.locator('.step-head, .with-aside > .step-card, .step-body:not(.offers, .with-aside, .aside)').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left));
  };
  await motor.withoutNumber('New car');
  await walk.at('Your new car', '/car-insurance/new-vehicle');
  await walk.lookUp('Make', 'maruti', /^Maruti Suzuki/);
  await walk.lookUp('Model', 'swift', /^Swift$/);
  await walk.select('Fuel', 'Petrol');
  await walk.lookUp('Variant', 'vxi', /^VXi/);
  await walk.lookUp(/RTO/, 'pune', /Pune/);
  await walk.submit('See the tariff');
  // which car it is and what its tariff says stand before name and number
  await expect(page.locator('[data-style="sign"]').getByText('Damage to your own car')).toBeVisible();
  await motor.contact();
  await motor.otp();
  await motor.quotes(20);
  // on a desk the choices stand beside the offers
  await expect(page.getByRole('complementary', { name: 'Your choices' }).getByText('Kind of cover')).toBeVisible();
  await motor.buy('HDFC ERGO');
  await motor.person();
  await motor.address();
  await motor.nominee();
  await walk.at('Engine and chassis', '/car-insurance/checkout-new');
  await walk.type('Engine number', 'k12mn1234567');
  await walk.type('Chassis number (VIN)', 'ma3ewde1s00123456');
  await walk.tick(/terms and conditions/);
  await walk.submit('Continue');
  await motor.kyc();
  await motor.confirm();
  await motor.pay(/^Pay ₹/);
  await motor.issued();
  expect(Object.keys(columns).length).toBeGreaterThan(8);
  expect(new Set(Object.values(columns).flat()), JSON.stringify(columns)).toHaveProperty('size', 1);
});

test('desk: who does not know the number describes the car', async ({ walk, page }) => {
  const motor = new Motor(walk, car);
  await motor.withoutNumber(/know it/);
  await walk.at('Your car', '/car-insurance/vehicle');
  await walk.lookUp('Make', 'hyundai', /^Hyundai/);
  await walk.lookUp('Model', 'creta', /^Creta/);
  await expect(walk.field('Fuel').locator('option', { hasText: 'CNG' })).toHaveCount(0); // none is made
  await walk.select('Fuel', 'Diesel');
  await walk.lookUp('Variant', '', /Diesel/);
  await walk.type('Year of manufacture', '2022');
  await walk.lookUp(/RTO/, 'mh-12', /MH-12/);
  await walk.submit('See the tariff');
  await motor.contact();
  await motor.otp();
  await motor.previous();
  await motor.quotes(20);
  await expect(page.getByText(/Hyundai Creta/).first()).toBeVisible();
});

test('desk: a BH number is written as on the plate and found (R5-19)', async ({ walk, page }) => {
  const motor = new Motor(walk, car);
  await motor.number('22 bh1234-aa');
  await motor.contact();
  await motor.otp();
  await walk.at('Is this your car?', '/car-insurance/vehicle');
  await expect(page.getByText('22 BH 1234 AA')).toBeVisible();
  await expect(walk.field('Year of manufacture')).toHaveValue('2022');
});
