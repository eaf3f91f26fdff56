/** Somebody saves for twenty years, in Hindi, from the first question to the signed illustration. */
import { expect, newMobile, test } from '../support/walk.ts';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

test('a ULIP is chosen and signed for in Hindi (R1-07, R2.6-05)', async ({ walk, page }) => {
  const mobile = newMobile();
  await walk.open('/investment/hi');
  await expect(page.locator('html')).toHaveAttribute('lang', 'hi');
  await walk.at('आप किसके लिए बचत कर रहे हैं?');
  // what the page says stands below the first question
  await expect(page.getByRole('heading', { name: 'किस लक्ष्य के लिए क्या सही' })).toBeVisible();
  await walk.choose('पैसा किसके लिए है?', 'यूलिप');
  await walk.type('साल में कितना?', '100000');
  await walk.submit('आगे बढ़ें');

  await walk.at('आपके बारे में', '/investment/about-you');
  const born = page.getByRole('group', { name: 'आपकी जन्मतिथि' }).getByRole('textbox');
  for (const [at, text] of ['01', '03', '1996'].entries()) await born.nth(at).fill(text);
  await walk.submit('प्लान देखें');

  await walk.at('आपका संपर्क');
  await page.locator('input[name="name"]').fill('Asha Rao');
  await page.locator('input[name="mobile"]').fill(mobile);
  await page.locator('#form button[type="submit"]').click();
  await walk.at(/कोड/);
  await page.locator('input[autocomplete="one-time-code"]').pressSequentially(await walk.code(mobile));

  await walk.at('आपके पैसे के लिए प्लान', '/investment/quotes');
  await walk.press(/साल-दर-साल देखें HDFC Life/);
  await walk.at(/.+/, '/investment/plan');
  await expect(page.getByRole('table')).not.toHaveCount(0);
  await walk.press('इस प्लान के साथ आगे बढ़ें');

  await walk.at('क्या यह प्लान आपके लिए सही है?', '/investment/checkout');
  await walk.type('आपकी सालाना आमदनी', '1200000');
  await walk.choose(/पाँच साल से पहले/, 'नहीं');
  await walk.choose(/उतार-चढ़ाव/, /थोड़ा/);
  await walk.submit('आगे बढ़ें');

  await walk.at('आपका उदाहरण-पत्र', '/investment/illustration');
  for (const box of await page.getByRole('checkbox').all()) await box.click();
  await walk.submit('हस्ताक्षर करें');
  await walk.at('आपकी जानकारी', '/investment/proposer');
});
