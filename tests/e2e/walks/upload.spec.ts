/** Files that people send: over a line that breaks, refused and sent once more, by keyboard, after a reload. */
import type { Page } from '@playwright/test';
import { Product } from '../support/product.ts';
import { expect, test as base, Walk } from '../support/walk.ts';

const test = base.extend<{ walk: Walk }, { product: Product }>({
  product: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner wants a pattern
    async ({}, use) => {
      const product = await Product.startWith('attach');
      await use(product);
      await product.stop();
    },
    { scope: 'worker' },
  ],
});
test.use({ viewport: { width: 390, height: 844 } });

interface Chosen {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

/** A photo of this size that is like no other. */
async function photo(page: Page, name: string, width = 1600, height = 1200): Promise<Chosen> {
  const data = await page.evaluate(
    ({ width, height }) => {
      const canvas = Object.assign(document.createElement('canvas'), { width, height });
      const drawing = canvas.getContext('2d')!;
      const pixels = drawing.createImageData(width, height);
      // coarse, so that it stays itself when it is made smaller; noisy, so that it weighs something
      const tones = Array.from({ length: 64 }, () => Math.random() * 200);
      for (let at = 0; at < width * height; at++) {
        const tone = tones[8 * Math.floor((8 * Math.floor(at / width)) / height) + Math.floor((8 * (at % width)) / width)]!;
        for (const colour of [0, 1, 2]) pixels.data[4 * at + colour] = tone + Math.random() * 55;
        pixels.data[4 * at + 3] = 255;
      }
      drawing.putImageData(pixels, 0, 0);
      return canvas.toDataURL('image/jpeg', 0.95).split(',')[1]!;
    },
    { width, height },
  );
  return { name, mimeType: 'image/jpeg', buffer: Buffer.from(data, 'base64') };
}

const row = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });

/** By the button that a person presses: the device opens its own way to choose. */
async function choose(page: Page, button: string | RegExp, ...files: Chosen[]): Promise<void> {
  const opened = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: button }).focus();
  await page.keyboard.press('Enter');
  await (await opened).setFiles(files);
}

async function begin(walk: Walk): Promise<void> {
  await walk.open('/attach');
  await walk.type('Name', 'Asha Rao');
  await walk.submit('Continue');
  await walk.at('Your files', '/attach/files');
}

test('over a line that breaks: a part is lost, it stands still offline, and arrives by itself', async ({ page, walk }) => {
  await begin(walk);
  const bill = await photo(page, 'bill.jpg');
  expect(bill.buffer.length).toBeGreaterThan(600_000);
  let parts = 0;
  const context = page.context();
  await page.route('**/uploads/*', async (route) => {
    if (route.request().method() !== 'PUT' || ++parts !== 2) return route.continue();
    await context.setOffline(true);
    await route.abort();
  });
  await choose(page, 'Choose files', bill);
  await expect(row(page, 'bill.jpg').getByText(/^No connection/)).toBeVisible();
  await expect(page.getByRole('progressbar', { name: 'bill.jpg' })).toBeVisible();
  await walk.accessible();
  // the form waits for it, says so, and goes by itself
  await walk.press('Continue');
  await walk.errors(['bill.jpg is still on its way. We\'ll send your answers as soon as it\'s uploaded.']);
  await context.setOffline(false);
  await expect(page.getByRole('heading', { name: 'Thank you', level: 1 })).toBeVisible({ timeout: 60_000 });
  await walk.at('Thank you', '/attach/done');
  await expect(page.locator('.facts dd').first()).toHaveText('1');
});

test('a refused file says why; the next try takes its place; what is there can be replaced and taken away', async ({ page, walk }) => {
  await begin(walk);
  await choose(page, 'Choose files', await photo(page, 'tiny.jpg', 120, 90));
  await expect(row(page, 'tiny.jpg').locator('.field-error')).toHaveText(/too small/);
  await expect(page.getByRole('status').filter({ hasText: /tiny\.jpg: .*too small/ })).toHaveCount(1);
  await walk.accessible();
  await choose(page, 'Choose another file tiny.jpg', await photo(page, 'sharp.jpg'));
  await expect(row(page, 'sharp.jpg').getByText('Uploaded')).toBeVisible({ timeout: 60_000 });
  await expect(row(page, 'tiny.jpg')).toHaveCount(0);

  await choose(page, 'Replace sharp.jpg', await photo(page, 'sharper.jpg'));
  await expect(row(page, 'sharper.jpg').getByText('Uploaded')).toBeVisible({ timeout: 60_000 });
  await expect(page.locator('.upload-file')).toHaveCount(1);

  // whatever is pressed here is as large as a finger
  const small = await page.locator('.upload').getByRole('button').evaluateAll((all) => all.filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 44).map((one) => one.textContent));
  expect(small).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await page.setViewportSize({ width: 390, height: 844 });

  await page.getByRole('button', { name: 'Remove sharper.jpg' }).click();
  await expect(page.locator('.upload-file')).toHaveCount(0);
  await walk.press('Continue');
  await expect(page.locator('.field-error')).toBeVisible();
});

