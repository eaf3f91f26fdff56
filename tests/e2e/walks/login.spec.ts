/** Login in a popup, the account, logout. */
import AxeBuilder from '@axe-core/playwright';
import { Product } from '../support/product.ts';
import { expect, hold, newMobile, settled, test, Walk } from '../support/walk.ts';

const desk = { width: 1280, height: 900 };

test('number, code, account, logout (R2.1-02, R2.1-03, R2.1-04, R2.1-10, R2.2-15, R2.2-17, R2.4-62, R2.8-01, R2.8-02, R2.8-03, R2.8-04, R3-10, R4-15, R4-17, R5-15, R5-18, R8-01, R8-04, R9-52, R5-16, R7.1-01, R8-02)', async ({ page }) => {
  // a second code may be asked for at once, and each costs the browser some work
  const product = await Product.start({ JOURNEY_OTP__RESEND_MS: '0', JOURNEY_OTP__UNPROVEN_PER_ADDRESS_HOUR: '0' });
  const walk = new Walk(page, product);
  await page.setViewportSize(desk);
  await page.goto(`${product.base}/#login`);
  const popup = page.getByRole('dialog', { name: 'Log in' });
  await expect(popup).toBeVisible();
  await popup.getByRole('button', { name: 'Close' }).click();
  await expect(popup).toBeHidden();
  expect(page.url()).toBe(`${product.base}/`);

  // the page stays where it is
  const door = page.getByRole('banner').getByRole('link', { name: 'Login' });
  await door.click();
  await expect(popup).toBeVisible();
  expect(page.url()).toBe(`${product.base}/`);
  expect((await new AxeBuilder({ page }).include('dialog').analyze()).violations).toEqual([]);

  // R5-15: nothing is sent to a wrong number
  const calls: string[] = [];
  const said = new Map<string, string[]>();
  page.on('request', (request) => {
    if (request.method() !== 'POST') return;
    const { pathname } = new URL(request.url());
    calls.push(pathname);
    said.set(pathname, Object.keys(request.postDataJSON() ?? {}).sort());
  });
  const number = popup.getByLabel('Mobile number');
  const sends = popup.getByRole('button', { name: 'Send OTP' });
  await number.fill('12345');
  await sends.click();
  await expect(popup.getByRole('alert')).toHaveText('Invalid mobile number.');
  expect(calls).toEqual([]);

  // R8-01: the global text, and the button works again
  const mobile = newMobile();
  await page.route('**/api/v1/otpLogin', (route) => route.abort());
  await number.fill(mobile);
  // a digit too many is not taken, and that is said
  await number.press('End');
  await page.keyboard.type('9');
  await expect(popup.getByText('so we left out the last one')).toBeVisible();
  await expect(number).toHaveValue(mobile);
  await sends.click();
  await expect(popup.getByRole('alert')).toHaveText('Something Went Wrong');
  await expect(sends).toBeEnabled();
  await page.unroute('**/api/v1/otpLogin');

  // R5-16: while it is under way nobody presses it again
  const release = await hold(page, '**/api/v1/otpLogin');
  await sends.click();
  await expect(sends).toBeDisabled();
  release();
  await expect(popup.getByText(`Sent to +91 ${mobile}`)).toBeVisible();
  await page.unroute('**/api/v1/otpLogin');
  await popup.getByRole('button', { name: 'Change number' }).click();
  await expect(number).toHaveValue(mobile);
  const other = newMobile();
  await number.fill(other);
  await sends.click();
  const code = popup.getByLabel('One-time password');
  await expect(code).toBeVisible();

  // R9-52: the notice stands for two seconds
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  const resent = popup.getByText('OTP Resend successfully', { exact: true });
  await popup.getByRole('button', { name: 'Resend OTP' }).click();
  await expect(resent).toBeVisible();
  await page.clock.runFor(1_900);
  await expect(resent).toBeVisible();
  await page.clock.runFor(300);
  await expect(resent).toBeHidden();
  await page.clock.resume();

  // R5-18: six digits and no more; R5-17: no fewer
  await code.fill('12345678');
  await expect(code).toHaveValue('123456');
  await expect(popup.getByRole('alert')).toContainText("That code isn't right");
  // each digit is seen: the box is no wider than its six cells
  expect(await code.evaluate((box) => (box as HTMLInputElement).scrollWidth - box.clientWidth)).toBeLessThanOrEqual(0);
  expect(await code.evaluate((box) => box.scrollLeft)).toBe(0);
  await code.fill('12345');
  await popup.getByRole('button', { name: 'Log in' }).click();
  await expect(popup.getByRole('alert')).toHaveText('Please enter the 6-digit code');

  // R8-04: what fails otherwise is told as it is everywhere
  await page.route('**/api/v1/verifyLoginOtp', (route) => route.abort());
  await code.fill('123456');
  await popup.getByRole('button', { name: 'Log in' }).click();
  await expect(popup.getByRole('alert')).toHaveText('Something Went Wrong');
  await page.unroute('**/api/v1/verifyLoginOtp');

  // R8-02: the first of what the server says
  const errors = ['The first.', 'The second.'].map((text) => ({ pointer: '/otp', code: 'wrong', text }));
  await page.route('**/api/v1/verifyLoginOtp', (route) => route.fulfill({ status: 422, json: { status: 422, code: 'answer', errors } }));
  await popup.getByRole('button', { name: 'Log in' }).click();
  await expect(popup.getByRole('alert')).toHaveText('The first.');
  await page.unroute('**/api/v1/verifyLoginOtp');

  // R4-16: what a visitor left is gone, the token is there
  await page.evaluate(() => {
    for (const name of ['userinfo', 'insuranceinfotemp', 'healthinfo']) localStorage.setItem(name, '1');
  });
  await expect.poll(async () => (await product.messages(other)).length).toBe(2);
  await code.fill(await walk.code(other)); // the last digit sends it
  await page.waitForURL('**/dashboard');
  await expect(page.getByRole('heading', { level: 1, name: 'Your account' })).toBeVisible();
  const kept = await page.evaluate(() => Object.keys(localStorage).sort());
  expect(kept).toEqual(expect.arrayContaining(['token', 'userDetail']));
  expect(kept.filter((name) => ['userinfo', 'insuranceinfotemp', 'healthinfo'].includes(name))).toEqual([]);
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);

  // R3-10, R7.1-01
  expect(said.get('/api/v1/otpLogin')).toEqual(['mobile', 'source', 'sub_source']);
  expect(said.get('/api/v1/verifyLoginOtp')).toEqual(['authCode', 'mobile', 'otp', 'source', 'stays', 'sub_source']);

  // R4-17: a token says that somebody is logged in, an empty one does not
  const bar = page.getByRole('banner');
  const token = await page.evaluate(() => localStorage.token as string);
  await page.goto(product.base);
  await page.evaluate(() => localStorage.setItem('token', ''));
  await page.reload();
  await expect(bar.getByRole('link', { name: 'Login' })).toBeVisible();
  // R6-02: where there is none yet, the cookie opens the menu, and the token is set beside it
  await page.evaluate(() => localStorage.removeItem('token'));
  await page.reload();
  await expect(bar.locator('summary', { hasText: 'My account' })).toBeVisible();
  expect(await page.evaluate(() => localStorage.token)).toBe(token);
  await expect(bar.locator('summary', { hasText: 'My account' })).toBeVisible();

  // R2.1-03, R2.1-04: now the same links lead there
  await page.goto(product.base);
  await bar.getByRole('link', { name: 'Track & Policy Download' }).click();
  await page.waitForURL('**/dashboard');
  await page.goto(product.base);
  const profile = bar.locator('summary', { hasText: 'My account' });
  await profile.click();
  await bar.getByRole('link', { name: 'My account' }).click();
  await page.waitForURL('**/dashboard');

  // R2.2-15, R2.4-62, R3-12: the name that she gives greets her
  await page.goto(`${product.base}/editProfile`);
  await page.getByLabel('First name').fill('Asha');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForURL('**/dashboard');
  await expect(page.getByText('Good to see you, Asha.')).toBeVisible();
  await expect(bar.locator('summary', { hasText: 'Hi Asha' })).toBeVisible();
  expect(await page.evaluate(() => JSON.parse(localStorage.userDetail))).toEqual({ firstName: 'Asha' });

  // R4-18; R3-13: what was begun here, and the last page, are no longer kept either
  await page.evaluate(() => {
    for (const name of ['userinfo', 'healthinfo', 'lastvisit']) localStorage.setItem(name, '/before');
  });
  const tab = await page.context().newPage();
  await tab.goto(`${product.base}/dashboard`);
  await expect(tab.getByText('Good to see you, Asha.')).toBeVisible();
  await page.bringToFront();
  await bar.locator('summary', { hasText: 'Hi Asha' }).click();
  await bar.getByRole('button', { name: 'Logout' }).click();
  await page.waitForURL(`${product.base}/`);
  // another tab shows nothing of hers any more
  await expect(tab.getByRole('dialog', { name: 'Log in' })).toBeVisible();
  await expect(tab.getByText('Asha')).toHaveCount(0);
  await tab.close();
  const gone = ['token', 'userDetail', 'userinfo', 'healthinfo'];
  expect(await page.evaluate((names) => names.filter((name) => name in localStorage), gone)).toEqual([]);
  expect(['/', undefined], 'that of the page that is open now').toContain(await page.evaluate(() => localStorage.lastvisit));
  await page.goto(`${product.base}/dashboard`);
  await expect(popup).toBeVisible();
  await product.stop();
});

