/** The steps of a motor purchase as a customer takes them: one function a step, from its heading to its button. */
import { type Locator, type Page, expect } from '@playwright/test';
import { Ahead } from './ahead.ts';
import type { Walk } from './walk.ts';
import { newMobile } from './walk.ts';

export interface Line {
  base: string;
  noun: string;
  workflow?: string;
}

export const car: Line = { base: '/car-insurance', noun: 'car', workflow: 'motor/car' };
export const bike: Line = { base: '/bike-insurance', noun: 'bike', workflow: 'motor/bike' };
export const commercial: Line = { base: '/commercial-vehicle-insurance', noun: 'vehicle', workflow: 'motor/commercial' };

/** A day from today in India, as ISO date. */
export function day(offset: number): string {
  return new Date(Date.now() + (offset * 24 + 5.5) * 3_600_000).toISOString().slice(0, 10);
}

/** Paise of an amount as it is shown: ₹1,02,345.60 or −₹20. */
export function paise(shown: string): number {
  const amount = Number(shown.replace(/[^0-9.]/g, ''));
  return Math.round(amount * 100) * (/[−-]/.test(shown) ? -1 : 1);
}

export class Motor {
  /** In so many days the last policy ends: others than in other walks, whose prices would be taken from memory. */
  readonly ends: number;

  constructor(
    readonly walk: Walk,
    readonly line: Line,
    readonly mobile = newMobile(),
  ) {
    this.ends = 12 + (Number(mobile.slice(-3)) % 40);
  }

  get page(): Page {
    return this.walk.page;
  }

  private at(title: string | RegExp, path: string): Promise<void> {
    return this.walk.at(title, this.line.base + path);
  }

  /** Number, contact, code and vehicle as the functions below answer them, over the API; the page opens at the last policy. */
  async toPrevious(plate: string): Promise<void> {
    await (await this.identified(plate)).open('previous-policy');
  }

  /** Up to the last policy over the API; the page opens at the quotes. */
  async toQuotes(plate: string): Promise<void> {
    const ahead = await this.identified(plate);
    const policy = { policy_type: 'comprehensive', active: true, previous_policy_end_date: day(this.ends) };
    await ahead.submit('previous-policy', { ...policy, owner_changed: false, claim: false, had_add_ons: false });
    await ahead.open('quotes');
  }

  /** From the owner's page over the API, with these papers too; the page opens at the answers to check. */
  async toCheck(papers: Record<string, string> = {}): Promise<void> {
    const ahead = await Ahead.of(this.page, this.walk.product.base);
    const name = { proposer_title: 'Ms', proposer_first_name: 'Asha', proposer_last_name: 'Rao', proposer_gender: 'female' };
    const reached = { proposer_mobile: this.mobile, proposer_email: 'asha@example.com' };
    await ahead.submit('checkout', { customer_type: 'individual', ...name, ...reached, dob: '1990-04-12', is_financed: false });
    await ahead.submit('checkout-address', { pincode: '110001', address_line_1: '12 Lake View' });
    await ahead.submit('checkout-nominee', { nominee_name: 'Ravi Rao', nominee_age: 38, nominee_relation: 'spouse' });
    await ahead.submit('checkout-vehicle', { previous_policy_number: 'OG-25-1234-5678', terms: true, ...papers });
    const pan = { document: 'pan_card', pan_number: 'ABCPE1234F' };
    const means = { occupation: 'salaried', income_source: 'salary', is_politically_exposed_person: false };
    await ahead.submit('checkout-kyc', { ...pan, ...means, kyc_consent: true });
    await ahead.open('confirm');
  }

  private async identified(plate: string): Promise<Ahead> {
    const { page, walk, line, mobile } = this;
    const ahead = await Ahead.start(page, walk.product.base, line.workflow!, { registration: plate, kind: 'registered' });
    await ahead.submit('contact', { name: 'Asha Rao', mobile, consent: true });
    await ahead.at('otp');
    await ahead.submit('otp', { code: await walk.code(mobile) });
    await ahead.submit('vehicle', {});
    return ahead;
  }

  async number(plate: string): Promise<void> {
    await this.walk.open(this.line.base);
    await this.at(/^(Car|Bike|Commercial) insurance/, '');
    await this.walk.type('Registration number', plate);
    await this.walk.submit('See my prices');
  }

