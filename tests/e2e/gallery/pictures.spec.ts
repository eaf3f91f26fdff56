/**
 * A picture of every step, in pictures/<workflow>-<step>-<width>.png, and of ten in Hindi or by night. With PICTURES=all at four widths, by day and by night
 * (`-dark`), in English and Hindi (`-hi`), and of the site's other pages too, in pictures/all. None is kept: the four of
 * docs/pictures are copies that change rarely.
 * What a page says differs by language: answers are given over the API, and what is pressed is found by its place.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ahead } from '../support/ahead.ts';
import { Motor, bike, car, day } from '../support/motor.ts';
import { appCode } from '../support/staff.ts';
import { Visit } from '../support/visit.ts';
import { type Walk, expect, newMobile, test } from '../support/walk.ts';

const all = process.env.PICTURES === 'all';
const folder = join(import.meta.dirname, all ? '../pictures/all' : '../pictures');
const highest = all ? 4200 : 1800;
const heights = { 360: 800, 390: 844, 768: 1024, 1280: 900 };
const widths = all ? ([1280, 768, 390, 360] as const) : ([1280, 390] as const);
const schemes = ['light', 'dark'] as const;
const languages = ['en', 'hi'] as const;
/** Taken although they are neither by day nor in English. */
const others = new Set([
  ...['car-start', 'car-quotes', 'car-confirm', 'car-post-payment-success', 'visit-time'].map((step) => `${step}-390-hi`),
  ...['car-start', 'car-vehicle', 'car-quotes', 'car-confirm', 'car-post-payment-success'].map((step) => `${step}-390-dark`),
]);

