/** Readers of pages in other ways: without scripts, and on paper. */
import { expect, newMobile, test } from '../support/walk.ts';

test('without scripts every text is there, every question opens, and the forms send (pages-O43)', async ({ browser, product }) => {
  const page = await browser.newPage({ javaScriptEnabled: false });
  for (const path of ['/car-insurance', '/car-insurance/idv', '/health-insurance', '/investment/sip-calculator']) {
    await page.goto(`${product.base}${path}`);
    const questions = page.locator('main details');
    expect(await questions.count(), path).toBeGreaterThan(0);
    for (const question of await questions.all()) {
      if ((await question.getAttribute('open')) === null) await question.locator('summary').first().click();
      await expect(question.locator('summary ~ *').first()).toBeVisible();
    }
    for (const form of await page.locator('main form').all()) {
      expect(await form.getAttribute('method'), `${path}: a form that goes nowhere`).not.toBeNull();
    }
  }
  await page.goto(`${product.base}/car-insurance`);
  await page.getByLabel('Registration number').first().fill('DL3CAB1234');
  await page.getByRole('button', { name: 'See my prices' }).first().click();
  await expect(page).toHaveURL(/\/car-insurance.*request=/);
  await page.goto(`${product.base}/call-me-back`);
  await page.getByLabel('Your name').fill('Asha Rao');
  await page.getByLabel('Mobile number').fill(newMobile());
  await page.getByRole('button', { name: 'Call me back' }).click();
  await expect(page).toHaveURL(/\/call-me-back\/thanks\?request=/);
  await page.close();
});

test('what to do after an accident fits on one sheet (pages-O44)', async ({ page, product }) => {
  await page.goto(`${product.base}/motor-insurance/careline`);
  const sheets = async () => (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page[^s]/g)?.length;
  expect(await sheets()).toBe(1);
});