  async withoutNumber(answer: string | RegExp): Promise<void> {
    await this.walk.open(this.line.base);
    await this.at(/^(Car|Bike|Commercial) insurance/, '');
    await this.walk.choose('Do you have the number?', answer);
    await expect(this.walk.field('Registration number')).toHaveCount(0);
    await expect(this.walk.heading(/^Which (car|bike)/)).toBeVisible();
    await this.walk.submit('See my prices');
  }

  async contact(name = 'Asha Rao'): Promise<void> {
    await this.at('Your contact details', '/contact');
    await this.walk.type('Name', name);
    await this.walk.type('Mobile number', this.mobile);
    await this.walk.tick(/do-not-call/);
    await this.walk.submit('Send one-time password');
  }

  /** The last digit sends the code. */
  async otp(): Promise<void> {
    await this.at('Enter the code we sent you', '/otp');
    await this.walk.type('One-time password', await this.walk.code(this.mobile));
  }

  async vehicle(): Promise<void> {
    await this.at(`Is this your ${this.line.noun}?`, '/vehicle');
    await this.walk.submit(`Yes, this is my ${this.line.noun}`);
  }

  /** A lorry whose class, weight and papers the register knows. */
  async use(): Promise<void> {
    await this.at('What the vehicle does', '/use');
    await expect(this.walk.field('Gross weight')).toHaveValue('18500');
    await this.walk.submit('Continue');
  }

  /** A running comprehensive policy without claim. */
  async previous(): Promise<void> {
    await this.at(/previous policy/, '/previous-policy');
    await this.walk.choose(/changed owner/, 'No');
    await this.walk.choose(/kind of policy/, 'Comprehensive');
    await this.walk.choose(/still active/, 'Yes');
    await this.walk.date(/End date of that policy/, day(this.ends));
    await this.walk.choose(/claim/, 'No');
    await this.walk.choose(/add-ons/, 'No');
    await this.walk.submit('See prices');
  }

  /** Quotes have come from at least so many insurers. */
  async quotes(least = 20): Promise<void> {
    await this.at('Your quotes', '/quotes');
    await expect.poll(async () => new Set(await this.cards().locator('h3').allTextContents()).size, { timeout: 30_000 }).toBeGreaterThanOrEqual(least);
    await this.walk.accessible();
  }

  cards(): Locator {
    return this.page.getByRole('article').filter({ has: this.page.getByRole('button', { name: /^Buy now/ }) });
  }

  card(insurer: string): Locator {
    return this.page.getByRole('article', { name: new RegExp(`^${insurer}`) }).first();
  }

  async price(insurer: string): Promise<number> {
    return paise((await this.card(insurer).locator('.option-amount').textContent()) ?? '');
  }

  /** Changes the cover and waits until the insurer has answered again; the old price stands beside the new one. */
  async requoted(insurer: string, change: () => Promise<void>): Promise<{ before: number; after: number }> {
    const before = await this.price(insurer);
    await change();
    const card = this.card(insurer);
    await expect(card.locator('.option-was s')).toBeVisible({ timeout: 30_000 });
    await expect.poll(() => this.price(insurer), { timeout: 30_000 }).not.toBe(before);
    await expect.poll(async () => paise((await card.locator('.option-was s').textContent()) ?? '')).toBe(before);
    return { before, after: await this.price(insurer) };
  }

  /** The choices stand beside the offers on a desk and in a sheet on a phone. */
  async choices(change: () => Promise<void>): Promise<void> {
    const opener = this.page.getByRole('button', { name: 'Change your choices' });
    const sheet = await opener.isVisible();
    if (sheet) await opener.click();
    await change();
    if (sheet) await this.page.getByRole('button', { name: 'Show offers' }).click();
  }

  /** The lines of a price: label and paise; they add up to the total. */
  async breakup(within: Locator): Promise<[label: string, paise: number][]> {
    await within.locator('table.breakup').first().waitFor();
    const lines = await within.locator('table.breakup tr').evaluateAll((rows) =>
      rows.map((row) => [row.querySelector('th')?.firstChild?.textContent ?? '', row.querySelector('td')?.textContent ?? '', row.getAttribute('data-kind') ?? '']),
    );
    const amounts = lines.map(([label, shown, kind]) => ({ label: label!, amount: paise(shown!), total: kind === 'total' }));
    const total = amounts.find((line) => line.total)?.amount;
    expect(amounts.filter((line) => !line.total).reduce((sum, line) => sum + line.amount, 0)).toBe(total);
    return amounts.map(({ label, amount }) => [label, amount]);
  }

