/** A whole purchase by somebody who hears the page: the keyboard alone, by the names, descriptions and live regions that a screen reader has. */
import { Motor, car, day } from '../support/motor.ts';
import { Reader } from '../support/reader.ts';
import { expect, test } from '../support/walk.ts';

test.use({ viewport: { width: 1280, height: 900 } });

test('from the registration number to the policy by what is heard', async ({ page, walk, product }) => {
  const reader = await Reader.of(page);
  const { mobile, ends } = new Motor(walk, car);

  await test.step('the first page says what it is; its error is read at the field (R9-32)', async () => {
    await page.goto(product.base + car.base);
    await reader.opened(/^Car insurance/);
    await reader.press('Skip to main content', 'link');
    await reader.press('See my prices');
    await expect.poll(async () => (await reader.focused()).states.invalid).toBe('true');
    const field = await reader.focused();
    expect(field).toMatchObject({ role: 'textbox', name: 'Registration number', states: { invalid: 'true', required: true } });
    expect(field.description).toMatch(/registration number/i);
    await reader.type('Registration number', 'dl3cab1234');
    await reader.press('See my prices');
  });

  await test.step('contact and one-time password', async () => {
    await reader.at('Your contact details');
    expect((await reader.type('Name', 'Asha Rao')).states.required).toBe(true);
    await reader.type('Mobile number', mobile);
    await reader.tick(/do-not-call/);
    await reader.press('Send one-time password');
    await reader.at('Enter the code we sent you');
    const code = await walk.code(mobile);
    expect((await reader.type('One-time password', code)).description).not.toBe('');
  });

  await test.step('the car that was found, and the last policy', async () => {
    await reader.at('Is this your car?');
    await reader.press('Yes, this is my car');
    await reader.at('Your previous policy');
    await reader.choose(/changed owner/, 'No');
    await reader.choose(/kind of policy/, /^Comprehensive/);
    await reader.choose(/still active/, 'Yes');
    await reader.day(/End date of that policy/, day(ends));
    await reader.choose(/claim/, 'No');
    await reader.choose(/add-ons/, 'No');
    await reader.press('See prices');
  });

  await test.step('prices are told as they come; a card says whose it is, and its button what it buys', async () => {
    await reader.at('Your quotes');
    await reader.hears(/^\d+ of 24 have made an offer/);
    await reader.hears(/^2\d of 24 have made an offer/);
    await reader.leap('Choose a plan');
    const buy = await reader.to('button', /^Buy now HDFC ERGO ₹[\d,]+$/);
    expect(buy.within.some((one) => one.startsWith('HDFC ERGO'))).toBe(true);
    await page.keyboard.press('Enter');
  });

  await test.step('owner, address, nominee, papers', async () => {
    await reader.at('Owner of the car');
    await reader.choose('Who owns it?', 'A person');
    await reader.choose('Title', 'Ms');
    await reader.choose('Gender', 'Female');
    await reader.day('Date of birth', '1990-04-12');
    await reader.type('E-mail', 'asha@example.com');
    await reader.choose(/loan on this/, 'No');
    await reader.press('Continue');
    await reader.at('Your address');
    await reader.type('Pincode', '110001');
    await reader.type('House and building', '12 Lake View');
    await reader.press('Continue');
    await reader.at('Your nominee');
    await reader.press('Continue');
    await expect.poll(async () => (await reader.focused()).role).toBe('alert');
    await reader.press('Nominee Name Required', 'link');
    expect(await reader.focused()).toMatchObject({ name: "Nominee's name", description: expect.stringContaining('Nominee Name Required') });
    await reader.type("Nominee's name", 'Ravi Rao');
    await reader.type("Nominee's age", '38');
    await reader.pick("Nominee's relation to you", 'Spouse');
    await reader.press('Continue');
    await reader.at('Engine, chassis and papers');
    await reader.type(/^Your previous policy number/, 'OG-25-1234-5678');
    await reader.tick(/terms and conditions/);
    await reader.press('Continue');
  });

  await test.step('an identity that does not match is told, with what to look at', async () => {
    await reader.at('Verify your identity');
    const identify = async (pan: string) => {
      await reader.choose(/Which document/, /^PAN card/);
      await reader.type('PAN', pan);
      await reader.pick('Occupation', 'Salaried');
      await reader.pick('Where does your income come from?', 'Salary');
      await reader.choose(/high public office/, 'No');
    };
    await identify('ABCPE0000F');
    await reader.tick(/checks my identity/);
    await reader.press('Verify KYC');
    await reader.hears('The KYC is unsuccessful.');
    await expect.poll(async () => (await reader.focused()).description).toContain('did not match Asha Rao.');
    await reader.type('PAN', 'ABCPE1234F');
    await reader.press('Verify KYC');
  });

  await test.step('what is paid is on the button, and its page says what became of it', async () => {
    await reader.at('Check your answers');
    await reader.press(/^Pay ₹[\d,]+ securely$/);
    await expect(page).toHaveURL(/sandbox\/pages/, { timeout: 60_000 });
    await reader.opened(/./);
    await reader.press(/^Pay ₹/);
    await expect(page).toHaveURL(/post-payment-success/, { timeout: 60_000 });
    await reader.opened('Your car is insured');
    await reader.to('link', /Policy document/);
    expect((await reader.to('link', /WhatsApp/)).name).toBe('Send by WhatsApp');
  });
});