for (const language of languages) {
  test.describe(language, () => {
    test.use({ viewport: { width: 1280, height: heights[1280] }, deviceScaleFactor: 1 });
    test.beforeEach(async ({ page, product }) => {
      // the browser keeps the choice
      await page.goto(`${product.base}/?lang=${language}`);
      await expect(page.locator('html')).toHaveAttribute('lang', language);
    });

    test('car, to the prices', async ({ walk, page }) => {
      const { take, show } = new Camera(walk, 'car', language);
      await walk.open(car.base);
      await take('start');
      await submit(walk, 1);
      await take('start-error');
      const mobile = newMobile();
      const ahead = await begun(walk);
      await show(ahead, 'contact');
      await ahead.submit('contact', { ...asha, mobile });
      await show(ahead, 'otp');
      await ahead.submit('otp', { code: await walk.code(mobile) });
      await show(ahead, 'vehicle');
      await ahead.submit('vehicle', {});
      await show(ahead, 'previous-policy');
      await ahead.submit('previous-policy', lastPolicy());
      await ahead.open('quotes');
      await priced(walk);
      await take('quotes');
      await page.setViewportSize({ width: 390, height: heights[390] });
      await page.locator('.offers-bar button').click();
      await take('quotes-choices', { whole: false, most: 599 });
      await page.keyboard.press('Escape');
      await page.locator('.option-more summary').first().click();
      for (const nth of [0, 1]) await page.locator('.option-more .option-compare input').nth(nth).check();
      await take('quotes-breakup');
      await page.locator('.compare-bar .button').click();
      await take('quotes-compare', { whole: false });
    });

    test('car, from an offer to the payment page', async ({ walk, page }) => {
      const { take, show } = new Camera(walk, 'car', language);
      const ahead = await bought(walk);
      await show(ahead, 'checkout');
      await ahead.submit('checkout', owner);
      await show(ahead, 'checkout-address');
      await ahead.submit('checkout-address', address);
      await show(ahead, 'checkout-nominee');
      await submit(walk, 3);
      await take('checkout-nominee-error');
      await ahead.submit('checkout-nominee', nominee);
      await show(ahead, 'checkout-vehicle');
      await ahead.submit('checkout-vehicle', papers);
      await show(ahead, 'checkout-kyc');
      await ahead.submit('checkout-kyc', { ...identity, pan_number: 'ABCPE0000F' });
      await show(ahead, 'checkout-kyc', 'checkout-kyc-error');
      await ahead.submit('checkout-kyc', identity);
      await show(ahead, 'confirm');
      await submit(walk);
      await expect(page).toHaveURL(/sandbox\/pages/, { timeout: 30_000 });
      await take('gateway');
    });

    test('car, from the payment to the policy', async ({ walk, page, product }) => {
      const { take, show } = new Camera(walk, 'car', language);
      const motor = new Motor(walk, car);
      const ahead = await bought(walk);
      await ahead.submit('checkout', owner);
      await ahead.submit('checkout-address', address);
      await ahead.submit('checkout-nominee', nominee);
      await ahead.submit('checkout-vehicle', papers);
      await ahead.submit('checkout-kyc', identity);
      await ahead.open('confirm');
      await submit(walk);
      await motor.pay('The bank refuses');
      await show(ahead, 'payment-fail');
      await page.locator('.actions .button').first().click();
      await motor.pay('The bank takes a while');
      await expect(page).toHaveURL(/\/payment-pending/, { timeout: 60_000 });
      await expect(page.locator('.actions .button')).toBeVisible({ timeout: 30_000 });
      await take('payment-pending');
      // long enough for all its pictures
      await product.switch({ partner: 'new-india', operation: 'issue', mode: 'slow', delay_ms: 6_000, times: 1 });
      await expect(page).toHaveURL(/\/payment-success/, { timeout: 60_000 });
      await take('payment-success');
      await expect(page).toHaveURL(/\/post-payment-success/, { timeout: 60_000 });
      await show(ahead, 'post-payment-success');
      await ahead.send('post-payment-success', 'summary');
      await show(ahead, 'postpaymentsummary');
    });

    test('car, new; bike', async ({ walk, page, product }) => {
      const { take } = new Camera(walk, 'car', language);
      const ahead = await begun(walk, { kind: 'new' });
      await ahead.open('new-vehicle');
      const [make, model] = [page.getByRole('combobox').nth(0), page.getByRole('combobox').nth(1)];
      const options = page.getByRole('listbox').getByRole('option');
      await make.pressSequentially('maruti');
      await options.first().click();
      await model.click();
      await expect(options.nth(3)).toBeVisible();
      await take('new-vehicle');
      await page.goto(`${product.base}${car.base}/quotes?request=unknown`);
      await take('unknown');
      await walk.open(bike.base);
      await new Camera(walk, 'bike', language).take('start');
    });

    test('advisor at home', async ({ walk, page, product, browser }) => {
      const { take, show } = new Camera(walk, 'visit', language);
      const visit = new Visit(walk);
      await walk.open(visitBase);
      await take('start');
      await page.locator('[data-block="steps"]').scrollIntoViewIfNeeded();
      await page.mouse.wheel(0, 300);
      await take('start-scrolled', { whole: false });
      await submit(walk, 4);
      await take('start-error');
      const ahead = await Ahead.start(page, product.base, 'health/advisor-at-home', { ...asha, mobile: visit.mobile, pincode: '560001' });
      await show(ahead, 'otp');
      await ahead.submit('otp', { code: await walk.code(visit.mobile) });
      await show(ahead, 'address');
      await ahead.submit('address', { address_line_1: '12 Lake View', address_line_2: 'MG Road', email: visit.email, spoken: 'kn', topic: 'review' });
      await show(ahead, 'time');
      await submit(walk, 1);
      await take('time-error');
      await chooseTime(walk);
      await take('time-chosen');
      await submit(walk);
      await show(ahead, 'visit', 'booked');
      const link = await visit.link();
      await ahead.send('visit', 'reschedule');
      await show(ahead, 'new-time');
      await ahead.send('new-time', 'keep');
      await show(ahead, 'visit');
      const desk = await browser.newPage();
      const title = page.getByRole('heading', { level: 1 });
      for (const [button, became] of outcomes) {
        const before = (await title.textContent())!;
        await visit.report(desk, button);
        await expect(title).not.toHaveText(before);
        await take(became);
      }
      await desk.close();
      await page.context().clearCookies({ name: /^(?!__Host-language)/ });
      await page.goto(link);
      await take('link');
      await page.goto(`${product.base}/r/AAAAAAAAAAAAAAAAAAAAAA`);
      await take('link-over');
      await page.goto(`${product.base}/sandbox/partners/visits/v1/desk`);
      await take('desk');
    });

    if (!all) return;
    test('pages of the site', async ({ walk, page, product }) => {
      const { take } = new Camera(walk, 'site', language);
      for (const [name, address] of Object.entries(places)) {
        await page.goto(product.base + address);
        await take(name);
      }
      const mobile = newMobile();
      const ahead = await Ahead.start(page, product.base, 'account/login', { mobile });
      await ahead.submit('otp', { code: await walk.code(mobile) });
      await page.goto(`${product.base}/dashboard`);
      await take('dashboard');
    });

    test('for the house: staff and documentation', async ({ walk, page, product }) => {
      const { take, show } = new Camera(walk, 'house', language);
      const mobile = newMobile();
      const app = await product.run('staff', 'add', '--mobile', mobile, '--role', 'partner-agent', '--name', 'asha');
      await walk.open('/staff/login');
      await take('login');
      const ahead = await Ahead.start(page, product.base, 'account/staff', { mobile });
      await ahead.submit('otp', { code: await walk.code(mobile) });
      await show(ahead, 'code');
      await ahead.submit('code', { code: appCode(app) });
      for (const [name, address] of Object.entries({ desk: '/staff', records: '/staff/records', docs: '/docs' })) {
        await page.goto(product.base + address);
        await take(name);
      }
    });

    test('while she waits', async ({ walk, page, product }) => {
      const { take } = new Camera(walk, 'wait', language);
      const slow = (partner: string, operation: string) => product.switch({ partner, operation, mode: 'slow', delay_ms: 6_000, times: 1 });
      await slow('vahan', 'lookup');
      await walk.open(car.base);
      await page.locator('#app input:not([type=radio])').first().fill('KA1AB0404');
      await submit(walk);
      await expect(page.locator('.wait')).toBeVisible();
      await take('vehicle');
      const ahead = await bought(walk);
      await ahead.submit('checkout', owner);
      await ahead.submit('checkout-address', address);
      await ahead.submit('checkout-nominee', nominee);
      await ahead.submit('checkout-vehicle', papers);
      await ahead.open('checkout-kyc');
      await slow('kyc', 'verify');
      await ahead.submit('checkout-kyc', identity);
      await page.reload();
      await expect(page.locator('.wait')).toBeVisible();
      await take('identity');
    });
  });
}

