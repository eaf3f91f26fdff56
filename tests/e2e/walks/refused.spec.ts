/** A refusal leads where it can be cured: to the field, or, where nothing can be corrected, to the offers. */
import { Motor, car } from '../support/motor.ts';
import { expect, test } from '../support/walk.ts';

test.use({ viewport: { width: 390, height: 844 } });

test('an insurer refuses a number, then the car (R8-13, R8-18)', async ({ walk, page }) => {
  const motor = new Motor(walk, car);
  await motor.toQuotes('DL-3-CAB-1234');
  await motor.quotes(20);
  await motor.buy('HDFC ERGO');
  await walk.at('Owner of the car', '/checkout');
  await motor.toCheck({ chassis_number: 'BADCHASSIS1' });

  await test.step('the field is marked and in focus, with the reason in the window', async () => {
    await motor.confirm();
    await walk.at('Engine, chassis and papers', '/checkout-vehicle');
    await walk.errors(['Chassis number is not valid']);
    await expect(walk.field('Chassis number (VIN)')).toBeFocused();
    await expect(page.locator('.field-error')).toBeInViewport();
    await walk.type('Chassis number (VIN)', 'MA3EJKD1S00123456');
    await walk.type('Engine number', 'K12ERRKEY20');
    await walk.submit('Continue');
    await walk.at('Check your answers', '/confirm');
  });

  await test.step('nothing can be corrected: the offers say why, and whose card stands apart', async () => {
    await motor.confirm();
    await walk.at('Your quotes', '/quotes');
    await expect(page.getByText('The insurer cannot cover this vehicle', { exact: true })).toBeInViewport();
    await expect(page.locator('[data-marked]')).toContainText('Maruti Suzuki Swift');
    const apart = page.locator('.options-group').filter({ has: page.getByRole('heading', { name: 'Declined your proposal' }) });
    await expect(apart.getByRole('heading', { level: 3 })).toHaveText(['HDFC ERGO']);
    await expect(apart.getByText('It declined your proposal: The insurer cannot cover this vehicle')).toBeVisible();
    await expect(page.locator('.picks').getByText('HDFC ERGO')).toHaveCount(0);
  });
});
