/** An advisor comes home: booked on a phone, moved by the link of the message in another browser, reported by the partner. */
import { Visit } from '../support/visit.ts';
import { Walk, expect, test } from '../support/walk.ts';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

test('advisor at home: landing to outcome (R1-18, R1-19, R1-22, R2.3-07, R2.10-07, R3-46, R5-23, R9-62)', async ({ walk, page, browser }) => {
  const visit = new Visit(walk);

  await test.step('the landing shows benefits, exactly three steps, questions and the form', async () => {
    await visit.landing();
    await expect(page.getByRole('heading', { name: 'What you get from a visit' })).toBeVisible();
    await expect(page.locator('ol.steps > li')).toHaveCount(3);
    expect(await page.locator('[data-block="faq"] details').count()).toBeGreaterThanOrEqual(4);
    await walk.press('Book a free visit');
    await walk.errors(['Please enter Name', 'Invalid mobile number.', 'Please enter the pincode', 'Please allow us to contact you, so that we can arrange the visit']);
  });

  await test.step('details, one-time password, address', async () => {
    await visit.details();
    await visit.otp();
    await visit.address();
  });

  await test.step('times of the working hours, every half hour', async () => {
    await visit.at('When should we come?', '/time');
    const days = page.getByRole('radiogroup', { name: 'Day', exact: true }).getByRole('radio');
    const named = await days.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''));
    expect(named.filter((name) => name.startsWith('Sunday'))).toEqual([]);
    await days.and(page.getByRole('radio', { disabled: false })).nth(1).click();
    const times = await page.locator('.slots-time').evaluateAll((all) => all.map((one) => one.firstElementChild!.nextElementSibling!.firstChild!.textContent));
    const hours = ['10', '11', '12', '1', '2', '3', '4', '5', '6'];
    expect(times).toEqual(hours.flatMap((hour, at) => [`${hour}:00 ${at < 2 ? 'am' : 'pm'}`, `${hour}:30 ${at < 2 ? 'am' : 'pm'}`]));
    await walk.press('Book this time');
    await walk.errors(['Please choose a time']);
  });

  await test.step('with the keyboard: Tab to the day, to the time, arrows within', async () => {
    const days = page.getByRole('radiogroup', { name: 'Day', exact: true });
    await days.locator('input:checked').focus();
    const before = await days.locator('input:checked').getAttribute('value');
    await page.keyboard.press('ArrowRight');
    await expect(days.locator('input:checked')).not.toHaveValue(before!);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await expect(page.locator('.slots-chosen')).toContainText(' at ');
    await page.keyboard.press('ArrowDown');
    await expect(page.locator('.slots-time input:checked')).toBeFocused();
  });

  const booked = await visit.choose(1, 1);
  await test.step('the confirmation page, an SMS and an e-mail', async () => {
    await walk.submit('Book this time');
    await visit.at('Your visit is booked', '/visit');
    await expect(page.getByText('12 Lake View, MG Road, Bengaluru 560001, Karnataka')).toBeVisible();
    await expect(page.locator('.facts')).toContainText(booked.replace(/^.* at /, ''));
    const newest = async () => (await walk.product.messages(visit.mobile))[0]!.text;
    await expect.poll(newest).toMatch(/^Journey: Dear Asha Rao, your free home visit is booked: /);
    await expect.poll(async () => (await walk.product.messages(visit.email)).length).toBe(1);
  });

  const link = await visit.link();
  const other = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: 'en-IN', timezoneId: 'Asia/Kolkata' });
  const theirs = new Walk(await other.newPage(), walk.product);
  theirs.depth = 2;
  const moved = new Visit(theirs);

  await test.step('another browser sees nothing without the link, asks first with it, and may move the visit', async () => {
    const address = page.url();
    await theirs.page.goto(address);
    await expect(theirs.heading("We can't find this request")).toBeVisible();
    await theirs.page.goto(link);
    await expect(theirs.heading('See your appointment')).toBeVisible();
    await theirs.accessible();
    await theirs.page.goto(address);
    await expect(theirs.heading("We can't find this request")).toBeVisible();
    await theirs.page.goto(link);
    await theirs.press('Continue');
    await moved.at('Your visit is booked', '/visit');
    expect(theirs.page.url()).not.toContain('/r/');
    await expect(theirs.page.getByRole('link', { name: 'Back', exact: true })).toHaveCount(0);
    await theirs.press('Choose another time');
    await moved.at('Choose a new time', '/new-time');
    await expect(theirs.page.getByText(/Booked so far/)).toBeVisible();
    await theirs.press('Keep my current time');
    await moved.at('Your visit is booked', '/visit');
    await theirs.press('Choose another time');
    await moved.at('Choose a new time', '/new-time');
    await moved.choose(3, 0);
    await theirs.press('Move my visit');
    await moved.at('Your visit has been moved', '/visit');
    await expect(theirs.page.getByText('Your visit has been rescheduled.')).toBeVisible();
  });

  await test.step('the first browser follows without a reload; the new message has a link of its own', async () => {
    await expect(walk.heading('Your visit has been moved')).toBeVisible();
    await expect.poll(async () => (await walk.product.messages(visit.mobile))[0]!.text).toMatch(/has been rescheduled to/);
    expect(await visit.link()).not.toBe(link);
  });

  await test.step('the desk reports the visit done; both pages say so; a link that is not one says so too', async () => {
    const desk = await other.newPage();
    await visit.report(desk, 'Visit done');
    await visit.at('Thank you for having us', '/visit');
    await expect(page.getByText('Your advisor has visited you.')).toBeVisible();
    await moved.at('Thank you for having us', '/visit');
    await desk.goto(`${link.slice(0, -1)}${link.endsWith('A') ? 'B' : 'A'}`);
    await expect(desk.getByRole('heading', { name: 'This link no longer works' })).toBeVisible();
  });
  await other.close();
});

test('advisor at home: a pincode that is not visited, a slot that is taken, cancelled (R1-20, R7.3-33)', async ({ walk, page, browser }) => {
  const visit = new Visit(walk);
  await visit.landing();
  await visit.details('744101');
  await expect(page.locator('.field-error')).toHaveText('Error: Our advisors do not visit this pincode yet. Please call us: we advise you on the phone.');
  await walk.type('Pincode of your home', '560001');
  await walk.submit('Book a free visit');
  await visit.otp();
  await visit.address('12 TAKEN Court');
  await visit.at('When should we come?', '/time');
  await visit.choose(2, 2);
  await walk.submit('Book this time');
  await expect(page.locator('.field-error')).toHaveText('Error: Someone just booked this time. Please choose another one.');
  await walk.accessible();
  await visit.choose(2, 3);
  await walk.submit('Book this time');
  await visit.at('Your visit is booked', '/visit');

  const desk = await (await browser.newContext()).newPage();
  await visit.report(desk, 'Follow-up');
  await visit.at("We'll call you", '/visit');
  await expect(page.getByText('Our advisor will connect with you soon')).toBeVisible();
  await visit.report(desk, 'Rescheduled');
  await visit.at('Your visit has been moved', '/visit');

  await walk.press('Cancel the visit');
  await walk.accessible();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the visit' }).click();
  await visit.at('Your visit is cancelled', '/visit');
  await expect.poll(async () => (await walk.product.messages(visit.mobile))[0]!.text).toMatch(/is cancelled as you asked/);
  await page.getByRole('link', { name: 'Book a new visit' }).click();
  await visit.at('A health insurance advisor at your home', '');
});
