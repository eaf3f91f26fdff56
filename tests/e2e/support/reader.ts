/**
 * What somebody is told who hears a page instead of seeing it, and the keys that she presses. Nothing is found by its look:
 * a control is what the browser's accessibility tree calls it, and what changes by itself counts only where a live region says so.
 */
import { type CDPSession, type Page, expect } from '@playwright/test';

/** A place in the accessibility tree, as it is read out. */
export interface Spoken {
  role: string;
  name: string;
  description: string;
  /** `required`, `invalid`, `checked`, `expanded`, `disabled`, `level`, as far as the browser tells them */
  states: Record<string, unknown>;
  /** names of the groups around it, innermost first */
  within: string[];
}

interface Node {
  ignored?: boolean;
  role?: { value: string };
  name?: { value: string };
  description?: { value: string };
  properties?: { name: string; value: { value: unknown } }[];
}

/** So many presses of Tab are more than any page of ours has stops. */
const STOPS = 160;

const matches = (said: string, wanted: string | RegExp) => (typeof wanted === 'string' ? said === wanted : wanted.test(said));

export class Reader {
  private constructor(
    readonly page: Page,
    private readonly tree: CDPSession,
  ) {}

  static async of(page: Page): Promise<Reader> {
    await page.addInitScript(() => {
      const heard: string[] = [];
      Object.assign(window, { heard });
      const regions = '[role=alert], [role=status], [aria-live=polite], [aria-live=assertive]';
      const note = (one: Element | null | undefined) => {
        const text = one?.textContent?.replace(/\s+/g, ' ').trim();
        if (text && text !== heard.at(-1)) heard.push(text);
      };
      new MutationObserver((changes) => {
        for (const { target, addedNodes, type } of changes) {
          const at = target instanceof Element ? target : target.parentElement;
          // what changes in a region that was there is read; of regions that come with their words only an alert is
          note(at?.closest(regions));
          if (type === 'childList')
            for (const added of addedNodes) if (added instanceof Element) note(added.matches('[role=alert]') ? added : added.querySelector('[role=alert]'));
        }
      }).observe(document, { subtree: true, childList: true, characterData: true });
    });
    const tree = await page.context().newCDPSession(page);
    await tree.send('Accessibility.enable');
    return new Reader(page, tree);
  }

  /** What is read where the focus is. */
  async focused(): Promise<Spoken> {
    const { result } = await this.tree.send('Runtime.evaluate', { expression: 'document.activeElement' });
    const { nodes } = (await this.tree.send('Accessibility.getAXNodeAndAncestors', { objectId: result.objectId! })) as { nodes: Node[] };
    const [here, ...around] = nodes;
    return {
      role: here?.role?.value ?? '',
      name: here?.name?.value ?? '',
      description: here?.description?.value ?? '',
      states: Object.fromEntries((here?.properties ?? []).map(({ name, value }) => [name, value.value])),
      within: around.filter((one) => !one.ignored && ['group', 'radiogroup', 'region', 'article', 'dialog', 'list'].includes(one.role?.value ?? '')).map((one) => one.name?.value ?? ''),
    };
  }

  /** A new step: its heading has the focus and is read, the tab says it, and the page is one that can be found one's way in. */
  async at(title: string | RegExp): Promise<void> {
    await expect.poll(async () => (({ role, name }) => [role, matches(name, title)])(await this.focused()), { message: `the heading “${title}” has the focus`, timeout: 60_000 }).toEqual(['heading', true]);
    await this.opened(title);
  }

  /** A page that was opened: its tab says what it is, it has one heading of the first level and no gaps below, and one main part. */
  async opened(title: string | RegExp): Promise<void> {
    await expect(this.page).toHaveTitle(typeof title === 'string' ? new RegExp(`^${title.replace(/[?()]/g, '\\$&')}`) : title, { timeout: 60_000 });
    await expect(this.page.getByRole('main')).toHaveCount(1);
    const levels = await this.page.getByRole('heading').evaluateAll((all) => all.filter((one) => one.checkVisibility()).map((one) => Number(/^H(\d)$/.exec(one.tagName)?.[1] ?? one.getAttribute('aria-level'))));
    expect(levels.filter((level) => level === 1), 'headings of the first level').toHaveLength(1);
    for (const [index, level] of levels.entries()) if (index > 0) expect(level - levels[index - 1]!, `levels of headings: ${levels}`).toBeLessThanOrEqual(1);
    for (const landmark of await this.page.getByRole('navigation').all()) expect(await landmark.getAttribute('aria-label') ?? await landmark.getAttribute('aria-labelledby'), 'name of a navigation').not.toBeNull();
  }