/** Pages of the site, as a customer meets them beside her purchase. */
const places = {
  home: '/',
  companies: '/car-insurance/companies',
  company: '/car-insurance/companies/hdfc-ergo',
  health: '/health-insurance',
  life: '/life-insurance',
  later: '/travel-insurance',
  business: '/sme',
  contact: '/contact-us',
  privacy: '/privacy-policy',
  'not-found': '/no-such-page',
  login: '/login',
  account: '/dashboard',
  quote: '/sme/get-a-quote',
  'call-me-back': '/call-me-back',
};
const visitBase = '/health-insurance/advisor-at-home';
const outcomes = [
  ['Rescheduled', 'moved'],
  ['Follow-up', 'follow-up'],
  ['Closed', 'closed'],
] as const;
const asha = { name: 'Asha Rao', consent: true };
const lastPolicy = () => ({
  policy_type: 'comprehensive',
  active: true,
  previous_policy_end_date: day(20),
  owner_changed: false,
  claim: false,
  had_add_ons: false,
});
const owner = {
  customer_type: 'individual',
  proposer_title: 'Ms',
  proposer_first_name: 'Asha',
  proposer_last_name: 'Rao',
  proposer_gender: 'female',
  dob: '1990-04-12',
  proposer_email: 'asha@example.com',
  is_financed: false,
};
const address = { pincode: '110001', address_line_1: '12 Lake View', address_line_2: 'Janpath' };
const nominee = { nominee_name: 'Ravi Rao', nominee_age: 38, nominee_relation: 'spouse' };
const papers = { previous_policy_number: 'OG-25-1234-5678', terms: true };
const identity = {
  document: 'pan_card',
  pan_number: 'ABCPE1234F',
  occupation: 'salaried',
  income_source: 'salary',
  is_politically_exposed_person: false,
  kyc_consent: true,
};

