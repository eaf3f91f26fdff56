/** What a customer does, found by role and label, with the real mouse and keyboard. */
import AxeBuilder from '@axe-core/playwright';
import { type Locator, type Page, expect, test as base } from '@playwright/test';
import { Product } from './product.ts';

export const test = base.extend<{ walk: Walk }, { product: Product }>({
  product: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner wants a pattern
    async ({}, use) => {
      const product = await Product.start();
      await use(product);
      await product.stop();
    },
    { scope: 'worker' },
  ],
  walk: async ({ page, product }, use) => {
    await use(new Walk(page, product));
  },
});

export { expect };

let numbers = 0;

/** A mobile number that no other walk uses. */
export function newMobile(): string {
  numbers += 1;
  return `98${String(Date.now() % 100_000).padStart(5, '0')}${String(numbers).padStart(3, '0')}`;
}

export class Walk {
  constructor(
    readonly page: Page,
    readonly product: Product,
  ) {}

  async open(path: string): Promise<void> {
    await this.page.goto(this.product.base + path);
    await this.settled();
  }

  /** The page is React's: what is typed now stays. */
  async settled(): Promise<void> {
    await this.page.waitForFunction(() => Object.keys(document.getElementById('app') ?? {}).some((key) => key.startsWith('__react')));
  }

  heading(title: string | RegExp): Locator {
    return this.page.getByRole('heading', { level: 1, name: title });
  }

  /** At this step, and nothing on it hinders anyone. */
  async at(title: string | RegExp, path?: string): Promise<void> {
    await expect(this.heading(title)).toBeVisible({ timeout: 30_000 });
    if (path !== undefined) await expect(this.page).toHaveURL(new RegExp(`${path}(\\?|$)`));
    await this.accessible();
  }

  async accessible(): Promise<void> {
    const result = await new AxeBuilder({ page: this.page }).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']).analyze();
    expect(result.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(' ')).join(', ')}`)).toEqual([]);
  }

  async type(label: string | RegExp, text: string): Promise<void> {
    const field = this.page.getByLabel(label, { exact: typeof label === 'string' });
    await field.click();
    await field.press('Control+a');
    await field.pressSequentially(text);
  }

  /** A radio card or toggle by its question and answer. */
  async choose(question: string | RegExp, answer: string | RegExp): Promise<void> {
    await this.page.getByRole('group', { name: question }).or(this.page.getByRole('radiogroup', { name: question })).getByText(answer).first().click();
  }

  async select(label: string | RegExp, option: string): Promise<void> {
    await this.page.getByLabel(label).selectOption({ label: option });
  }

  /** Types into a look-up field and takes the option. */
  async lookUp(label: string | RegExp, text: string, option: string | RegExp): Promise<void> {
    const field = this.page.getByRole('combobox', { name: label });
    await field.click();
    await field.press('Control+a');
    await field.pressSequentially(text);
    await this.page.getByRole('option', { name: option }).first().click();
  }

  async date(label: string | RegExp, iso: string): Promise<void> {
    const [year, month, day] = iso.split('-') as [string, string, string];
    const group = this.page.getByRole('group', { name: label });
    await group.getByLabel('Day').fill(String(Number(day)));
    await group.getByLabel('Month').fill(String(Number(month)));
    await group.getByLabel('Year').fill(year);
  }

  async tick(label: string | RegExp): Promise<void> {
    await this.page.getByRole('checkbox', { name: label }).click();
  }

  async press(name: string | RegExp): Promise<void> {
    await this.page.getByRole('button', { name }).first().click();
  }

  /** The newest one-time password that was sent to a number. */
  async code(mobile: string): Promise<string> {
    let code = '';
    await expect(async () => {
      const [newest] = await this.product.messages(mobile);
      code = /\b(\d{6})\b/.exec(newest?.text ?? '')?.[1] ?? '';
      expect(code).toHaveLength(6);
    }).toPass();
    return code;
  }
}
