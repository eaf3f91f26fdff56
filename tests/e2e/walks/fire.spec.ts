/** Fire cover in the agents' app: an agent asks for a customer, whose number she confirms on her own phone by the link she is sent. */
import { Product } from '../support/product.ts';
import { signIn } from '../support/staff.ts';
import { expect, newMobile, test, Walk } from '../support/walk.ts';

test('phone: an agent in the app, and the customer who confirms her number, to the offers (R3-69)', async ({ browser }) => {
  const product = await Product.start();
  const [staff, mobile] = [newMobile(), newMobile()];
  const address = await product.run('staff', 'add', '--mobile', staff, '--role', 'app-agent', '--name', 'ravi');
  const phone = async () => new Walk(await (await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true })).newPage(), product);
  const [agent, customer] = [await phone(), await phone()];
  for (const walk of [agent, customer]) walk.depth = 2;

  await test.step('the form is about the customer; a visitor has another one', async () => {
    await customer.open('/sme/fire-insurance');
    await customer.at('Fire and burglary insurance', '/sme/fire-insurance');
    await expect(customer.field('Full name')).toBeVisible();
    await expect(customer.field(/Where does the customer/)).toHaveCount(0);
    await signIn(agent, staff, address);
    await agent.open('/sme/fire-insurance');
    await agent.at('Fire and burglary insurance', '/sme/fire-insurance');
    await agent.select('Title', 'Ms');
    await agent.type("Customer's full name", 'Asha Rao');
    await agent.type(/business name/i, 'Rao Garments');
    await agent.type("Customer's mobile number", mobile);
    await agent.type("Customer's e-mail address", 'asha@example.com');
    await agent.type('Pincode of the building', '600001');
    await agent.submit('Continue');
    await agent.at('Confirm the mobile number', '/sme/fire-insurance/otp');
  });

  await test.step('she opens the link, has the code sent and gives it; the agent goes on', async () => {
    let link = '';
    await expect(async () => {
      link = /https?:\S+\/r\/[\w-]+/.exec((await product.messages(mobile))[0]?.text ?? '')?.[0] ?? '';
      expect(link).not.toBe('');
    }).toPass();
    await customer.page.goto(link);
    await customer.press('Continue');
    await customer.at('Confirm the mobile number', '/sme/fire-insurance/otp');
    await customer.press('Send me the code');
    await customer.at('Enter the code we sent you', '/sme/fire-insurance/otp');
    await expect(agent.page.getByText('Only the customer can do this.')).toBeVisible();
    await customer.type('One-time password', await customer.code(mobile));
    await customer.at('The building', '/sme/fire-insurance/building');
  });

  await test.step('building, business and claims, typed by the agent', async () => {
    await agent.at('The building', '/sme/fire-insurance/building');
    await agent.type('How old is it?', '12');
    await agent.type('How many floors?', '2');
    for (const part of ['Walls', 'Roof', 'Floor']) await agent.field(part).selectOption({ index: 1 });
    await agent.choose(/below the ground/, 'No');
    await agent.submit('Continue');
    await agent.at('What should be insured?', '/sme/fire-insurance/business');
    await agent.select('What happens in the building?', 'Garment unit');
    await agent.choose('Is it yours?', 'Owned');
    await agent.type(/^Stock/, '2500000');
    await agent.choose('Burglary too?', 'No');
    await agent.choose(/extinguishers/, 'Yes');
    await agent.submit('Continue');
    await agent.at('Earlier claims', '/sme/fire-insurance/claim');
    await agent.choose(/claim at this place/, 'No');
    await agent.submit('Show offers');
  });

  await test.step('three offers; what he earns and shares is on his page alone', async () => {
    await agent.at('Offers for fire and burglary', '/sme/fire-insurance/offers');
    await customer.at('Offers for fire and burglary', '/sme/fire-insurance/offers');
    for (const { page } of [agent, customer]) await expect(page.getByRole('article').locator('.option-amount')).toHaveText([/^₹/, /^₹/, /^₹/]);
    await expect(agent.page.getByText('Commission points').first()).toBeVisible();
    await expect(customer.page.getByText('Commission points')).toHaveCount(0);
    await expect(customer.page.getByRole('button', { name: 'By SMS' })).toHaveCount(0);
    const sent = (await product.messages(mobile)).length;
    await agent.press('By SMS');
    await expect.poll(async () => (await product.messages(mobile)).length).toBe(sent + 1);
  });
  await product.stop();
});