test('after a reload the files are there; one that was half there goes on from where it stopped', async ({ page, walk }) => {
  await begin(walk);
  await choose(page, 'Choose files', await photo(page, 'first.jpg'));
  await expect(row(page, 'first.jpg').getByText('Uploaded')).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText('Saved')).toBeVisible();
  const half = await photo(page, 'half.jpg');
  let parts = 0;
  let isCut = true;
  await page.route('**/uploads/*', async (route) => {
    if (isCut && route.request().method() === 'PUT' && ++parts > 1) return; // held until the page goes: a browser lets go what is held when nothing is routed any more
    return route.continue();
  });
  await choose(page, 'Add another', half);
  await expect.poll(() => parts).toBe(2);
  await page.reload();
  isCut = false;
  await walk.settled();
  await expect(row(page, 'first.jpg').getByText('Uploaded')).toBeVisible();
  await expect(row(page, 'half.jpg').getByText(/^.*Stopped at \d+%/)).toBeVisible();
  await walk.accessible();
  const ranges: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT') ranges.push(request.headers()['content-range'] ?? '');
  });
  await choose(page, 'Choose it again half.jpg', half);
  await expect(row(page, 'half.jpg').getByText('Uploaded')).toBeVisible({ timeout: 60_000 });
  expect(Number(/^bytes (\d+)/.exec(ranges[0] ?? '')?.[1])).toBeGreaterThan(0);
  await walk.submit('Continue');
  await walk.at('Thank you', '/attach/done');
  await expect(page.locator('.facts dd').first()).toHaveText('2');
});

test('photos by a list: one after the other while the line is gone, taken again, and none that must be there left out', async ({ page, walk }) => {
  await begin(walk);
  await choose(page, 'Choose files', await photo(page, 'bill.jpg'));
  await expect(row(page, 'bill.jpg').getByText('Uploaded')).toBeVisible({ timeout: 60_000 });
  await walk.submit('Continue');
  await walk.at('Thank you', '/attach/done');
  await walk.press('Take the photos');
  await walk.at('Photos', '/attach/photos');
  await expect(page.getByText('Photo 1 of 3: Front')).toBeVisible();
  await expect(page.getByText('The whole bumper, with the plate')).toBeVisible();
  await expect(page.locator('.upload-scene')).toBeVisible();
  await walk.press('Continue');
  await walk.errors(['Still to take: Front, Left side']);

  // what was taken without a line is kept, and goes when the line is back
  const shots = await Promise.all(['IMG_1.jpg', 'IMG_2.jpg', 'IMG_3.jpg'].map((name) => photo(page, name)));
  await page.context().setOffline(true);
  await choose(page, 'Choose a file', shots[0]!);
  await expect(page.getByText('Photo 2 of 3: Left side')).toBeVisible();
  await choose(page, 'Choose a file', shots[1]!);
  await expect(page.getByText('Photo 3 of 3: Roof')).toBeVisible();
  await walk.press('Skip this one');
  await expect(page.getByText('All photos taken.')).toBeVisible();
  await walk.accessible();
  await page.context().setOffline(false);
  for (const name of ['Front', 'Left side']) await expect(row(page, name).getByText('Uploaded')).toBeVisible({ timeout: 60_000 });

  await choose(page, 'Take it again Front', shots[2]!);
  await expect(row(page, 'Front').getByText('Uploaded')).toBeVisible({ timeout: 60_000 });
  await walk.submit('Continue');
  await walk.at('Thank you', '/attach/done');
  await expect(page.locator('.facts dd').nth(1)).toHaveText('2');
});
