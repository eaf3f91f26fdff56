/** A foreign captcha: its page in a dialog, for whoever asks for many messages from one network. */
import AxeBuilder from '@axe-core/playwright';
import { Product } from '../support/product.ts';
import { expect, newMobile, test, Walk } from '../support/walk.ts';

test('a person shows that she is one, by keyboard, and the code is sent', async ({ page }) => {
  const product = await Product.start({ JOURNEY_OTP__CAPTCHA: 'captcha', JOURNEY_OTP__UNPROVEN_PER_ADDRESS_HOUR: '0' });
  const walk = new Walk(page, product);
  await page.goto(`${product.base}/#login`);
  const login = page.getByRole('dialog', { name: 'Log in' });
  const mobile = newMobile();
  await login.getByLabel('Mobile number').fill(mobile);
  const sends = login.getByRole('button', { name: 'Send OTP' });
  await sends.click();

  const captcha = page.getByRole('dialog', { name: 'Are you a person?' });
  const asked = page.frameLocator('iframe[title="Are you a person?"]');
  await expect(asked.getByRole('heading', { name: 'Are you a person?' })).toBeVisible();
  expect((await new AxeBuilder({ page }).include('[aria-labelledby=captcha-title]').analyze()).violations).toEqual([]);
  // closed, nothing is sent, and she may try again
  await page.keyboard.press('Escape');
  await expect(captcha).toBeHidden();
  await expect(login.getByRole('alert')).toBeVisible();
  await sends.click();

  // a robot is refused
  await asked.getByRole('button', { name: 'I am a robot' }).click();
  await expect(captcha).toBeHidden();
  await expect(login.getByRole('alert')).toBeVisible();

  await sends.click();
  const person = asked.getByRole('button', { name: 'I am a person' });
  await person.focus();
  await page.keyboard.press('Enter');
  await expect(captcha).toBeHidden();
  await expect(login.getByText(`Sent to ${mobile}`)).toBeVisible();
  await login.getByLabel('One-time password').fill(await walk.code(mobile));
  await login.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL('**/dashboard');
  await product.stop();
});
