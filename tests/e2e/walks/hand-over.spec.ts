/** An advisor begins for a customer, who goes on on her own phone. The commands that make an advisor are the operators' own. */
import { Motor, car } from '../support/motor.ts';
import { Product } from '../support/product.ts';
import { signIn } from '../support/staff.ts';
import { expect, newMobile, test, Walk } from '../support/walk.ts';

const alone = 'Only the customer can do this.';

test('two browsers, one sale: each sees what the other does, and she alone agrees, confirms and pays', async ({ browser }) => {
  const product = await Product.start();
  const staff = newMobile();
  const address = await product.run('staff', 'add', '--mobile', staff, '--role', 'partner-agent', '--name', 'asha');
  expect(address).toMatch(/^otpauth:\/\/totp\//);
  const at = async (width: number, height: number) => new Walk(await (await browser.newContext({ viewport: { width, height } })).newPage(), product);
  const [desk, phone] = [await at(1280, 900), await at(390, 844)];
  const mobile = newMobile();
  const [theirs, hers] = [new Motor(desk, car, mobile), new Motor(phone, car, mobile)];

  await signIn(desk, staff, address);
  await desk.page.getByRole('link', { name: 'Go to my desk' }).click();
  await expect(desk.heading('Your desk')).toBeVisible();
  await desk.accessible();
  // the header of everybody's pages has it for them, and for nobody else
  const bar = desk.page.getByRole('banner');
  await expect(bar.locator('summary', { hasText: 'My account' })).toBeVisible();
  await desk.page.goto(`${product.base}/contact-us`);
  await bar.locator('summary', { hasText: 'My account' }).click();
  await expect(bar.getByRole('link', { name: 'Your desk' })).toBeVisible();
  expect(await (await desk.page.request.get(`${product.base}/contact-us`)).text()).not.toContain('Your desk');
  await phone.page.goto(`${product.base}/contact-us`);
  await expect(phone.page.getByText('Your desk')).toHaveCount(0);
  await theirs.number('dl3cab1234');
  await desk.at('Your contact details', '/contact');
  await desk.type('Name', 'Asha Rao');
  await desk.type('Mobile number', mobile);
  await expect(desk.page.getByRole('checkbox')).toHaveCount(0);
  await desk.submit('Send one-time password');
  await desk.at('Confirm the mobile number', '/otp');

  // her link asks first, then she has the code sent and types it
  const link = async () => {
    let found = '';
    await expect(async () => {
      found = /https?:\S+\/r\/[\w-]+/.exec((await product.messages(mobile))[0]?.text ?? '')?.[0] ?? '';
      expect(found).not.toBe('');
    }).toPass();
    return found;
  };
  await phone.page.goto(await link());
  await phone.page.getByRole('button', { name: 'Continue' }).click();
  await phone.at('Confirm the mobile number', '/otp');
  await phone.press('Send me the code');
  await desk.at('Enter the code we sent you', '/otp');
  await expect(desk.page.getByText(alone)).toBeVisible();
  await hers.otp();

  // both are at the car; what the advisor answers moves her page
  await phone.at('Is this your car?', '/vehicle');
  await theirs.vehicle();
  await phone.at('Your previous policy', '/previous-policy');
  await theirs.previous();
  await phone.at('Your quotes', '/quotes');
  await theirs.quotes(5);
  await expect(phone.page.getByRole('button', { name: /Send the customer a link/ })).toHaveCount(0);
  const sent = (await product.messages(mobile)).length;
  await desk.press('Send the customer a link by SMS');
  await expect.poll(async () => (await product.messages(mobile)).length).toBe(sent + 1);
  expect((await product.messages(mobile))[0]!.text).toContain('/r/');

  await theirs.buy('HDFC ERGO');
  await theirs.person('XXXa');
  await theirs.address();
  await theirs.nominee();
  await desk.at('Engine, chassis and papers', '/checkout-vehicle');
  await expect(desk.page.getByText(alone)).toBeVisible();
  await expect(desk.page.getByRole('checkbox')).toHaveCount(0);
  await expect(desk.page.getByRole('button', { name: 'Send the link by SMS' })).toBeVisible();

  await hers.papers();
  await desk.at('Verify your identity', '/checkout-kyc');
  await expect(desk.page.getByText(alone)).toBeVisible();
  await hers.kyc();
  await desk.at('Check your answers', '/confirm');
  await expect(desk.page.getByText('Answered by').first()).toBeAttached();
  await expect(desk.page.getByText('The customer needs to check and confirm this page')).toBeVisible();
  await expect(desk.page.getByRole('button', { name: /^Pay/ })).toHaveCount(0);
  await hers.confirm();
  await desk.at('Pay the premium', '/payment');
  await expect(desk.page.getByText(alone)).toBeVisible();
  await hers.pay(/^Pay ₹/);
  const number = await hers.issued();
  await expect(desk.heading(/is insured/)).toBeVisible({ timeout: 30_000 });
  await expect(desk.page.getByText(number)).toHaveCount(0);

  // who has no role any more is out at once
  const [listed, revoked, left] = await product.runAll(['staff', 'list'], ['staff', 'revoke', '--mobile', staff], ['staff', 'list']);
  expect(listed).toMatch(/^asha\t\*{5}\d{5}\tpartner-agent$/);
  expect(revoked).toMatch(/^all roles are taken, \d+ sessions ended$/);
  expect(left).toBe('');
  await desk.page.goto(`${product.base}/staff`);
  await expect(desk.heading('Your desk')).toHaveCount(0);
  await product.stop();
});

test('a customer lets an advisor into what she began, and shows them out again', async ({ browser }) => {
  const product = await Product.start();
  const staff = newMobile();
  const address = await product.run('staff', 'add', '--mobile', staff, '--role', 'call-centre', '--name', 'ravi');
  const at = async (width: number, height: number) => new Walk(await (await browser.newContext({ viewport: { width, height } })).newPage(), product);
  const [desk, phone] = [await at(1280, 900), await at(390, 844)];
  const hers = new Motor(phone, car);
  const theirs = new Motor(desk, car, hers.mobile);
  await hers.number('dl3cab1234');
  await hers.contact();
  await hers.otp();
  await phone.at('Is this your car?', '/vehicle');
  await phone.press('Let an advisor help me');
  const told = phone.page.getByText(/Read this code to your advisor: [A-Z2-7]{4} [A-Z2-7]{4}/);
  await expect(told).toBeVisible();
  await phone.accessible();
  const code = /[A-Z2-7]{4} [A-Z2-7]{4}/.exec((await told.textContent())!)![0];

  await signIn(desk, staff, address);
  await desk.page.getByRole('link', { name: 'Go to my desk' }).click();
  const field = desk.page.getByLabel('The code that the customer reads to you');
  const open = desk.page.getByRole('button', { name: 'Open the request' });
  await field.fill('AAAA 2222');
  await open.click();
  await expect(desk.page.locator('.field-error')).toHaveText("Error: This code isn't right or is no longer valid");
  await desk.accessible();
  await field.fill(code);
  await open.click();
  await desk.at('Is this your car?', '/vehicle');
  await expect(phone.page.getByText('ravi (call centre) is helping you with this request')).toBeVisible();
  await expect(desk.page.getByText('is helping you with this request')).toHaveCount(0);
  await theirs.vehicle();
  await phone.at('Your previous policy', '/previous-policy');
  await phone.press('End their access');
  await expect(phone.page.getByText('is helping you with this request')).toHaveCount(0);
  await desk.page.reload();
  await expect(desk.heading('Your previous policy')).toHaveCount(0);
  await hers.previous();
  await phone.at('Your quotes', '/quotes');
  await product.stop();
});

test('a service token by the command: given, listed, held by a session, ended', async ({ page }) => {
  const product = await Product.start();
  const issue = ['token', 'issue', '--name', 'dialer', '--role', 'call-centre', '--source', 'inbound', '--hours', '2'];
  const [token, listed] = await product.runAll(issue, ['token', 'list']);
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  expect(listed).toMatch(/^dialer\tcall-centre\tinbound\t\d{4}-\d\d-\d\dT/);
  const holds = () =>
    page.request.post(`${product.base}/api/v1/service-token`, { headers: { 'x-journey': '1', 'x-api-key': 'journey-web', origin: product.base }, data: { token } });
  expect((await holds()).status()).toBe(200);
  expect((await page.goto(`${product.base}/staff`))!.status()).toBe(200);
  await expect(page.getByRole('heading', { level: 1, name: 'Your desk' })).toBeVisible();
  expect(await product.runAll(['token', 'revoke', '--name', 'dialer'], ['token', 'list'])).toEqual(['1 tokens of dialer are revoked', '']);
  expect((await page.goto(`${product.base}/staff`))!.status()).toBe(404);
  expect((await holds()).status()).toBe(404);
  await product.stop();
});
