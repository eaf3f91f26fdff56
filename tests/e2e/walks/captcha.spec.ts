/** A foreign captcha: its page in a dialog, for whoever asks for many messages from one network. */
import AxeBuilder from '@axe-core/playwright';
import { Motor, car } from '../support/motor.ts';
import { Product } from '../support/product.ts';
import { expect, newMobile, test, Walk } from '../support/walk.ts';

const asks = { JOURNEY_OTP__CAPTCHA: 'captcha', JOURNEY_OTP__UNPROVEN_PER_ADDRESS_HOUR: '0' };
const unproven = "We still need to confirm you're human. Please press the button again.";

test('a person shows that she is one, by keyboard, and the code is sent (R7.2-23)', async ({ page }) => {
  const product = await Product.start(asks);
  const walk = new Walk(page, product);
  await page.goto(`${product.base}/#login`);
  const login = page.getByRole('dialog', { name: 'Log in' });
  const mobile = newMobile();
  await login.getByLabel('Mobile number').fill(mobile);
  const sends = login.getByRole('button', { name: 'Send OTP' });
  await sends.click();

  const captcha = page.getByRole('dialog', { name: "Confirm you're human" });
  const asked = page.frameLocator('iframe[title="Confirm you\'re human"]');
  await expect(asked.getByRole('heading', { name: 'Are you a person?' })).toBeVisible();
  expect((await new AxeBuilder({ page }).include('[aria-labelledby=captcha-title]').analyze()).violations).toEqual([]);
  // closed, nothing is sent, and she may try again
  await page.keyboard.press('Escape');
  await expect(captcha).toBeHidden();
  await expect(login.getByRole('alert')).toHaveText(unproven);
  await sends.click();

  // a robot is refused
  await asked.getByRole('button', { name: 'I am a robot' }).click();
  await expect(captcha).toBeHidden();
  await expect(login.getByRole('alert')).toHaveText(unproven);

  await sends.click();
  const person = asked.getByRole('button', { name: 'I am a person' });
  await person.focus();
  await page.keyboard.press('Enter');
  await expect(captcha).toBeHidden();
  await expect(login.getByText(`Sent to +91 ${mobile}`)).toBeVisible();
  await login.getByLabel('One-time password').fill(await walk.code(mobile));
  await page.waitForURL('**/dashboard');
  await product.stop();
});

test('in a journey: who closes it is told in the window, has lost nothing and may try again', async ({ page }) => {
  const product = await Product.start(asks);
  const walk = new Walk(page, product);
  await page.setViewportSize({ width: 390, height: 600 });
  const motor = new Motor(walk, car);
  await motor.number('KA1AB0405');
  await motor.contact();
  const captcha = page.getByRole('dialog', { name: "Confirm you're human" });
  await expect(captcha).toBeVisible();
  await page.keyboard.press('Escape');
  const said = page.locator('#step-messages');
  await expect(said).toBeFocused();
  await expect(said.getByRole('alert')).toHaveText(unproven);
  await expect(said.getByRole('alert')).toBeInViewport({ ratio: 1 });
  await walk.accessible();
  await said.getByRole('button', { name: 'Close this message' }).click();
  await expect(page.getByRole('button', { name: 'Send one-time password' })).toBeFocused();
  await expect(walk.field('Mobile number')).toHaveValue(motor.mobile);
  await walk.press('Send one-time password');
  await page.frameLocator('iframe[title="Confirm you\'re human"]').getByRole('button', { name: 'I am a person' }).click();
  await motor.otp();
  await product.stop();
});
