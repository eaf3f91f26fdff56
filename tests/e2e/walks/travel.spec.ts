/** A family and a grandfather of 70 go through Europe: first prices, offers that say what his age and illness mean, the reference of a call. */
import type { Locator } from '@playwright/test';
import { day } from '../support/motor.ts';
import { expect, newMobile, test } from '../support/walk.ts';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

/** A birthday so many years before the trip, half a year ago then. */
const born = (age: number) => `${Number(day(-150).slice(0, 4)) - age}${day(-150).slice(4)}`;

test('phone: three countries, four travellers, one of them 70, to the reference (R1-10, R7.3-23)', async ({ walk, page }) => {
  const mobile = newMobile();
  const row = (name: string): Locator => page.locator('.row').filter({ has: page.locator('legend', { hasText: new RegExp(`^${name}$`) }) });

  await test.step('where: countries are added one by one', async () => {
    await walk.open('/travel-insurance');
    await walk.at('Where are you going?', '/travel-insurance');
    for (const [at, country] of ['France', 'Italy', 'Switzerland'].entries()) {
      if (at > 0) await walk.press('Add a country');
      await row(`Country ${at + 1}`).getByLabel('Country', { exact: true }).selectOption({ label: country });
    }
    await walk.date('When do you leave India?', day(40));
    await walk.date('When are you back?', day(38));
    await walk.select('Why do you travel?', 'Holiday');
    await walk.choose('Are all of you in India now?', 'Yes');
    await walk.submit('Continue');
    await expect(page.locator('.field-error')).toHaveText("Error: You can't be back before you leave");
    await walk.date('When are you back?', day(51));
    await walk.submit('Continue');
  });

  await test.step('who: an illness is asked for where there is one', async () => {
    await walk.at('Who travels?', '/travel-insurance/travellers');
    const party = [['Myself', 42], ['Spouse', 40], ['Child', 9], ['Parent', 70]] as const;
    for (const [at, [who, age]] of party.entries()) {
      if (at > 0) await walk.press('Add a traveller');
      const one = row(`Traveller ${at + 1}`);
      await one.getByLabel('Who is it?', { exact: true }).selectOption({ label: who });
      const [year, month, dayOfMonth] = born(age).split('-') as [string, string, string];
      await one.getByLabel('Day').fill(dayOfMonth);
      await one.getByLabel('Month').fill(month);
      await one.getByLabel('Year').fill(year);
      await one.getByRole('group', { name: /known illness/ }).or(one.getByRole('radiogroup', { name: /known illness/ })).getByText(age === 70 ? 'Yes' : 'No', { exact: true }).click();
    }
    await expect(page.getByText('Diabetes', { exact: true })).toHaveCount(1);
    await page.getByText('Diabetes', { exact: true }).click();
    await walk.choose(/Indian passport/, 'Yes');
    await walk.submit('See prices');
  });

  await test.step('first prices, before name and number', async () => {
    await walk.at('First prices for your trip', '/travel-insurance/prices');
    await expect(page.getByText(/4 travellers/)).toBeVisible();
    await expect(page.getByRole('article', { name: /^TATA AIG/ }).locator('.option-amount')).toHaveText(/^₹/);
    await page.getByText('1 company without an offer').click();
    await expect(page.getByText("This insurer doesn't cover a known illness at this age")).toBeVisible();
    await walk.press('See all offers');
  });

  await test.step('contact and code', async () => {
    await walk.at('Your contact details', '/travel-insurance/contact');
    await walk.type('Name', 'Asha Rao');
    await walk.type('Mobile number', mobile);
    await walk.submit('Send one-time password');
    await walk.at('Enter the code we sent you', '/travel-insurance/otp');
    await walk.type('One-time password', await walk.code(mobile));
  });

  await test.step('offers', async () => {
    await walk.at('Offers for your trip', '/travel-insurance/quotes');
    const card = page.getByRole('article', { name: /^ICICI/ }).first();
    await expect(card.getByText('Meets Schengen')).toBeVisible();
    await expect(card.getByText('Life-saving treatment of the illness you named is included.')).toBeVisible();
    await expect(page.getByRole('article', { name: /^TATA AIG/ }).first().getByText('Meets Schengen')).toBeVisible();
  });

  await test.step('the reference', async () => {
    await page.getByRole('article', { name: /^ICICI/ }).first().getByRole('button', { name: /^Choose/ }).click();
    await walk.at(/call you$/, '/travel-insurance/chosen');
    await expect(page.getByText(/^TR-\d{6}$/)).toBeVisible();
  });
});
