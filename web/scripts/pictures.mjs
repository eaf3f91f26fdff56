/** Pictures of every fixture at a phone's and a desk's width, and an axe report. `node scripts/pictures.mjs [folder] [name …]` */
import { mkdirSync } from 'node:fs';
import AxeBuilder from '@axe-core/playwright';
import { chromium } from '@playwright/test';
import { createServer } from 'vite';

const [folder = 'dev/pictures', ...only] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const server = await createServer({ server: { port: 0 }, logLevel: 'error' });
await server.listen();
const base = `http://localhost:${server.httpServer.address().port}`;
const { fixtures } = await server.ssrLoadModule('/dev/fixtures.ts');
const FLAGS =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync --disable-dev-shm-usage'.split(
    ' ',
  );
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: FLAGS });
let bad = 0;
for (const [width, height] of [
  [390, 844],
  [1280, 900],
]) {
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: 1,
    reducedMotion: 'reduce',
    hasTouch: width < 600,
  });
  for (const name of only.length > 0 ? only : Object.keys(fixtures)) {
    const page = await context.newPage();
    page.on('pageerror', (error) => console.log(`${name} ${width}: ${error.message}`));
    page.on('console', (message) => message.type() === 'error' && console.log(`${name} ${width}: ${message.text()}`));
    if (name === 'redirect') await page.addInitScript(() => sessionStorage.setItem('left:gallery:3', '1'));
    await page.goto(`${base}/gallery/${name}`);
    await page.waitForSelector('#app[data-ready]');
    await page.waitForTimeout(150);
    await page.screenshot({ path: `${folder}/${name}-${width}.png`, fullPage: true });
    const { violations } = await new AxeBuilder({ page })
      .withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'])
      .analyze();
    for (const one of violations) {
      bad += 1;
      console.log(
        `${name} ${width}: ${one.id} ${one.nodes
          .map((node) => node.target.join(' '))
          .slice(0, 4)
          .join(' | ')}`,
      );
    }
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (wide > 0) console.log(`${name} ${width}: ${wide} px wider than the window`);
    await page.close();
  }
  await context.close();
}
await browser.close();
await server.close();
console.log(`${bad} accessibility problems`);
process.exit(bad > 0 ? 1 : 0);