test('a browser keeps what was begun in it, and nothing of it (R3-13)', async ({ page, walk }) => {
  const { product } = walk;
  const kept = () => page.evaluate(() => ({ ...localStorage }));
  const mobile = newMobile();
  /** What a journey that begins now is kept as. */
  const begins = async (path: string, button: string) => {
    const begun = page.waitForResponse((answer) => answer.request().method() === 'POST' && answer.url().endsWith('/api/v1/journeys'));
    await page.goto(`${product.base}${path}`);
    await settled(page);
    await page.getByLabel(/^(Your n|N)ame/).first().fill('Asha Rao');
    await page.getByLabel('Mobile number').fill(mobile);
    if (path.startsWith('/health')) await page.getByLabel('Pincode of your home').fill('560001');
    await page.getByRole('checkbox').check();
    await page.getByRole('button', { name: button }).click();
    const { workflow, id } = (await (await begun).json()).journey;
    const told = JSON.stringify({ workflow, id });
    await expect.poll(async () => (await kept()).userinfo).toBe(told);
    return told;
  };
  const asked = await begins('/call-me-back', 'Call me back');
  const { insuranceinfotemp, healthinfo } = await kept();
  expect([insuranceinfotemp, healthinfo], 'of no product').toEqual([undefined, undefined]);
  const visit = await begins('/health-insurance/advisor-at-home', 'Book a free visit');
  expect([(await kept()).healthinfo, (await kept()).insuranceinfotemp]).toEqual([visit, undefined]);
  expect(visit).not.toBe(asked);
  const all = JSON.stringify(await kept());
  for (const told of ['Asha', mobile]) expect(all).not.toContain(told);
});

