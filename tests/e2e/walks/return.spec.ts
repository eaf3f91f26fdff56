/** Who comes back is led to what waits, by its own name, whichever door is taken. */
import { Motor, car } from '../support/motor.ts';
import { expect, test } from '../support/walk.ts';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

test('home, landing, prices and the account lead to what waits, by its vehicle, plate and price (R1-17)', async ({ walk, page, product }) => {
  const offer = page.getByRole('complementary', { name: 'Continue where you left off' });

  await test.step('Back from the first step leads home, with the plate that was typed', async () => {
    await page.goto(product.base);
    await walk.type('Registration number', 'dl3cab1234');
    // capitals are the app's work: before it is there a press posts the plain form, and Back leads to that answer
    await expect(walk.field('Registration number')).toHaveValue(/^DL/);
    await page.getByRole('button', { name: 'See my prices' }).click();
    await walk.at('Your contact details', '/car-insurance/contact');
    await page.goBack();
    await expect(page).toHaveURL(`${product.base}/`);
    await expect(walk.field('Registration number')).toHaveValue(/^DL ?3 ?CAB ?1234$/);
    await expect(offer).toContainText('Maruti Suzuki Swift VXi (Petrol) · DL 3 CAB 1234');
    await walk.reachable();
  });

  await test.step('with prices the offer says how many there are, and from what', async () => {
    const motor = new Motor(walk, car);
    await motor.toQuotes('DL-3-CAB-1234');
    await motor.quotes(5);
    // on a device that knows only who is logged in
    await page.evaluate(() => localStorage.removeItem('begun'));
    for (const door of ['/', '/car-insurance', '/car-insurance/quotes']) {
      await page.goto(product.base + door);
      await expect(offer).toHaveCount(1);
      await expect(offer).toContainText(/DL 3 CAB 1234\d+ prices from ₹\d/);
    }
    await offer.getByRole('link', { name: 'Continue' }).click();
    await walk.at('Your quotes', '/car-insurance/quotes');
  });

  await test.step('the account has it once, with the step that it waits at', async () => {
    await page.goto(`${product.base}/dashboard`);
    const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Maruti Suzuki Swift VXi (Petrol)' }) }).first();
    await expect(card).toContainText('DL 3 CAB 1234');
    await expect(card).toContainText(/Your quotes · \d+ prices from ₹\d/);
    await walk.accessible();
    await card.getByRole('link', { name: 'Continue' }).click();
    await walk.at('Your quotes', '/car-insurance/quotes');
  });
});