const begun = ({ page, product }: Walk, vehicle: object = { registration: 'dl3cab1234', kind: 'registered' }): Promise<Ahead> =>
  Ahead.start(page, product.base, car.workflow!, { ...vehicle });

/** Prices are there, and stand in order. */
async function priced({ page }: Walk): Promise<void> {
  await expect.poll(() => page.locator('article.option').count(), { timeout: 30_000 }).toBeGreaterThanOrEqual(20);
  const order = page.locator('.options-pill button').first();
  if (await order.isVisible()) await order.click();
}

/** An offer is taken. */
async function bought(walk: Walk): Promise<Ahead> {
  const { page } = walk;
  const mobile = newMobile();
  const ahead = await begun(walk);
  await ahead.submit('contact', { ...asha, mobile });
  await ahead.submit('otp', { code: await walk.code(mobile) });
  await ahead.submit('vehicle', {});
  await ahead.submit('previous-policy', lastPolicy());
  await ahead.open('quotes');
  await priced(walk);
  await page.getByRole('article', { name: /^New India/ }).first().locator('.option-price .button').click();
  await ahead.at('checkout');
  return ahead;
}

/** Sends the form of the step; so many answers come back with an error. */
async function submit({ page }: Walk, errors = 0): Promise<void> {
  await page.locator('#app :is(button[type=submit], .form-actions .button)').first().click();
  if (errors > 0) await expect(page.locator('.field-error')).toHaveCount(errors);
}

/** The second day that has a free time, and the second of those. */
async function chooseTime({ page }: Walk): Promise<void> {
  for (const part of ['.slots-days', '.slots-times']) await page.locator(`${part} label:has(input:enabled)`).nth(1).click();
  await expect(page.locator('.slots-times input:checked')).toHaveCount(1);
}

class Camera {
  constructor(
    private readonly walk: Walk,
    private readonly workflow: string,
    private readonly language: string,
  ) {
    mkdirSync(folder, { recursive: true });
  }

  /** The page of this path. */
  readonly show = async (ahead: Ahead, path: string, name = path): Promise<void> => {
    await ahead.open(path);
    await this.take(name);
  };

  /** What the window shows, in every width up to `most` and by day and night; the whole page, or what stands in the window. */
  readonly take = async (name: string, { whole = true, most = 1280 } = {}): Promise<void> => {
    const { page } = this.walk;
    // nothing is pointed at
    await page.mouse.move(0, 0);
    for (const width of widths.filter((one) => one <= most)) {
      for (const scheme of schemes) {
        await page.emulateMedia({ colorScheme: scheme });
        const look = [...(scheme === 'dark' ? ['dark'] : []), ...(this.language === 'en' ? [] : [this.language])];
        const file = [this.workflow, name, width, ...look].join('-');
        if (all || look.length === 0 || others.has(file)) await this.press(`${file}.png`, width, whole);
      }
    }
  };

  private async press(file: string, width: number, whole: boolean): Promise<void> {
    const { page } = this.walk;
    const height = heights[width as keyof typeof heights];
    await page.setViewportSize({ width, height });
    if (whole) {
      // what stays at the edge of the window belongs to the edge of the picture
      await page.evaluate(() => scrollTo(0, 0));
      const tall = await page.evaluate(() => document.documentElement.scrollHeight);
      await page.setViewportSize({ width, height: Math.max(height, Math.min(highest, tall)) });
    }
    await page.screenshot({ path: join(folder, file), animations: 'disabled', caret: 'hide' });
    await page.setViewportSize({ width, height });
  }
}
