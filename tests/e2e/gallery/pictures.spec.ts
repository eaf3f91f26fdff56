/**
 * A picture of every step, in pictures/<workflow>-<step>-<width>.png. With PICTURES=all at four widths, by day and by
 * night (`-dark`), in pictures/all, which is not kept.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Motor, bike, car } from '../support/motor.ts';
import { Visit } from '../support/visit.ts';
import { type Walk, expect, test } from '../support/walk.ts';

const all = process.env.PICTURES === 'all';
const folder = join(import.meta.dirname, all ? '../pictures/all' : '../pictures');
const highest = 1800;
const heights = { 360: 800, 390: 844, 768: 1024, 1280: 900 };
const widths = all ? ([360, 390, 768, 1280] as const) : ([390, 1280] as const);
const schemes = all ? (['light', 'dark'] as const) : (['light'] as const);

for (const { width, scheme } of widths.flatMap((width) => schemes.map((scheme) => ({ width, scheme })))) {
  const viewport = { width, height: heights[width] };
  const name = scheme === 'dark' ? `${width}-dark` : `${width}`;
  test.describe(`${width} px, ${scheme}`, () => {
    test.use({ viewport, colorScheme: scheme, deviceScaleFactor: 1 });

    test('car', async ({ walk, page }) => {
      const take = camera(walk, 'car', name);
      walk.arrived = take;
      const motor = new Motor(walk, car);
      await walk.open('/car-insurance');
      await walk.press('See my prices');
      await take('start-error');
      await motor.number('dl3cab1234');
      await motor.contact();
      await motor.otp();
      await motor.vehicle();
      await motor.previous();
      await motor.quotes(20);
      const order = page.getByRole('button', { name: /Show in order/ });
      if (await order.isVisible()) await order.click();
      await take('quotes');
      if (viewport.width < 600) await motor.choices(() => take('quotes-choices', false));
      await page.getByText('Price breakup').first().click();
      await page.getByLabel(/^Compare/).nth(0).check();
      await page.getByLabel(/^Compare/).nth(1).check();
      await take('quotes-breakup');
      await page.getByRole('region', { name: 'Compare' }).getByRole('button', { name: 'Compare' }).click();
      await take('quotes-compare', false);
      await page.keyboard.press('Escape');
      await motor.buy('New India Assurance');
      await motor.person();
      await motor.address();
      await walk.at('Your nominee', '/checkout-nominee');
      await walk.press('Continue');
      await expect(page.locator('.field-error')).toHaveCount(3);
      await take('checkout-nominee-error');
      walk.arrived = undefined;
      await motor.nominee();
      walk.arrived = take;
      await motor.papers();
      await motor.kyc('ABCPE0000F');
      await expect(page.getByText('The KYC is unsuccessful.')).toBeVisible();
      await take('checkout-kyc-error');
      await walk.type('PAN', 'ABCPE1234F');
      await walk.press('Verify KYC');
      await motor.confirm();
      await expect(page).toHaveURL(/sandbox\/pages/);
      await take('gateway');
      await motor.pay('The bank refuses');
      await walk.at('The payment did not go through');
      await walk.press('Try again');
      await motor.pay('The bank takes a while');
      await walk.at('Your payment is on its way');
      await walk.at('Payment received');
      await motor.issued();
      await walk.press('See the whole policy');
      await walk.at('Your policy at a glance');
    });

    test('car, company and new', async ({ walk, page }) => {
      const take = camera(walk, 'car', name);
      const motor = new Motor(walk, car);
      await motor.withoutNumber('New car');
      await motor.contact();
      await motor.otp();
      await walk.at('Your new car');
      await walk.lookUp('Make', 'maruti', /^Maruti Suzuki/);
      await page.getByRole('combobox', { name: 'Model' }).click();
      await expect(page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option').nth(3)).toBeVisible();
      await take('new-vehicle');
      await page.goto(`${walk.product.base}/car-insurance/quotes?request=unknown`);
      await take('unknown');
    });

    test('advisor at home', async ({ walk, page }) => {
      const take = camera(walk, 'visit', name);
      walk.arrived = take;
      const visit = new Visit(walk);
      await visit.landing();
      await page.locator('[data-block="steps"]').scrollIntoViewIfNeeded();
      await page.mouse.wheel(0, 300);
      await take('start-scrolled', false);
      await walk.press('Book a free visit');
      await take('start-error');
      await visit.details();
      await visit.otp();
      await visit.address();
      await visit.at('When should we come?', '/time');
      await walk.press('Book this time');
      await take('time-error');
      await visit.choose(1, 1);
      await take('time-chosen');
      await walk.submit('Book this time');
      await visit.at('Your visit is booked', '/visit');
      await take('booked');
      const link = await visit.link();
      await walk.press('Choose another time');
      await visit.at('Choose a new time', '/new-time');
      await walk.press('Keep the time I have');
      await visit.at('Your visit is booked', '/visit');
      walk.arrived = undefined;
      const desk = await page.context().newPage();
      for (const [button, title, became] of [
        ['Rescheduled', 'Your visit has been moved', 'moved'],
        ['Follow-up', 'We will call you', 'follow-up'],
        ['Closed', 'Your request is closed', 'closed'],
      ] as const) {
        await visit.report(desk, button);
        await visit.at(title, '/visit');
        await take(became);
      }
      await page.context().clearCookies();
      await page.goto(link);
      await expect(walk.heading('Open your request')).toBeVisible();
      await take('link');
      await page.goto(`${walk.product.base}/r/AAAAAAAAAAAAAAAAAAAAAA`);
      await take('link-over');
      await page.goto(`${walk.product.base}/sandbox/partners/visits/v1/desk`);
      await take('desk');
    });

    test('bike', async ({ walk }) => {
      walk.arrived = camera(walk, 'bike', name);
      await walk.open(bike.base);
      await walk.at(/^Bike insurance/, '/bike-insurance');
    });
  });
}

function camera(walk: Walk, workflow: string, name: string): (step: string, whole?: boolean) => Promise<void> {
  mkdirSync(folder, { recursive: true });
  return async (step, whole = true) => {
    // a header that stays on top belongs to the top of the whole page
    if (whole) await walk.page.evaluate(() => scrollTo(0, 0));
    const [width, tall] = await walk.page.evaluate(() => [innerWidth, document.documentElement.scrollHeight] as const);
    await walk.page.screenshot({
      path: join(folder, `${workflow}-${step}-${name}.png`),
      animations: 'disabled',
      caret: 'hide',
      // a dialog belongs to the window, not to the page
      ...(whole ? { fullPage: true, clip: { x: 0, y: 0, width, height: Math.min(highest, tall) } } : {}),
    });
  };
}
