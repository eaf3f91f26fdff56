/** The steps of a health purchase for a family; what all lines share is as in a motor purchase. */
import { type Locator, type Page, expect } from '@playwright/test';
import { Motor } from './motor.ts';
import type { Walk } from './walk.ts';

export interface Member {
  who: string;
  age: number;
  first?: string;
  dob?: string;
  height: string;
  weight: string;
  smokes?: boolean;
}

/** The birthday of somebody who has been so old for half a year. */
export function birthday(age: number): string {
  const day = new Date(Date.now() - 182 * 24 * 3_600_000);
  return `${day.getUTCFullYear() - age}-${String(day.getUTCMonth() + 1).padStart(2, '0')}-15`;
}

export class Family {
  /** Contact, one-time password, nominee, identity, money: parts of every line. */
  readonly shared: Motor;

  constructor(
    readonly walk: Walk,
    readonly base = '/health-insurance/family',
  ) {
    walk.depth = 2;
    this.shared = new Motor(walk, { base, noun: 'family' });
  }

  get page(): Page {
    return this.walk.page;
  }

  at(title: string | RegExp, path: string): Promise<void> {
    return this.walk.at(title, this.base + path);
  }

  /** One row of a list of people. */
  row(who: string): Locator {
    return this.page.locator('.row').filter({ has: this.page.locator('legend', { hasText: new RegExp(`^${who}$`) }) });
  }

  async answer(who: string, question: string | RegExp, answer: string): Promise<void> {
    await this.row(who).getByRole('radiogroup', { name: question }).or(this.row(who).getByRole('group', { name: question })).getByText(answer, { exact: true }).click();
  }

  async type(who: string, label: string, text: string): Promise<void> {
    await this.row(who).getByLabel(label, { exact: true }).fill(text);
  }

  async open(): Promise<void> {
    await this.walk.open(this.base);
    await this.at('Health insurance for your family', '');
  }

  async insure(who: string, age: number): Promise<void> {
    await this.answer(who, 'To be insured?', 'Yes');
    await this.type(who, 'Age', String(age));
  }

  async child(number: number, relation: 'Son' | 'Daughter', age: number): Promise<void> {
    await this.walk.press('Add a child');
    await this.answer(`Child ${number}`, 'Son or daughter?', relation);
    await this.type(`Child ${number}`, 'Age', String(age));
  }

  async needs(): Promise<void> {
    await this.at('Health and cover', '/needs');
    await this.walk.type('Pincode of your home', '560001');
    await this.walk.choose('For how much?', '₹10 Lakh');
    await this.walk.choose(/Covid/, 'No');
    await this.walk.submit('See plans');
  }

  async proposer(first: string, dob: string): Promise<void> {
    await this.at('Who buys', '/checkout');
    await this.walk.type('First name', first);
    await this.walk.type(/^Last name/, 'Rao');
    await this.walk.choose('Gender', 'Female');
    await this.walk.date('Date of birth', dob);
    await this.walk.type('E-mail', 'asha@example.com');
    await this.walk.submit('Continue');
  }

  async person({ who, first, dob, height, weight, smokes }: Member): Promise<void> {
    const row = this.row(who);
    if (first) await this.type(who, 'First name', first);
    if (dob) await this.date(row, dob);
    await this.type(who, 'Height', height);
    await this.type(who, 'Weight', weight);
    if (smokes !== undefined) await this.answer(who, /Smokes/, smokes ? 'Yes' : 'No');
  }

  private async date(row: Locator, iso: string): Promise<void> {
    const [year, month, day] = iso.split('-') as [string, string, string];
    await row.getByLabel('Day').fill(day);
    await row.getByLabel('Month').fill(month);
    await row.getByLabel('Year').fill(year);
  }

  async healthy(people: string[]): Promise<void> {
    await this.at('Medical history', '/checkout-medical');
    for (const who of people) {
      await this.answer(who, /In hospital/, 'No');
      await this.answer(who, /medicine every day/, 'No');
    }
    await this.walk.submit('Continue');
  }

  async address(): Promise<void> {
    await this.at('Your address', '/checkout-address');
    await expect(this.page.getByText('In Bengaluru Urban, 560001')).toBeVisible();
    await this.walk.type('House and building', '12 Lake View');
    await this.walk.tick(/terms and conditions/);
    await this.walk.submit('Continue');
  }
}
