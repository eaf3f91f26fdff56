/** A customer with a registered car buys on a phone, with every correction the form asks for. */
import { execFileSync } from 'node:child_process';
import { Motor, car, paise } from '../support/motor.ts';
import { codeOn, factsOf, tagsOf, wordsOf } from '../support/paper.ts';
import { expect, test } from '../support/walk.ts';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

test('phone: from the registration number to the policy (R5-19, R9-13, R9-14, R9-15, R5-33, R5-34, R5-35)', async ({ walk, page, browser }) => {
  const motor = new Motor(walk, car);
  let lines: [string, number][] = [];

  await test.step('the car is found by its number', async () => {
    await motor.number('dl3cab1234');
    await motor.contact();
    await motor.otp();
    await expect(page.getByText('Maruti Suzuki Swift VXi')).toBeVisible();
    await expect(page.getByText('DL 3 CAB 1234')).toBeVisible();
    // what was found is one question; what may be wrong with it stays folded
    await expect(page.getByText("Something's different")).toBeVisible();
    await expect(page.getByLabel('Make', { exact: true })).toBeHidden();
  });

  await test.step('who comes back to the landing goes on with what she has begun', async () => {
    await walk.open(car.base);
    await page.getByRole('complementary', { name: 'Continue where you left off' }).getByRole('link', { name: 'Continue' }).click();
    await motor.vehicle();
    await motor.previous();
  });

  await test.step('quotes arrive; one insurer declines, one fails, one is still asked', async () => {
    await motor.quotes(20);
    await page.getByText(/companies without an offer/).click();
    await expect(page.getByText('Raheja QBE is not taking new motor business online at the moment')).toBeVisible();
    await expect(page.getByText("Didn't respond this time")).toBeVisible();
    await expect(page.getByText(/Oriental is (?:still calculating|taking longer)/)).toBeVisible();
    // the blocked category is never shown (R9-10)
    await expect(motor.cards().filter({ hasText: 'Shriram' })).toHaveCount(1);
  });

  await test.step('insured value, add-on, deductible and passenger cover change the price', async () => {
    const idv = await motor.requoted('HDFC ERGO', () =>
      motor.choices(async () => {
        const slider = page.getByRole('slider', { name: 'Insured value (IDV)' });
        const [least, most] = [Number(await slider.getAttribute('min')), Number(await slider.getAttribute('max'))];
        expect(most / least).toBeCloseTo(110 / 90, 1);
        await slider.focus();
        await page.keyboard.press('End');
        // the last step of the slider is less than a twentieth of a per cent away
        await expect.poll(async () => Number(await slider.inputValue())).toBeGreaterThan(most * 0.9995);
      }),
    );
    expect(idv.after).toBeGreaterThan(idv.before);
    // the frequent add-ons stand at position 2 (R9-16)
    await expect(page.locator('.options-list > li').first().getByRole('heading', { name: 'Add to every price' })).toBeVisible();
    const addOn = await motor.requoted('HDFC ERGO', () => walk.press(/^Roadside assistance from ₹/));
    expect(addOn.after).toBeGreaterThan(addOn.before);
    await expect(motor.card('HDFC ERGO').getByText('Roadside assistance').first()).toBeVisible();
    const deductible = await motor.requoted('HDFC ERGO', () =>
      motor.choices(async () => {
        await expect(walk.field(/voluntary deductible/).locator('option')).toHaveText(['Choose', 'None', '₹2,500', '₹5,000', '₹7,500', '₹15,000']);
        await walk.select(/voluntary deductible/, '₹15,000');
      }),
    );
    expect(deductible.after).toBeLessThan(deductible.before);
    const passengers = await motor.requoted('HDFC ERGO', () =>
      motor.choices(async () => {
        await expect(walk.field(/Cover for passengers/).locator('option')).toContainText(['₹10 K', '₹50 K', '₹1 Lakh', '₹2 Lakh']);
        await walk.select(/Cover for passengers/, '₹2 Lakh');
      }),
    );
    expect(passengers.after).toBeGreaterThan(passengers.before);
  });

  await test.step('the price adds up and the plan is taken', async () => {
    const card = motor.card('HDFC ERGO');
    await card.getByText('Price breakup').click();
    lines = await motor.breakup(card);
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.at(-1)?.[1]).toBe(await motor.price('HDFC ERGO'));
    // what it covers and not, and its papers, before anything is paid
    await card.getByText('What is covered').click();
    await expect(card.locator('.covered', { hasText: 'Driving without a licence' })).toHaveAttribute('data-yes', 'false');
    const sheet = card.getByRole('link', { name: /^Customer information sheet/ });
    await expect(sheet).toHaveAttribute('href', '/car-insurance/information/hdfc-ergo/comprehensive.pdf');
    for (const insurer of ['HDFC ERGO', 'ACKO']) await motor.card(insurer).getByRole('checkbox', { name: /^Compare/ }).check();
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    const rows = page.getByRole('dialog').locator('tbody th');
    for (const insurer of ['HDFC ERGO', 'ACKO']) await expect(page.getByRole('columnheader', { name: insurer })).toBeInViewport();
    await expect(rows.filter({ hasText: 'Damage by accident' })).toBeVisible();
    await expect(rows.filter({ hasText: 'GST' })).toHaveCount(0);
    await walk.accessible();
    await page.keyboard.press('Escape');
    for (const insurer of ['HDFC ERGO', 'ACKO']) await motor.card(insurer).getByRole('checkbox', { name: /^Compare/ }).uncheck();
    await walk.accessible();
    await motor.buy('HDFC ERGO');
  });

  await test.step('owner, address, nominee and papers, each corrected where it is wrong', async () => {
    await motor.person();
    await motor.address('123123');
    await walk.errors(['Please check the pincode']);
    // what an insurer cannot take is a space at once, the rest stays as it was typed
    await page.getByText('Add street or landmark').click();
    await walk.type(/^Landmark/, "Flat 3/4, St. Mary's, A-Block @ Janpath");
    await walk.field('Pincode').focus();
    await expect(walk.field(/^Landmark/)).toHaveValue("Flat 3/4, St. Mary's, A-Block Janpath");
    await motor.address('110001');
    await walk.at('Your nominee', '/checkout-nominee');
    await walk.press('Continue');
    await walk.errors(['Nominee Name Required', 'Nominee Age Required', 'Nominee Relation Required']);
    await motor.nominee();
    await motor.papers();
  });

  await test.step('the identity check is filled in with the sample answers of a service for tests', async () => {
    await walk.at('Verify your identity', '/checkout-kyc');
    await walk.press('Fill in sample answers');
    await expect(walk.field('PAN')).toHaveValue('ABCPR1234K');
    await expect(walk.field('Occupation').locator('option:checked')).toHaveText('Salaried');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await walk.accessible();
  });

  await test.step('the identity check fails with the specified text, then passes', async () => {
    await motor.kyc('ABCPE0000F');
    await expect(
      page.getByText('The KYC is unsuccessful. Please click on Verify KYC to re-submit. After redirection, please close insurance company window.'),
    ).toBeVisible();
    // the reason at the field, in focus, and the text in the same window
    await walk.errors(['******000F did not match Asha Rao. Compare number, name and date with the document, letter by letter, or choose another one.']);
    await expect(walk.field('PAN')).toBeFocused();
    await expect(page.locator('.field-error')).toBeInViewport();
    await expect(page.getByText('The KYC is unsuccessful.')).toBeInViewport();
    await walk.accessible();
    await walk.type('PAN', 'ABCPE1234F');
    await walk.submit('Verify KYC');
  });

  await test.step('an answer is changed from the check page and comes back to it', async () => {
    await walk.at('Check your answers', '/confirm');
    await page.getByRole('button', { name: "Change Your nominee" }).click();
    await walk.at('Your nominee', '/checkout-nominee');
    await expect(walk.field("Nominee's name")).toHaveValue('Ravi Rao');
    await walk.type("Nominee's name", 'Rohan Rao');
    await walk.submit('Continue');
    await walk.at('Check your answers', '/confirm');
    await expect(page.getByText('Rohan Rao · 38 · Spouse')).toBeVisible();
    await expect(page.getByText(/A person · Ms Asha Rao · /)).toBeVisible();
    const told = page.locator('.coverage > div');
    await expect(told.filter({ hasText: /^Covered/ })).toContainText('Damage by accident, fire or flood, and theft');
    await expect(told.filter({ hasText: /^Not covered/ })).toContainText('Driving without a licence or after drinking');
  });

  await test.step('she pays and downloads the policy, which says the same price', async () => {
    await motor.confirm();
    await motor.pay(/^Pay ₹/);
    const number = await motor.issued();
    expect(number).toMatch(/^HDFC-/);
    const paid = await motor.breakup(page.locator('#app'));
    expect(paid).toEqual(lines);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: /Policy document/ }).click();
    const text = execFileSync('pdftotext', ['-layout', await (await download).path(), '-'], { encoding: 'utf8' });
    expect(text).toContain(number);
    const printed = text.split('\n');
    for (const [label, amount] of lines) {
      // the insurer's own word, where ours is another
      const theirs = label === "Insurer discount" ? 'Insurer discount' : label;
      const line = printed.find((one) => one.includes(theirs) && /[\d,]+\.\d\d\s*$/.test(one));
      expect(line, `${label} in the document`).toBeDefined();
      expect(Math.abs(paise(/[\d,]+\.\d\d\s*$/.exec(line!)![0])), label).toBe(Math.abs(amount));
    }
  });

  await test.step('our own summary can be read aloud, in her language; the code on it leads a stranger to what it is, and to nothing of her', async () => {
    const number = await page.getByText(/^HDFC-/).first().textContent();
    const summary = async (name: string) => {
      const download = page.waitForEvent('download');
      await page.getByRole('link', { name }).click();
      return (await download).path();
    };
    const english = await summary('Summary (PDF)');
    expect(factsOf(english)).toMatchObject({ Title: 'Your policy at a glance', Tagged: 'yes', 'Page size': '595.28 x 841.89 pts (A4)' });
    expect(wordsOf(english)).toMatch(new RegExp(`Journey .*Your policy at a glance HDFC ERGO .*Policy number ${number} .*Owner .*Asha Rao .*What you paid .*Check this paper .*/v/`));
    const said = [...wordsOf(english).split('What you paid')[1]!.matchAll(/−?₹[\d,.]+\d/g)].map(([text]) => paise(text));
    expect(said).toEqual(expect.arrayContaining(lines.map(([, amount]) => amount)));
    expect(tagsOf(english)).toMatch(/H1[^]*"Your policy at a glance"[^]*H2[^]*"HDFC ERGO"[^]*Table[^]*TR[^]*TH[^]*"Policy number"[^]*TD[^]*HDFC-[^]*Figure/);

    await page.goto(`${page.url()}&lang=hi`);
    const hindi = await summary('सारांश (PDF)');
    expect(factsOf(hindi)).toMatchObject({ Title: 'आपकी पॉलिसी एक नज़र में', Tagged: 'yes' });
    expect(wordsOf(hindi)).toMatch(new RegExp(`आपकी पॉलिसी एक नज़र में HDFC ERGO .*पॉलिसी नंबर ${number} .*आपने कितना दिया .*इस कागज़ को जाँचें`));
    await page.goto(`${page.url()}&lang=en`);
    await walk.settled();

    const sent = new URL((await page.getByRole('link', { name: 'Send by WhatsApp' }).getAttribute('href'))!);
    expect(sent.searchParams.get('text')).toBe(`My car is insured with HDFC ERGO. Here is the proof: ${codeOn(english)}`);
    const stranger = await browser.newContext();
    const other = await stranger.newPage();
    await other.goto(codeOn(english)!);
    await expect(other.getByRole('heading', { level: 1 })).toHaveText('Check this paper');
    const facts = (await other.locator('.facts').textContent())!;
    expect(facts).toContain(`HDFC ERGO`);
    expect(facts).toContain(number!.slice(-4));
    await expect(other.locator('.notice[data-tone="info"]')).toContainText(/Begins on \d+ \w{3} \d{4}/);
    await expect(other.locator('.facts .plate')).toHaveText(/^DL 3/);
    expect(await other.content()).not.toMatch(new RegExp(`${number}|Asha|Rao|98\\d{8}`));
    await stranger.close();
  });

  await test.step('the landing leads to what she has bought', async () => {
    const number = await page.getByText(/^HDFC-/).first().textContent();
    await walk.open(car.base);
    await page.getByRole('complementary', { name: 'Continue where you left off' }).getByRole('link').click();
    await walk.at('Your car is insured', '/post-payment-success');
    await expect(page.getByText(number!).first()).toBeVisible();
  });
});
