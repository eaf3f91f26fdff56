/** What goes wrong after buying: a claim from its page to what the insurer says, and a complaint to its answer, on a phone. */
import { type Walk, expect, newMobile, test } from '../support/walk.ts';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

/** Our people tell at their desk how far the newest case is. */
async function told(walk: Walk, reference: string, words: string, press: string): Promise<void> {
  const desk = await walk.page.context().newPage();
  await desk.goto(`${walk.product.base}/sandbox/partners/desk/v1/desk`);
  await desk.getByLabel('Reference').fill(reference);
  await desk.getByLabel('Words for the customer').fill(words);
  await desk.getByRole('button', { name: press, exact: true }).click();
  await expect(desk.getByText(/^Told: /)).toBeVisible();
  await desk.close();
}

const reference = async (walk: Walk): Promise<string> => /(?:CL|GR)-\d{8}-\d+/.exec((await walk.page.locator('#app .facts').first().textContent()) ?? '')?.[0] ?? '';

test('a claim is reported from its page and followed; a complaint about it has a number, a day and an answer', async ({ walk, page, product }) => {
  const mobile = newMobile();

  await test.step('what to do now stands on the page, before anything is asked', async () => {
    await page.goto(`${product.base}/claims/car`);
    await expect(page.getByText('Call 112 first').first()).toBeVisible();
    await expect(page.getByText('Get everyone to safety', { exact: false }).first()).toBeVisible();
    await expect(page.getByText('022 6234 6234')).toBeVisible();
    await walk.accessible();
    const insurer = page.getByRole('combobox', { name: 'Insurer' });
    await insurer.click();
    await page.locator('.place[data-ready]').waitFor();
    await walk.lookUp('Insurer', 'HDFC', 'HDFC ERGO');
    await walk.press('Continue');
  });

  await test.step('what happened, and who claims', async () => {
    await walk.at('What happened?', '/claim/what-happened');
    await walk.choose('What happened?', 'An accident');
    await walk.date('When?', '2026-11-20');
    await walk.type('Pincode of its current location', '110001');
    await walk.submit('Continue');
    await walk.at('How can we reach you?', '/claim/contact');
    await walk.type('Your name', 'Asha Rao');
    await walk.type('Mobile number', mobile);
    await walk.submit('Continue');
    await walk.at('Enter the code we sent you', '/claim/otp');
    await walk.type('One-time password', await walk.code(mobile));
  });

  await test.step('steps, telephone, garages and papers; the insurer takes it up', async () => {
    await walk.at('Your claim is on its way', '/claim/status');
    await expect(page.getByRole('link', { name: 'HDFC ERGO, claims: 022 6234 6234' })).toHaveAttribute('href', 'tel:+912262346234');
    await expect(page.getByText('Cashless garages near 110001')).toBeVisible();
    await told(walk, await reference(walk), 'The surveyor comes tomorrow at 10 am.', 'Registered with the insurer');
    await expect(page.getByText('The surveyor comes tomorrow at 10 am.')).toBeVisible();
  });

  await test.step('a complaint of who is known asks for its words alone', async () => {
    await page.getByRole('link', { name: /Complain$/ }).click();
    await walk.at('Make a complaint', '/complaint');
    await walk.select('What is it about?', 'A claim');
    await walk.type('What happened?', 'short');
    await walk.press('Continue');
    await walk.errors(['Please tell us a little more']);
    await walk.type('What happened?', 'Nobody told me when the surveyor comes.');
    await walk.submit('Continue');
    await walk.at('We are looking into it', '/complaint/status');
    await expect(page.getByText(/^An answer by \d+ \w+ 20\d\d$/)).toBeVisible();
    await told(walk, await reference(walk), 'He comes at 10; we are sorry.', 'Answered');
    await walk.at('Our answer', '/complaint/status');
    await expect(page.getByText('He comes at 10; we are sorry.')).toBeVisible();
    await walk.press('This is resolved');
    await walk.at('Your complaint is closed');
  });

  await test.step('both stand on the account', async () => {
    await page.goto(`${product.base}/dashboard`);
    await expect(page.getByRole('heading', { name: 'Your claims' })).toBeVisible();
    await expect(page.getByText('Registered with the insurer', { exact: false })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Your complaints' })).toBeVisible();
    await walk.accessible();
  });
});
