/** A Labrador is insured: first prices, a cover that is changed, offers that follow, the reference of a call. */
import { paise } from '../support/motor.ts';
import { expect, newMobile, test } from '../support/walk.ts';

test.use({ viewport: { width: 1280, height: 900 } });

test('desk: from the breed to the reference (R1-11, R7.3-24)', async ({ walk, page }) => {
  const mobile = newMobile();

  await test.step('the pet, then its health', async () => {
    await walk.open('/pet-insurance');
    await walk.at('Which pet do you want to insure?', '/pet-insurance');
    await expect(walk.field('Which breed?')).toHaveCount(0);
    await walk.choose('Which pet is it?', 'Dog');
    await walk.select('Which breed?', 'Labrador Retriever');
    await walk.choose('Do you know its birthday?', 'No');
    await walk.type('About how old is it?', '30');
    await walk.choose('Male or female?', 'Male');
    await walk.choose('Is it neutered?', 'Yes');
    await walk.choose('What do you keep it for?', 'Companion');
    await walk.submit('Continue');
    await walk.at('Its health', '/pet-insurance/health');
    await walk.choose(/vaccinated/, 'Yes');
    await walk.choose(/certificate/, 'No');
    await walk.choose(/microchip/, 'Yes');
    await walk.type('Microchip number', '98102000012345');
    await walk.type('What is it worth?', '35000');
    await walk.type('Pincode', '560001');
    await walk.choose(/insured now/, 'No');
    await walk.submit('See prices');
    await walk.errors(['A microchip number has 15 digits']);
    await walk.type('Microchip number', '981020000123456');
    await walk.submit('See prices');
  });

  await test.step('first prices, before name and number', async () => {
    await walk.at('First prices for your pet', '/pet-insurance/prices');
    await expect(page.getByText('Labrador Retriever, 2 years')).toBeVisible();
    await expect(page.getByRole('article').locator('.option-amount').first()).toHaveText(/^₹/);
    await walk.press('See all offers');
    await walk.at('Your contact details', '/pet-insurance/contact');
    await walk.type('Name', 'Asha Rao');
    await walk.type('Mobile number', mobile);
    await walk.submit('Send one-time password');
    await walk.at('Enter the code we sent you', '/pet-insurance/otp');
    await walk.type('One-time password', await walk.code(mobile));
  });

  await test.step('what else it covers is changed: the offers say what they leave out', async () => {
    await walk.at('Offers for your pet', '/pet-insurance/quotes');
    const card = page.getByRole('article', { name: /^Bajaj/ });
    const price = async () => paise((await card.locator('.option-amount').textContent()) ?? '');
    await expect(card.locator('.option-amount')).toHaveText(/^₹/, { timeout: 30_000 });
    const before = await price();
    await walk.tick('Visits to the vet');
    await expect.poll(price, { timeout: 30_000 }).toBeGreaterThan(before);
    await walk.accessible();
    await card.getByRole('button', { name: /^Choose/ }).click();
  });

  await test.step('the reference of the call', async () => {
    await walk.at(/call you$/, '/pet-insurance/chosen');
    await expect(page.getByText(/^PE-\d{6}$/)).toBeVisible();
    await expect(page.getByText(/Bajaj General issues the policy after your papers and payment/)).toBeVisible();
  });
});