  async buy(insurer: string): Promise<void> {
    await this.card(insurer).getByRole('button', { name: /^Buy now/ }).click();
  }

  /** `firstName`: as this reader sees the one that is known. */
  async person(firstName = 'Asha'): Promise<void> {
    await this.at(`Owner of the ${this.line.noun}`, '/checkout');
    await this.walk.choose('Who owns it?', 'A person');
    // the name is known from before: it is shown, and open to correction
    await expect(this.walk.field('First name')).toBeHidden();
    await this.page.getByText(/: change this if your ID says something else/).click();
    await expect(this.walk.field('First name')).toHaveValue(firstName);
    await this.walk.type(/^Last name/, 'Rao');
    await this.walk.choose('Title', 'Ms');
    await this.walk.choose('Gender', 'Female');
    await this.walk.date('Date of birth', '1990-04-12');
    await this.walk.type('E-mail', 'asha@example.com');
    await this.walk.choose(/loan on this/, 'No');
    await this.walk.submit('Continue');
  }

  async company(): Promise<void> {
    await this.at(`Owner of the ${this.line.noun}`, '/checkout');
    await this.walk.choose('Who owns it?', 'A company or firm');
    await this.walk.type('Company name', 'Lakeview Traders');
    await this.walk.type(/^GSTIN/, '07aaacb8888c1z5');
    await this.walk.type('CIN', 'U12345DL2015PTC123456');
    await this.walk.date(/Date of incorporation/, '2015-03-02');
    await this.walk.type('Number of the certificate of incorporation', '123456');
    await this.walk.type('E-mail', 'office@example.com');
    await this.walk.choose(/loan on this/, 'No');
    await this.walk.submit('Continue');
  }

  async address(pincode = '110001'): Promise<void> {
    await this.at('Your address', '/checkout-address');
    await this.walk.type('Pincode', pincode);
    await this.walk.type('House and building', '12 Lake View');
    await this.walk.submit('Continue');
  }

  async nominee(): Promise<void> {
    await this.at('Your nominee', '/checkout-nominee');
    await this.walk.type("Nominee's name", 'Ravi Rao');
    await this.walk.type("Nominee's age", '38');
    await this.walk.select("Nominee's relation to you", 'Spouse');
    await this.walk.submit('Continue');
  }

  async papers(): Promise<void> {
    await this.at('Engine, chassis and papers', '/checkout-vehicle');
    await this.walk.type(/^Your previous policy number/, 'OG-25-1234-5678');
    await this.walk.tick(/terms and conditions/);
    await this.walk.submit('Continue');
  }

  /** A firm has its own PAN and no occupation. */
  async kycOfFirm(pan: string): Promise<void> {
    await this.at('Verify your identity', '/checkout-kyc');
    await this.walk.choose(/Which document/, 'PAN card');
    await this.walk.type('PAN of the firm', pan);
    await this.walk.choose(/firm's money/, 'Business or profession');
    await this.walk.choose(/high public office/, 'No');
    await this.walk.tick(/checks my identity/);
    await this.walk.submit('Verify KYC');
  }

  async kyc(pan = 'ABCPE1234F'): Promise<void> {
    await this.at('Verify your identity', '/checkout-kyc');
    await this.walk.choose(/Which document/, 'PAN card');
    await this.walk.type('PAN', pan);
    await this.walk.select('Occupation', 'Salaried');
    await this.walk.select('Where does your income come from?', 'Salary');
    await this.walk.choose(/high public office/, 'No');
    await this.walk.tick(/checks my identity/);
    await this.walk.submit('Verify KYC');
  }

  async confirm(): Promise<void> {
    await this.at('Check your answers', '/confirm');
    await this.walk.submit(/^Pay ₹[\d,]+ securely$/);
  }

  /** On the payment company's page: what is shown there is what the insurer asked for. */
  async pay(button: string | RegExp): Promise<void> {
    await expect(this.page).toHaveURL(/sandbox\/pages/, { timeout: 30_000 });
    await this.page.getByRole('button', { name: button }).click();
  }

  async issued(): Promise<string> {
    await this.at(`Your ${this.line.noun} is insured`, '/post-payment-success');
    const card = this.page.locator('[data-style="keep"] .facts > div').filter({ hasText: 'Policy number' });
    return (await card.locator('dd').textContent())!.trim();
  }
}
