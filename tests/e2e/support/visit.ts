/** What a customer does to have an advisor come home, and what the advisors' desk reports. */
import { type Page, expect } from '@playwright/test';
import { type Walk, newMobile } from './walk.ts';

const base = '/health-insurance/advisor-at-home';

export class Visit {
  readonly mobile = newMobile();
  /** Without digits: the inbox finds messages by those. */
  readonly email = `asha.${[...this.mobile].map((digit) => 'abcdefghij'[Number(digit)]).join('')}@example.com`;

  constructor(readonly walk: Walk) {
    walk.depth = 2;
  }

  get page(): Page {
    return this.walk.page;
  }

  at(title: string | RegExp, path: string): Promise<void> {
    return this.walk.at(title, base + path);
  }

  async landing(): Promise<void> {
    await this.walk.open(base);
    await this.at('A health insurance advisor at your home', '');
  }

  async details(pincode = '560001'): Promise<void> {
    await this.walk.type('Name', 'Asha Rao');
    await this.walk.type('Mobile number', this.mobile);
    await this.walk.type('Pincode of your home', pincode);
    await this.walk.tick(/do-not-call/);
    await this.walk.submit('Book a free visit');
  }

  /** The last digit sends the code. */
  async otp(): Promise<void> {
    await this.at('Enter the code we sent you', '/otp');
    await this.walk.type('One-time password', await this.walk.code(this.mobile));
  }

  async address(house = '12 Lake View'): Promise<void> {
    await this.at('Where should we come?', '/address');
    await this.walk.type('House and building', house);
    await this.walk.type('Street and area', 'MG Road');
    await this.walk.type(/^E-mail/, this.email);
    await this.walk.select(/^Which language/, 'Kannada');
    await this.walk.choose(/talk about/, 'My present policy');
    await this.walk.submit('Choose a time');
  }

  /** Chooses the nth day that is not full and its nth free time, with the mouse; gives the sentence that says which. */
  async choose(day: number, time: number): Promise<string> {
    const days = this.page.getByRole('radiogroup', { name: 'Day', exact: true });
    await days.getByRole('radio', { disabled: false }).nth(day).click();
    const times = this.page.getByRole('radiogroup', { name: /^Day and time: / });
    await times.getByRole('radio', { disabled: false }).nth(time).click();
    const said = this.page.locator('.slots-chosen');
    await expect(said).toContainText(' at ');
    return (await said.textContent())!;
  }

  /** The address in the newest message to the customer that has one. */
  async link(): Promise<string> {
    let link = '';
    await expect(async () => {
      const texts = (await this.walk.product.messages(this.mobile)).map((message) => message.text);
      link = /https?:\/\/\S+\/r\/[\w-]{22}/.exec(texts.find((text) => text.includes('/r/')) ?? '')?.[0] ?? '';
      expect(link).not.toBe('');
    }).toPass();
    return link;
  }

  /** The advisors' desk of the sandbox reports how the newest visit ended. */
  async report(page: Page, button: string): Promise<void> {
    await page.goto(`${this.walk.product.base}/sandbox/partners/visits/v1/desk`);
    await expect(page.getByRole('heading', { name: 'Report a visit' })).toBeVisible();
    await expect(page.getByText(/Asha Rao, /)).toBeVisible();
    await page.getByRole('button', { name: button, exact: true }).click();
    await expect(page.getByText(/^Reported: /)).toBeVisible();
  }
}
