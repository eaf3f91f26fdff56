/** What people write in their own way: input methods, scripts, accents, numbers as they say them. Nothing changes without a word. */
import type { CDPSession, Locator } from '@playwright/test';
import { Motor, car } from '../support/motor.ts';
import { type Walk, expect, test } from '../support/walk.ts';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

/** A telephone's keyboard or an input method: each letter changes what is being composed, until the word is there. */
async function compose(keys: CDPSession, field: Locator, text: string): Promise<void> {
  await field.focus();
  for (let i = 1; i <= text.length; i++)
    await keys.send('Input.imeSetComposition', { text: text.slice(0, i), selectionStart: i, selectionEnd: i });
  await keys.send('Input.insertText', { text });
}

async function toContact(walk: Walk): Promise<void> {
  await walk.open('/car-insurance');
  await walk.type('Registration number', 'KA01AB0404');
  await walk.press('See my prices');
  await walk.at('Your contact details', '/contact');
}

const note = (walk: Walk, label: string): Locator =>
  walk.page.locator('.field').filter({ has: walk.field(label) }).getByRole('status');

test('while an input method composes the text stays, and is read at the end', async ({ walk, page }) => {
  const keys = await page.context().newCDPSession(page);
  await walk.open('/car-insurance');
  const plate = walk.field('Registration number');
  await compose(keys, plate, 'mh12ab1234');
  await expect(plate).toHaveValue('MH12AB1234');
  await page.keyboard.press('Tab');
  await expect(plate).toHaveValue('MH 12 AB 1234');
  await toContact(walk);
  await compose(keys, walk.field('Name'), 'josé rao1');
  await expect(walk.field('Name')).toHaveValue('jose rao');
  await compose(keys, walk.field('Mobile number'), '91 98123 45670');
  await expect(walk.field('Mobile number')).toHaveValue('9812345670');
});

test('a refused letter in the middle leaves the caret where it was', async ({ walk, page }) => {
  await toContact(walk);
  await walk.type('Name', 'Asha Rao');
  for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowLeft');
  await page.keyboard.type('1');
  await page.keyboard.type('x@y');
  await expect(walk.field('Name')).toHaveValue('Ashaxy Rao');
});

test('letters of another script stay and have a reason; accents and left-out signs a word (R5-03)', async ({ walk, page }) => {
  await toContact(walk);
  await walk.type('Name', 'आशा राव');
  await page.keyboard.press('Tab');
  await expect(walk.field('Name')).toHaveValue('आशा राव');
  await expect(page.locator('.field-error').first()).toHaveText('Error: Please write Name in English letters, as on the identity card');
  await walk.type('Name', 'Asha1 R@o');
  await expect(walk.field('Name')).toHaveValue('Asha Ro');
  await expect(note(walk, 'Name')).toHaveText("We removed @, which can't be used here.");
  await walk.type('Name', 'José Peña');
  await expect(walk.field('Name')).toHaveValue('Jose Pena');
  await expect(note(walk, 'Name')).toHaveText("We've changed ñ to n.");
  await walk.accessible();
});

test('a mobile number is one number, however it comes (R5-09, R5-10, R5-11)', async ({ walk, page }) => {
  await toContact(walk);
  const mobile = walk.field('Mobile number');
  for (const spelled of ['91 98123 45670', '+91 (0) 98123 45670', '0091 98123 45670', '९८१२३ ४५६७०']) {
    await walk.type('Mobile number', spelled);
    await expect(mobile).toHaveValue('9812345670');
    await mobile.fill(spelled);
    await expect(mobile).toHaveValue('9812345670');
  }
  await mobile.fill('98765 43210 / 98123 45670');
  await page.keyboard.press('Tab');
  await expect(page.locator('.field-error').last()).toHaveText('Error: Invalid mobile number. Please enter one number only.');
});

test('every number plate leads on, or to a telephone (R5-19)', async ({ walk, page }) => {
  for (const plate of ['MH VA AB 1234', 'MYK 1234', 'MH 12 1234']) {
    await new Motor(walk, car).number(plate);
    // which car it is comes first where the register does not know it
    await walk.at(/^Your (contact details|car)$/, '/(contact|vehicle)');
  }
  for (const [plate, kind] of [['77 UN 12', 'diplomatic vehicles'], ['T0124TS0001AB', 'vehicles with a temporary number']]) {
    await walk.open('/car-insurance');
    await walk.type('Registration number', plate);
    await walk.press('See my prices');
    await walk.errors([`We insure ${kind} only by phone: please call 1800 000 000`]);
  }
});

test('every word of a name is in the form that is sent; what is folded says so (R3-55)', async ({ walk, page }) => {
  const motor = new Motor(walk, car);
  await motor.number('DL3CAB1234');
  await motor.contact('Venkata Satya Narayana Rao');
  await motor.otp();
  await motor.vehicle();
  await motor.previous();
  await motor.quotes(1);
  await motor.buy('HDFC ERGO');
  await walk.at('Owner of the car', '/checkout');
  await page.getByText('Venkata Satya Narayana Rao: change this if your ID says something else').click();
  await expect(walk.field('First name')).toHaveValue('Venkata');
  await expect(walk.field(/^Middle name/)).toHaveValue('Satya Narayana');
  await expect(walk.field(/^Last name/)).toHaveValue('Rao');
  await walk.type(/^Middle name/, 'S');
  await expect(page.getByText('Venkata S Rao: change this if your ID says something else')).toBeVisible();
  await page.getByText(`Change the mobile ${motor.mobile}`).click();
  await expect(page.getByText(`Our messages go to *****${motor.mobile.slice(5)}, which you confirmed.`)).toBeVisible();
});
