/** Staff sign in with an OpenID Connect provider: a real one, beside the product. */
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { Product } from '../support/product.ts';
import { expect, newMobile, test, Walk } from '../support/walk.ts';

const client = { client_id: 'journey', client_secret: 'a secret of this test' };

/** Whoever signs in there is who they say; its address, and its end. */
async function provider(back: string): Promise<{ issuer: string; stop: () => void }> {
  // its address must be known before it is made
  const probe = (await import('node:net')).createServer();
  const port = await new Promise<number>((found) => probe.listen(0, () => found((probe.address() as AddressInfo).port)));
  await new Promise((closed) => probe.close(closed));
  const issuer = `http://localhost:${port}`;
  const made = new Provider(issuer, {
    clients: [{ ...client, redirect_uris: [back] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id, email: id, email_verified: true }) }),
  });
  const server = made.listen(port);
  await new Promise((ready) => server.once('listening', ready));
  return { issuer, stop: () => server.close() };
}

test('the way by the provider of the house, for whom somebody gave a role', async ({ browser }) => {
  const product = await Product.start();
  const house = await provider(`${product.base}/openid/back`);
  const page = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();
  await page.goto(`${product.base}/staff/login`);
  await expect(page.getByRole('heading', { level: 1, name: 'Staff sign-in' })).toBeVisible();
  const button = page.getByRole('link', { name: 'Sign in with your company account' });
  await expect(button).toHaveCount(0);

  product.set({
    JOURNEY_OPENID__ISSUER: house.issuer,
    JOURNEY_OPENID__CLIENT_ID: client.client_id,
    JOURNEY_OPENID__CLIENT_SECRET: client.client_secret,
    JOURNEY_OPENID__ALLOW_PRIVATE: 'true',
  });
  await product.run('staff', 'add', '--mobile', newMobile(), '--role', 'call-centre', '--name', 'asha', '--openid', 'asha@house.example');
  const walk = new Walk(page, product);
  await walk.open('/staff/login');
  await walk.accessible();
  const signIn = async (who: string) => {
    await button.click();
    await page.locator('input[name="login"]').fill(who);
    await page.locator('input[name="password"]').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
  };
  await signIn('asha@house.example');
  await expect(walk.heading('Your desk')).toBeVisible();
  expect(page.url()).toBe(`${product.base}/staff`);

  // known there, but without a role here
  await page.context().clearCookies();
  await page.goto(`${product.base}/staff/login`);
  await signIn('stranger@house.example');
  await expect(walk.heading('You are not signed in')).toBeVisible();
  await expect(page.getByText('nobody has given you a role here')).toBeVisible();
  expect((await page.request.get(`${product.base}/staff`)).status()).toBe(404);
  house.stop();
  await product.stop();
});
