/** Wrong, late and foreign input is answered with the specified words, and nothing is lost. */
import { Motor, car } from '../support/motor.ts';
import { Walk, expect, test } from '../support/walk.ts';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

test('mobile and name: filters and texts (R5-02, R5-03, R5-05, R5-07, R5-09, R5-10, R5-11)', async ({ walk, page }) => {
  const motor = new Motor(walk, car);
  await walk.open('/car-insurance');
  await walk.type('Registration number', '1234');
  await walk.press('See my prices');
  await walk.errors(['Please enter the number as it appears on the plate, such as DL-3-CAB-1234 or 22-BH-1234-AA']);
  await motor.number('KA1AB0405');
  await walk.at('Your contact details', '/contact');
  await walk.press('Send one-time password');
  await walk.errors(['Please enter Name', 'Invalid mobile number.']);
  await walk.type('Name', 'A1');
  await walk.type('Mobile number', '9999999999');
  await walk.press('Send one-time password');
  await walk.errors(['Please enter Name between 2 - 50 characters', 'Invalid mobile number.']);
  await walk.type('Name', 'Asha1 R@o');
  for (const wrong of ['1234567890', '5000000001', '900000000']) {
    await walk.type('Mobile number', wrong);
    await walk.press('Send one-time password');
    await expect(page.locator('.field-error').first()).toHaveText('Error: Invalid mobile number.');
  }
  await walk.type('Mobile number', '98a76-54321099');
  await expect(walk.field('Mobile number')).toHaveValue('9876543210');
  await walk.type('Mobile number', `+91${motor.mobile}`);
  await page.keyboard.press('Tab');
  await expect(walk.field('Mobile number')).toHaveValue(motor.mobile);
  await expect(walk.field('Name')).toHaveValue('Asha Ro');
  await walk.tick(/do-not-call/);
  await walk.press('Send one-time password');
  await walk.at('Enter the code we sent you', '/otp');
  await walk.type('One-time password', '12345');
  await walk.press('Confirm');
  await walk.errors(['Please enter the 6-digit code']);
  const code = await walk.code(motor.mobile);
  await walk.type('One-time password', code === '111111' ? '222222' : '111111'); // the last digit sends it
  await expect(page.locator('.field-error')).toHaveText("Error: That code isn't right. Tries left: 4.");
});

test('a request belongs to who began it: another visitor does not find it', async ({ walk, page, browser }) => {
  const motor = new Motor(walk, car);
  await motor.number('dl3cab1234');
  await walk.at('Your contact details', '/contact');
  const stranger = await browser.newContext();
  const foreign = await stranger.newPage();
  const reply = await foreign.goto(page.url());
  expect(reply?.status()).toBe(404);
  await expect(foreign.getByRole('heading', { name: "We can't find this request" })).toBeVisible();
  await expect(foreign.getByRole('link', { name: 'Start again' })).toHaveAttribute('href', '/car-insurance');
  const request = new URL(page.url()).searchParams.get('request');
  const api = await foreign.evaluate(async (id) => (await fetch(`/api/v1/journeys/${id}`)).status, request);
  expect(api).toBe(404);
  await stranger.close();
});

test('two windows: the second one is shown the difference and decides', async ({ walk, page, context }) => {
  const motor = new Motor(walk, car);
  await motor.number('KA1AB0405');
  await walk.at('Your contact details', '/contact');
  await walk.type('Name', 'Asha Rao');
  await walk.type('Mobile number', motor.mobile);
  await walk.tick(/do-not-call/);
  // from here on this window does not hear of changes
  const request = new URL(page.url()).searchParams.get('request');
  const view = `/api/v1/journeys/${request}`;
  const body = await page.evaluate(async (address) => (await fetch(address)).text(), view);
  await page.route(`**${view}`, (route) => route.fulfill({ body, contentType: 'application/json' }));
  const tab = await context.newPage();
  const other = new Walk(tab, walk.product);
  await tab.goto(page.url());
  await other.at('Your contact details', '/contact');
  await other.type('Name', 'Ravi Rao');
  await other.type('Mobile number', motor.mobile);
  const consent = tab.getByRole('checkbox');
  if (!(await consent.isChecked())) await consent.click();
  await other.press('Send one-time password');
  await other.at('Enter the code we sent you', '/otp');
  await page.bringToFront();
  await walk.press('Send one-time password');
  const dialog = page.getByRole('dialog', { name: 'Changed in another window' });
  await expect(dialog.getByRole('row', { name: /^Name Asha Rao/ })).toBeVisible();
  await walk.accessible();
  await dialog.getByRole('button', { name: /Enter the code we sent you/ }).click();
  await walk.at('Enter the code we sent you', '/otp');
});

test('offline: she is told, keeps what she typed, and goes on when the line is back', async ({ walk, page, context }) => {
  const motor = new Motor(walk, car);
  await motor.number('KA1AB0405');
  await walk.at('Your contact details', '/contact');
  await context.setOffline(true);
  await expect(page.getByText("You're offline.")).toBeVisible();
  await walk.type('Name', 'Asha Rao');
  await walk.type('Mobile number', motor.mobile);
  await walk.tick(/do-not-call/);
  await walk.accessible();
  await context.setOffline(false);
  await expect(page.getByText("You're offline.")).toBeHidden();
  await walk.press('Send one-time password');
  await motor.otp();
});

test('keyboard only: the first two steps', async ({ walk, page }) => {
  const motor = new Motor(walk, car);
  await walk.open('/car-insurance');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to main content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect(walk.field('Registration number')).toBeFocused();
  await page.keyboard.type('dl3cab1234');
  await page.keyboard.press('Enter');
  await walk.at('Your contact details', '/contact');
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  while (!(await walk.field('Name').evaluate((field) => field === document.activeElement))) await page.keyboard.press('Tab');
  await page.keyboard.type('Asha Rao');
  await page.keyboard.press('Tab'); // the country of the number
  await page.keyboard.press('Tab');
  await page.keyboard.type(motor.mobile);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await walk.at('Enter the code we sent you', '/otp');
});
