/** Narrow windows and large letters: nothing is cut off and nobody scrolls sideways. */
import type { Page } from '@playwright/test';
import { Motor, car } from '../support/motor.ts';
import { expect, test } from '../support/walk.ts';

/** What reaches beyond the window on the right, apart from what scrolls within itself. */
const beyond = (page: Page) =>
  page.evaluate(() => {
    const edge = document.documentElement.clientWidth;
    const scrolls = (one: Element | null): boolean =>
      one !== null && one !== document.body && (['auto', 'scroll', 'hidden'].includes(getComputedStyle(one).overflowX) || scrolls(one.parentElement));
    const found = [...document.body.querySelectorAll('*')].filter(
      (one) => one.checkVisibility() && one.getBoundingClientRect().right > edge + 1 && !scrolls(one) && getComputedStyle(one).position !== 'fixed',
    );
    return [...(document.documentElement.scrollWidth > edge ? [`the page: ${document.documentElement.scrollWidth} of ${edge}`] : []), ...found.map((one) => `${one.tagName}.${one.className}`)];
  });

test.use({ viewport: { width: 320, height: 844 }, hasTouch: true });

test('from the home page to the payment nobody scrolls sideways, at 320 px and with letters of twice their size', async ({ page, walk, product }) => {
  walk.axe = false;
  const found: string[] = [];
  const look = async (step: string) => {
    for (const [width, letters] of [
      [390, '200%'],
      [320, '100%'],
    ] as const) {
      await page.setViewportSize({ width, height: 844 });
      await page.evaluate((size) => (document.documentElement.style.fontSize = size), letters);
      found.push(...(await beyond(page)).map((one) => `${step}, ${width} px, ${letters}: ${one}`));
    }
  };
  walk.arrived = look;
  await page.goto(product.base);
  await look('home');
  const motor = new Motor(walk, car);
  await motor.number('dl3cab1234');
  await motor.contact();
  await motor.otp();
  await motor.vehicle();
  await motor.previous();
  await motor.quotes(20);
  await look('all quotes');
  await motor.buy('HDFC ERGO');
  await motor.person();
  await motor.address();
  await motor.nominee();
  await motor.papers();
  await motor.kyc();
  await motor.confirm();
  expect(found).toEqual([]);
});
