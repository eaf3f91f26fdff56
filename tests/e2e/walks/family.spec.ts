/** A line of business that is files alone: a mother insures her family on a phone. */
import { Family, birthday } from '../support/family.ts';
import { paise } from '../support/motor.ts';
import { Product } from '../support/product.ts';
import { Walk, expect, test as base } from '../support/walk.ts';

const test = base.extend<{ walk: Walk }, { insured: Product }>({
  insured: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner wants a pattern
    async ({}, use) => {
      const product = await Product.startWith('family');
      await use(product);
      await product.stop();
    },
    { scope: 'worker' },
  ],
  walk: async ({ page, insured }, use) => {
    await use(new Walk(page, insured));
  },
});

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

const SECTIONS = ['Trending plans', 'Top claims', 'PED plans', 'Comprehensive plans', 'Cost effective plans', 'All plans'];

test('family: members, plans in six sections, a corrected person, and the policy', async ({ walk, page }) => {
  const family = new Family(walk);

  await test.step('children come with a grown-up; then a family of four', async () => {
    await family.open();
    await family.answer('You', 'To be insured?', 'No');
    await family.child(1, 'Son', 8);
    for (const who of ['Your husband or wife', 'Your father', 'Your mother']) await family.answer(who, 'To be insured?', 'No');
    await walk.submit('Continue');
    await expect(page.getByText('Children are insured together with their mother or father.').first()).toBeVisible();
    await walk.accessible();
    await family.insure('You', 36);
    await family.insure('Your husband or wife', 38);
    await family.answer('Your husband or wife', 'Husband or wife?', 'Husband');
    await family.child(2, 'Daughter', 5);
    await walk.submit('Continue');
    await family.shared.contact();
    await family.shared.otp();
    await family.needs();
  });

  await test.step('plans come in six sections, in one order', async () => {
    await family.at('Plans for you', '/quotes');
    await expect(page.getByText('You (36), Your husband (38), Son (8), Daughter (5)')).toBeVisible();
    for (const title of SECTIONS) await expect(page.getByRole('heading', { level: 2, name: title })).toBeVisible({ timeout: 30_000 });
    await expect(page.getByText(/without an offer/)).toBeVisible({ timeout: 30_000 });
    await walk.accessible();
    await page.getByRole('combobox', { name: /^Sort by/ }).selectOption({ label: 'Lowest price' });
    for (const title of SECTIONS) {
      const amounts = await page.getByRole('list', { name: title }).locator('.option-amount').allTextContents();
      const prices = amounts.map(paise);
      expect(prices.length, title).toBeGreaterThan(0);
      expect(prices, title).toEqual([...prices].sort((a, b) => a - b));
    }
  });

  await test.step('she jumps to a section, narrows it and chooses', async () => {
    await walk.press(/^PED plans/);
    await expect(page.getByRole('heading', { level: 2, name: 'PED plans' })).toBeFocused();
    await expect(page.getByRole('heading', { level: 2, name: 'PED plans' })).toBeInViewport();
    await page.getByRole('combobox', { name: /^Insurer/ }).selectOption({ label: 'Care' });
    const card = page.getByRole('list', { name: 'PED plans' }).getByRole('article');
    await expect(card).toHaveAccessibleName('Care Health, Care Freedom');
    await card.getByRole('button', { name: /^Choose/ }).click();
    await family.proposer('Asha', birthday(36));
  });

  await test.step('people, one of them corrected', async () => {
    await family.at('The people to insure', '/checkout-members');
    await family.person({ who: 'You', age: 36, height: "5'5", weight: '60', smokes: false });
    await family.person({ who: 'Your husband', age: 38, first: 'Ravi', dob: birthday(37), height: '170', weight: '72', smokes: false });
    await family.person({ who: 'Son', age: 8, first: 'Kabir', dob: birthday(8), height: '128', weight: '26' });
    await family.person({ who: 'Daughter', age: 5, first: 'Tara', dob: birthday(5), height: '109', weight: '18' });
    await walk.submit('Continue');
    await expect(page.getByText('Your husband: on the first page you said 38 years, this birthday makes 37.').first()).toBeVisible();
    await walk.accessible();
    await family.person({ who: 'Your husband', age: 38, dob: birthday(38), height: '170', weight: '72' });
    await walk.submit('Continue');
  });

  await test.step('nominee, medical history, address, identity', async () => {
    await family.shared.nominee();
    await family.healthy(['You', 'Your husband', 'Son', 'Daughter']);
    await family.address();
    await family.shared.kyc();
  });

  await test.step('the check page has a part for each person; she pays and has the policy', async () => {
    await walk.at('Check your answers', '/confirm');
    await expect(page.getByText('Ravi').first()).toBeVisible();
    await family.shared.confirm();
    await family.shared.pay(/^Pay ₹/);
    expect(await family.shared.issued()).toMatch(/^CARE-/);
  });
});
