/** The first steps on a small phone and on a slow line: the way on is in sight, nothing moves, nothing is sent twice. */
import { Motor, car } from '../support/motor.ts';
import { Product } from '../support/product.ts';
import { expect, test, Walk } from '../support/walk.ts';

test('the button of every first step stands in a window of 320 by 640', async ({ page, product }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  expect(product.landings.length).toBeGreaterThan(2);
  for (const path of ['/', ...product.landings]) {
    await page.goto(product.base + path);
    await expect(page.locator('#app, main').first().locator('[type=submit]').first(), path).toBeInViewport({ ratio: 1 });
  }
});

test('on a slow line nothing moves after the first answer, and what needs a proof is sent once with it', async ({ page }) => {
  const product = await Product.start({ JOURNEY_OTP__UNPROVEN_PER_ADDRESS_HOUR: '0' });
  const walk = new Walk(page, product);
  walk.otherWindows = false;
  await page.setViewportSize({ width: 390, height: 844 });
  await page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => shifts.push(...list.getEntries().map((entry) => (entry as unknown as { value: number }).value))).observe({ type: 'layout-shift', buffered: true });
  });
  const line = await page.context().newCDPSession(page);
  await line.send('Network.enable');
  await line.send('Network.emulateNetworkConditions', { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 });
  const answers: string[] = [];
  page.on('response', (answer) => {
    if (answer.request().method() === 'POST' && answer.url().includes('/api/v1/journeys')) answers.push(`${answer.status()} ${new URL(answer.url()).pathname.replace(/[0-9a-f]{32}/, 'id')}`);
  });
  const motor = new Motor(walk, car);
  await motor.number('DL3CAB1234');
  await expect(walk.field('Mobile number')).toBeVisible();
  const shifts = await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts);
  expect(shifts.reduce((sum, one) => sum + one, 0)).toBeLessThan(0.02);
  await motor.contact();
  await walk.at('Enter the code we sent you', '/otp');
  expect(answers.filter((answer) => !answer.includes('presence'))).toEqual(['201 /api/v1/journeys', '200 /api/v1/journeys/id/events']);
  await product.stop();
});
