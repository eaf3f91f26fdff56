/** What a customer does, found by role and label, with the real mouse and keyboard. */
import { createHash } from 'node:crypto';
import { type Locator, type Page, expect, test as base } from '@playwright/test';
import axe from 'axe-core';
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

/** A hand moves over the page until the page is React's. */
export async function settled(page: Page): Promise<void> {
  await expect(async () => {
    await page.evaluate(() => dispatchEvent(new Event('pointermove')));
    await expect(page.locator('#app[data-ready]')).toBeAttached({ timeout: 250 });
  }).toPass({ timeout: 60_000, intervals: [0] });
}

/** Files of this name stay away until they are let through. */
export async function hold(page: Page, files: string | RegExp): Promise<() => void> {
  let release = () => {};
  const held = new Promise<void>((go) => (release = go));
  await page.route(files, async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

/** Before a page is opened; the result waits until the script of this name has run there. */
export function runs(page: Page, script: string): () => Promise<void> {
  const asked = page.waitForRequest(new RegExp(`/assets/${script}-`));
  return async () => page.evaluate(`import(${JSON.stringify((await asked).url())}).then(() => undefined)`);
}

/** From here on time passes in the pages only when they are told to. */
export async function stopClock(page: Page): Promise<void> {
  // without `install`: what passes between the two would be lived through by every page that is opened
  await page.clock.pauseAt('2026-11-21T10:00:00Z');
}

/** Shapes of pages in which axe has found nothing. */
const clean = new Set<string>();

/** What axe judges by: elements, what they are said to be, how they look; not their words, nor how often one follows its like. */
async function shape(page: Page): Promise<string> {
  const drawn = await page.evaluate(() => {
    const refers = /^(?:for|headers|list|aria-(?:labelledby|describedby|controls|owns|details|errormessage|activedescendant|flowto))$/;
    const words = /^(?:id|name|value|href|src|alt|title|placeholder|aria-label|aria-valuetext|aria-valuenow)$/;
    const of = (one: Element): string => {
      if (!one.checkVisibility()) return '';
      const says = [...one.attributes].map(({ name, value }) => {
        if (refers.test(name)) return `${name}:${value.split(/\s+/).every((id) => document.getElementById(id))}`;
        return words.test(name) ? `${name}:${value !== ''}` : `${name}=${value}`;
      });
      const hasText = [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim());
      return `<${one.tagName} ${says.sort().join(' ')} ${hasText}>${[...new Set([...one.children].map(of))].join('')}</>`;
    };
    const { classList, lang, dataset } = document.documentElement;
    return [innerWidth, matchMedia('(prefers-color-scheme: dark)').matches, lang, classList.value, JSON.stringify(dataset), of(document.body)].join();
  });
  return createHash('sha256').update(drawn).digest('base64');
}

/** What axe finds: rule and elements. A page of many steps takes the script once. */
async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const runOnly = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, { runOnly, resultTypes: ['violations'] });
    return violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(' ')).join(', ')}`);
  });
}

/** Steps whose ways on were looked at in all windows. */
const reached = new Set<string>();

/** `E2E_WINDOWS=all` is the long form. */
const windows =
  process.env.E2E_WINDOWS === 'all'
    ? [320, 360, 390, 768, 1024, 1280, 1920].flatMap((width) => ['', '150%', '200%'].map((text) => ({ width, height: width < 768 ? 740 : 900, text })))
    : [
        { width: 390, height: 844, text: '' },
        { width: 1280, height: 900, text: '' },
      ];

/** Primary actions in the window that something else stands on. What is scrolled away below the header is not in the window. */
function covered(): string[] {
  const within = document.querySelector('dialog:modal') ?? document;
  return [...within.querySelectorAll<HTMLElement>('.button[data-style="primary"]')].flatMap((one) => {
    if (!one.checkVisibility({ visibilityProperty: true })) return [];
    const { left, top, width, height } = one.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return [];
    const above = document.elementFromPoint(x, y);
    if (!above || one.contains(above) || above.closest('.site-header')) return [];
    return [`${one.textContent?.trim()} under ${above.outerHTML.slice(0, 160)}`];
  });
}

let numbers = 0;

/** A mobile number that no other walk uses. */
export function newMobile(): string {
  numbers += 1;
  return `98${String(Date.now() % 100_000).padStart(5, '0')}${String(numbers).padStart(3, '0')}`;
}

/** Values of every control of the step, as the person sees them. */
export type Typed = Record<string, string>;

export class Walk {
  /** Called on every step that is reached, with the last part of its address (`start` for the first one). */
  arrived?: (step: string) => Promise<void>;
  /** Called when a step is filled in and about to be sent. */
  leaving?: () => Promise<void>;
  /** Parts of an address that belong to the journey, before the step's own. */
  depth = 1;
  /** Whether axe looks at every step; a walk over steps that another walk has shown to it need not repeat that. */
  axe = true;
  /** Whether a step that no walk has come to is looked at in windows of other sizes too; a walk that measures how far things move must not. */
  otherWindows = true;

  constructor(
    readonly page: Page,
    readonly product: Product,
  ) {}

  async open(path: string): Promise<void> {
    await this.page.goto(this.product.base + path);
    await this.settled();
  }

  /** The page is React's: what is typed now stays. A first step becomes so with the first sign of a person. */
  async settled(): Promise<void> {
    await settled(this.page);
  }

  heading(title: string | RegExp): Locator {
    return this.page.getByRole('heading', { level: 1, name: title });
  }

  /** At this step, and nothing on it hinders anyone. */
  async at(title: string | RegExp, path?: string): Promise<void> {
    await expect(this.heading(title)).toBeVisible({ timeout: 90_000 });
    if (path !== undefined) await expect(this.page).toHaveURL(new RegExp(`${path}(\\?|$)`));
    await this.settled();
    await this.accessible();
    await this.reachable();
    await this.arrived?.(new URL(this.page.url()).pathname.split('/')[1 + this.depth] ?? 'start');
  }

  /** Nothing stands on a way on that is in the window; of a step that no walk has come to in other windows too. */
  async reachable(): Promise<void> {
    await expect(async () => expect(await this.page.evaluate(covered)).toEqual([])).toPass({ timeout: 15_000 });
    const step = new URL(this.page.url()).pathname;
    const own = this.page.viewportSize();
    if (!own || !this.otherWindows || reached.has(step)) return;
    reached.add(step);
    for (const { width, height, text } of windows) {
      await this.page.setViewportSize({ width, height });
      await this.page.evaluate((size) => void (document.documentElement.style.fontSize = size), text);
      await expect(async () => expect(await this.page.evaluate(covered), `${width} px, text ${text || '100%'}`).toEqual([])).toPass({ timeout: 15_000 });
    }
    await this.page.evaluate(() => void (document.documentElement.style.fontSize = ''));
    await this.page.setViewportSize(own);
  }

  async accessible(): Promise<void> {
    if (!this.axe) return;
    // colours count once they have stopped changing
    await this.page.evaluate(() =>
      Promise.allSettled(
        document
          .getAnimations()
          .filter((one) => one.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
          .map((one) => one.finished),
      ),
    );
    const looks = await shape(this.page);
    if (clean.has(looks)) return;
    expect(await this.laidFlat(() => violations(this.page))).toEqual([]);
    clean.add(looks);
  }

  /** What floats over the page stands in it meanwhile: anyone can scroll a target from under it, axe does not know that. */
  private async laidFlat<T>(look: () => Promise<T>): Promise<T> {
    const sheet = await this.page.evaluateHandle(() => {
      const floating = (rules: CSSRuleList): string[] =>
        [...rules].flatMap((rule) =>
          rule instanceof CSSStyleRule && ['sticky', 'fixed'].includes(rule.style.position) ? [rule.selectorText] : rule instanceof CSSGroupingRule ? floating(rule.cssRules) : [],
        );
      const flat = new CSSStyleSheet();
      flat.replaceSync(`:is(${[...document.styleSheets].flatMap((one) => floating(one.cssRules)).join()}) { position: static !important; height: auto !important; }`);
      document.adoptedStyleSheets.push(flat);
      return flat;
    });
    try {
      return await look();
    } finally {
      await sheet.evaluate((flat) => {
        document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== flat);
      });
    }
  }

  field(label: string | RegExp): Locator {
    return this.page.getByLabel(label, { exact: typeof label === 'string' });
  }

  async type(label: string | RegExp, text: string): Promise<void> {
    const field = this.field(label);
    await field.click();
    await field.press('Control+a');
    await field.pressSequentially(text);
  }

  question(name: string | RegExp): Locator {
    return this.page.getByRole('group', { name }).or(this.page.getByRole('radiogroup', { name }));
  }

  /** A radio card, toggle or tick by its question and answer. */
  async choose(question: string | RegExp, answer: string | RegExp): Promise<void> {
    await this.question(question).getByText(answer, { exact: typeof answer === 'string' }).first().click();
  }

  async select(label: string | RegExp, option: string): Promise<void> {
    await this.field(label).selectOption({ label: option });
  }

  /** Types into a look-up field and takes the option. */
  async lookUp(label: string | RegExp, text: string, option: string | RegExp): Promise<void> {
    const field = this.page.getByRole('combobox', { name: label });
    await field.click();
    await field.press('Control+a');
    await field.pressSequentially(text);
    await this.page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option', { name: option }).first().click();
    await expect(field).toHaveAttribute('aria-expanded', 'false');
  }

  async date(label: string | RegExp, iso: string): Promise<void> {
    const [year, month, day] = iso.split('-') as [string, string, string];
    const group = this.page.getByRole('group', { name: label });
    await group.getByLabel('Day').fill(day);
    await group.getByLabel('Month').fill(month);
    await group.getByLabel('Year').fill(year);
  }

  async tick(label: string | RegExp): Promise<void> {
    await this.page.getByRole('checkbox', { name: label }).click();
  }

  async press(name: string | RegExp): Promise<void> {
    await this.page.getByRole('button', { name, exact: typeof name === 'string' }).first().click();
  }

  /** Sends a step that is filled in. */
  async submit(name: string | RegExp): Promise<void> {
    await this.leaving?.();
    await this.press(name);
  }

  /** Presses the way back that stands on the page. */
  async back(): Promise<void> {
    await this.page.getByRole('link', { name: 'Back', exact: true }).click();
  }

  /** The error texts beside the fields; a summary above several says the same and holds the focus, a single one's field does (R9-32). */
  async errors(texts: string[]): Promise<void> {
    await expect(this.page.locator('.field-error')).toHaveText(texts.map((text) => `Error: ${text}`));
    const summary = this.page.getByRole('alert').filter({ has: this.page.getByRole('heading', { name: /^Please check/ }) });
    if (texts.length === 1) {
      await expect(summary).toHaveCount(0);
      await expect(this.page.locator('[data-invalid] :focus')).toBeVisible();
    } else {
      await expect(summary.getByRole('listitem')).toHaveText(texts);
      await expect(summary).toBeFocused();
    }
    await this.accessible();
    await this.reachable();
  }

  async typed(): Promise<Typed> {
    return this.page.locator('#app').evaluate((app) =>
      Object.fromEntries(
        [...app.querySelectorAll<HTMLInputElement>('input[id], select[id], textarea[id]')].map((control) => [
          control.id,
          ['checkbox', 'radio'].includes(control.type) ? String(control.checked) : control.value,
        ]),
      ),
    );
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