  /** Leaps to a heading, as readers do by the key H; Tab goes on from there. */
  async leap(title: string | RegExp): Promise<void> {
    const heading = this.page.getByRole('heading', { name: title }).first();
    await expect(heading).toBeVisible({ timeout: 30_000 });
    await heading.evaluate((one) => {
      (document.activeElement as HTMLElement | null)?.blur();
      getSelection()?.collapse(one, 0);
    });
  }

  /** Goes on by Tab until a control of this role and name has the focus. Whatever is passed must say what it is. */
  async to(role: string | RegExp, name: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<Spoken> {
    const passed: string[] = [];
    for (let stop = 0; stop < STOPS; stop += 1) {
      const here = await this.focused();
      if (matches(here.role, role) && matches(here.name, name)) return here;
      await this.page.keyboard.press(key);
      const next = await this.focused();
      // between the last control and the first the browser itself has the focus
      if (['RootWebArea', 'none'].includes(next.role)) continue;
      expect(next.name, `a ${next.role} after “${passed.at(-1) ?? here.name}” has no name`).not.toBe('');
      expect(next.role, `“${next.name}” can have the focus and is nothing`).not.toMatch(/^(generic|none|paragraph|StaticText)$/);
      passed.push(`${next.role} ${next.name}`);
    }
    throw new Error(`no ${role} “${name}” among ${passed.join(' · ')}`);
  }

  /** Types into a text box, over what stands there. */
  async type(name: string | RegExp, text: string): Promise<Spoken> {
    const field = await this.to(/^(textbox|spinbutton|combobox|searchbox)$/, name);
    await this.page.keyboard.press('Control+a');
    await this.page.keyboard.type(text);
    return field;
  }

  /** Takes an option of a list that is closed, by its first letters. */
  async pick(name: string | RegExp, option: string): Promise<void> {
    await this.to('combobox', name);
    await this.page.keyboard.type(option);
    await expect.poll(() => this.page.evaluate(() => (document.activeElement as HTMLSelectElement).selectedOptions[0]?.text)).toBe(option);
  }

  /** Chooses one of several: the group is read with its first member, the arrows go through them. */
  async choose(question: string | RegExp, answer: string | RegExp): Promise<void> {
    const inGroup = (here: Spoken) => here.role === 'radio' && here.within.some((one) => matches(one, question));
    for (let stop = 0; !inGroup(await this.focused()); stop += 1) {
      if (stop === STOPS) throw new Error(`no question “${question}”`);
      await this.page.keyboard.press('Tab');
    }
    for (let turn = 0; turn < 20; turn += 1) {
      const here = await this.focused();
      expect(inGroup(here), `“${question}” has no answer “${answer}”`).toBe(true);
      if (matches(here.name, answer)) {
        if (here.states.checked !== 'true') await this.page.keyboard.press('Space');
        expect((await this.focused()).states.checked).toBe('true');
        return;
      }
      await this.page.keyboard.press('ArrowDown');
    }
    throw new Error(`“${question}” has no answer “${answer}”`);
  }

  async tick(name: string | RegExp): Promise<Spoken> {
    const box = await this.to('checkbox', name);
    await this.page.keyboard.press('Space');
    expect((await this.focused()).states.checked).toBe('true');
    return box;
  }

  /** A day, typed into its three boxes in the order that people say it. */
  async day(question: string | RegExp, iso: string): Promise<void> {
    const [year, month, day] = iso.split('-') as [string, string, string];
    const first = await this.type(/^Day/, day);
    expect(first.within.some((one) => matches(one, question)), `the day belongs to “${first.within}”`).toBe(true);
    await this.type(/^Month/, month);
    await this.type(/^Year/, year);
  }

  async press(name: string | RegExp, role: 'button' | 'link' = 'button'): Promise<void> {
    await this.to(role, name);
    await this.page.keyboard.press('Enter');
  }

  /** A live region has said this since the page was opened. */
  async hears(text: string | RegExp): Promise<void> {
    await expect
      .poll(async () => (await this.heard()).some((one) => (typeof text === 'string' ? one.includes(text) : text.test(one))), { message: `“${text}” is said`, timeout: 60_000 })
      .toBe(true);
  }

  heard(): Promise<string[]> {
    return this.page.evaluate(() => (window as unknown as { heard: string[] }).heard);
  }
}
