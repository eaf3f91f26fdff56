/** What a person sees and changes of her data: consents, a copy, and the cookies that a visit leaves. */
import { Product } from '../support/product.ts';
import { expect, newMobile, test, Walk } from '../support/walk.ts';

test('a consent is given, seen and taken back; cookies of a visit (R3-15, R9-61)', async ({ page, context }) => {
  const product = await Product.start({ JOURNEY_OTP__RESEND_MS: '0' });
  const walk = new Walk(page, product);
  const mobile = newMobile();
  const cookie = async (name: string) => (await context.cookies()).find((one) => one.name === name);

  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(`${product.base}/car-insurance`);
  await expect.poll(async () => (await cookie('pwa_source'))?.value).toBe('isMobile');
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`${product.base}/bike-insurance`);
  await expect.poll(async () => (await cookie('pwa_source'))?.value).toBe('isDesktop');
  // where the visit began, for thirty days; so long lives what says nothing else
  expect((await cookie('originTemplateName'))?.value).toBe(encodeURIComponent('/car-insurance'));
  for (const name of ['originTemplateName', 'pwa_source']) {
    const days = ((await cookie(name))!.expires * 1000 - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThanOrEqual(30);
  }

  await page.goto(`${product.base}/#login`);
  const popup = page.getByRole('dialog', { name: 'Log in' });
  await popup.getByLabel('Mobile number').fill(mobile);
  await popup.getByRole('button', { name: 'Send OTP' }).click();
  await expect.poll(async () => (await product.messages(mobile)).length).toBe(1);
  await popup.getByLabel('One-time password').fill(await walk.code(mobile));
  await page.waitForURL('**/dashboard');
  expect(await cookie('authToken')).toMatchObject({ httpOnly: true, secure: true });

  await page.goto(`${product.base}/call-me-back`);
  await page.getByLabel('Your name').fill('Asha Rao');
  await page.getByLabel('Mobile number').fill(mobile);
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Call me back' }).click();
  await expect(page.getByRole('heading', { level: 1, name: "We'll call you" })).toBeVisible();

  await page.goto(`${product.base}/dashboard`);
  await page.getByRole('link', { name: 'Your data and consents' }).click();
  const consents = page.getByRole('table').first();
  await expect(consents).toContainText('Agreed');
  await expect(consents).toContainText('I allow Journey and its insurers to contact me');
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download as a data file' }).click();
  expect((await download).suggestedFilename()).toBe('my-data.json');

  await page.getByRole('button', { name: 'Withdraw: Calls and messages about insurance' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw: Calls and messages about insurance' }).click();
  await expect(consents).toContainText('Withdrawn');
  await expect(page.getByRole('button', { name: /^Withdraw/ })).toHaveCount(0);
  await product.stop();
});
