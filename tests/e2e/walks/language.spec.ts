/** Another language: chosen by a link of the header, kept by the browser, also in the middle of a journey. */
import { Motor, car } from '../support/motor.ts';
import { expect, test } from '../support/walk.ts';

test('Hindi is chosen in the header and holds on every page; a journey goes on where it was', async ({ walk, page, product }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const header = page.getByRole('banner');
  await page.goto(product.base);
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await header.getByRole('link', { name: 'हिन्दी' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'hi');
  await expect(page).toHaveURL(`${product.base}/`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/[\u0900-\u097f]/);

  await page.goto(`${product.base}/car-insurance`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/[\u0900-\u097f]/);
  await header.getByRole('link', { name: 'English' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');

  const motor = new Motor(walk, car);
  await motor.number('KA1AB0404');
  await walk.at('Your contact details', '/contact');
  const address = page.url();
  await header.getByRole('link', { name: 'हिन्दी' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('आपका संपर्क');
  expect(page.url()).toBe(address);
  await page.getByRole('button', { name: 'वन-टाइम पासवर्ड भेजें' }).click();
  await expect(page.locator('.field-error').first()).toHaveText(/[\u0900-\u097f]/);
});
