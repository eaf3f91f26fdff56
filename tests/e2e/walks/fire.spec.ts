/** Fire cover in the agents' app: an agent asks for a customer, whose number she confirms on her own phone by the link she is sent. */
import { Product } from '../support/product.ts';
import { signIn } from '../support/staff.ts';
import { expect, newMobile, test, Walk } from '../support/walk.ts';

test('phone: an agent in the app, and the customer who confirms her number, to the offers (R3-69, R3-71)', async ({ browser }) => {
  const product = await Product.start();
  const [staff, mobile] = [process.env.FW ?? newMobile(), newMobile()];
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
    await agent.errors(['X']);
  });
});