test('a session that ends elsewhere asks for the login, page and typed text stay (R8-12)', async ({ page, browser }) => {
  const product = await Product.start({ JOURNEY_OTP__RESEND_MS: '0' });
  const walk = new Walk(page, product);
  const mobile = newMobile();
  const logIn = async (on: typeof page) => {
    const popup = on.getByRole('dialog', { name: 'Log in' });
    const before = (await product.messages(mobile)).length;
    await popup.getByLabel('Mobile number').fill(mobile);
    await popup.getByRole('button', { name: 'Send OTP' }).click();
    await expect.poll(async () => (await product.messages(mobile)).length).toBeGreaterThan(before);
    await popup.getByLabel('One-time password').fill(await walk.code(mobile)); // the last digit sends it
  };
  await page.setViewportSize(desk);
  await page.goto(`${product.base}/#login`);
  await logIn(page);
  await page.waitForURL('**/dashboard');
  const other = await (await browser.newContext()).newPage();
  await other.goto(`${product.base}/#login`);
  await logIn(other);
  await other.waitForURL('**/dashboard');

  // this one is marked, the other one ends with a press
  await page.reload();
  const sessions = page.getByRole('region', { name: 'Where you are logged in' });
  await expect(sessions.getByRole('row')).toHaveCount(3);
  await expect(sessions.getByText('Chrome on Linux, this one')).toBeVisible();
  await other.goto(`${product.base}/editProfile`);
  await other.getByLabel('First name').fill('Asha');
  await page.getByRole('button', { name: 'Log out Chrome on Linux' }).click();
  await expect(sessions.getByRole('row')).toHaveCount(2);
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);

  // there, the next call says so: what was typed is kept and goes through after the login
  await other.getByRole('button', { name: 'Save' }).click();
  await expect(other.getByRole('dialog', { name: 'Log in' })).toBeVisible();
  expect(await other.evaluate(() => localStorage.token)).toBeUndefined();
  await logIn(other);
  await expect(other.getByRole('dialog', { name: 'Log in' })).toBeHidden();
  expect(new URL(other.url()).pathname).toBe('/editProfile');
  await expect(other.getByLabel('First name')).toHaveValue('Asha');
  await other.getByRole('button', { name: 'Save' }).click();
  await other.waitForURL('**/dashboard');
  await expect(other.getByText('Good to see you, Asha.')).toBeVisible();

  // everywhere
  await other.getByRole('button', { name: 'Log out everywhere' }).click();
  await other.getByRole('dialog').getByRole('button', { name: 'Log out everywhere' }).click();
  await expect(other.getByRole('dialog', { name: 'Log in' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('dialog', { name: 'Log in' })).toBeVisible();
  await product.stop();
});

test('without a login every public page is there and opens the popup, and nobody\'s account is (R6-01)', async ({ page }) => {
  const product = await Product.start();
  const listed = async (list: string) => {
    const text = await (await fetch(product.base + list)).text();
    return [...text.matchAll(/<loc>[^<]*?\/\/[^/<]+([^<]*)<\/loc>/g)].map((found) => found[1] || '/');
  };
  const paths: string[] = [];
  // of each kind some, from its first to its last: one address may ask for so many at once
  for (const kind of await listed('/sitemap.xml')) {
    const all = await listed(kind);
    paths.push(...all.filter((_, at) => at % Math.ceil(all.length / 50) === 0));
  }
  expect(paths.length).toBeGreaterThan(40);
  // by somebody else: some pages remember their language or whose partner sent them
  for (const path of paths) expect((await fetch(product.base + path)).status, path).toBe(200);
  const popup = page.getByRole('dialog', { name: 'Log in' });
  // one of each kind: home, content, a list, a page with a journey in it, a first step
  for (const path of ['/', '/privacy-policy', '/car-insurance/companies', '/sme', '/car-insurance']) {
    await page.goto(product.base + path);
    await page.evaluate(() => {
      location.hash = 'login';
    });
    await expect(popup, path).toBeVisible();
  }
  for (const call of ['account/dashboard', 'account/policy-details', 'account/tracker']) {
    const refused = await page.request.get(`${product.base}/api/v1/${call}`);
    expect([refused.status(), (await refused.json()).code]).toEqual([401, 'sign_in']);
  }
  await product.stop();
});

test('the code of the page leads straight to the account, another number is no dead end (R1-17, R2.4-61)', async ({ page, walk }) => {
  const { product } = walk;
  const mobile = newMobile();
  await walk.open('/login');
  await walk.type('Mobile number', mobile);
  await walk.submit('Send OTP');
  await walk.type('One-time password', await walk.code(mobile));
  await page.waitForURL(/\/dashboard\??$/);
  await expect(page.getByRole('heading', { level: 1, name: 'Your account' })).toBeVisible();
  await expect(page.getByRole('dialog')).toBeHidden();
  await page.goto(product.base);
  await page.getByRole('banner').locator('summary', { hasText: 'My account' }).click();
  // the page is the home page before and after
  const left = page.waitForEvent('load');
  await page.getByRole('banner').getByRole('button', { name: 'Logout' }).click();
  await left;
  await page.waitForURL(`${product.base}/`);

  // back to the number and on again: the code that was sent is still asked for, and nothing more is sent
  const other = newMobile();
  await page.goto(`${product.base}/contact-us#login`);
  const popup = page.getByRole('dialog', { name: 'Log in' });
  // typed with the country before it, it is the same number: no stranger gets the code
  await popup.getByLabel('Mobile number').pressSequentially(`91 ${other}`);
  await expect(popup.getByLabel('Mobile number')).toHaveValue(other);
  await popup.getByRole('button', { name: 'Send OTP' }).click();
  await expect(popup.getByRole('button', { name: /^Resend OTP in 0:[0-3][0-9]$/ })).toBeDisabled();
  await popup.getByRole('button', { name: 'Change number' }).click();
  await popup.getByRole('button', { name: 'Send OTP' }).click();
  await popup.getByLabel('One-time password').fill(await walk.code(other));
  await page.waitForURL(/\/dashboard\??$/);
  expect((await product.messages(other)).length).toBe(1);
});

test('a browser that keeps no cookies is told so before a code is sent', async ({ page, walk }) => {
  await page.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, 'cookieEnabled', { get: () => false });
  });
  const mobile = newMobile();
  await page.goto(`${walk.product.base}/#login`);
  const popup = page.getByRole('dialog', { name: 'Log in' });
  await popup.getByLabel('Mobile number').fill(mobile);
  await popup.getByRole('button', { name: 'Send OTP' }).click();
  await expect(popup.getByRole('alert')).toContainText('This site needs cookies');
  await expect(popup.getByRole('link', { name: /^No code\? Call us/ })).toBeVisible();
  await walk.open('/health-insurance/advisor-at-home');
  await walk.type('Name', 'Asha Rao');
  await walk.type('Mobile number', mobile);
  await page.getByLabel('Pincode of your home').fill('560001');
  await page.getByRole('checkbox').check();
  await walk.submit('Book a free visit');
  await expect(page.getByText('This site needs cookies').first()).toBeVisible();
  expect(await walk.product.messages(mobile)).toEqual([]);
});

test('a code that cannot be sent is said within seconds, with other ways to us', async ({ page, walk }) => {
  const { product } = walk;
  const sms = (mode: string) => product.switch({ partner: 'sms', operation: 'send', mode });
  await sms('fail');
  try {
    await page.goto(`${product.base}/contact-us#login`);
    const popup = page.getByRole('dialog', { name: 'Log in' });
    await popup.getByLabel('Mobile number').fill(newMobile());
    await popup.getByRole('button', { name: 'Send OTP' }).click();
    await expect(popup.getByRole('alert')).toContainText("We couldn't send the code yet", { timeout: 12_000 });
    await expect(popup.getByRole('link', { name: 'Write on WhatsApp' })).toBeVisible();
    expect((await new AxeBuilder({ page }).include('dialog').analyze()).violations).toEqual([]);
  } finally {
    await sms('normal');
  }
});
