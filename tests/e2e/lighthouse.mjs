/** Lighthouse, mobile: the first page and the quotes of a car journey; and what scripts weigh on a page (brotli). */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from '@playwright/test';
import lighthouse from 'lighthouse';

const root = resolve(import.meta.dirname, '../..');
const binary = process.env.E2E_BINARY ?? join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'release/journey');
const folder = mkdtempSync(join(tmpdir(), 'journey-lighthouse-'));
const port = await new Promise((found) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => found(port));
  });
});

const product = spawn(binary, ['serve', '--definitions', root, '--no-watch', '--address', '127.0.0.1:0'], {
  cwd: folder,
  env: { ...process.env, JOURNEY_DATABASE__URL: `sqlite:${join(folder, 'journey.db')}` },
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-dev-shm-usage', `--remote-debugging-port=${port}`],
});
try {
  const base = await new Promise((ready, failed) => {
    let said = '';
    const listen = (chunk) => {
      said += chunk;
      const found = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(said);
      if (found) ready(`http://localhost:${found[1]}`);
    };
    product.stdout.on('data', listen);
    product.stderr.on('data', listen);
    product.once('exit', () => failed(new Error(said)));
  });
  await measure('/car-insurance', `${base}/car-insurance`);
  await measure('quotes', await quotes(base));
  const assets = join(root, 'web/dist/assets');
  for (const file of readdirSync(assets).filter((name) => name.endsWith('.br'))) console.log(`${file}: ${(statSync(join(assets, file)).size / 1000).toFixed(1)} KB`);
} finally {
  await browser.close();
  product.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

async function measure(name, url) {
  // the browser's own context, so that the session's cookie is there; the clock's throttling is simulated
  const { lhr } = await lighthouse(url, { port, output: 'json', logLevel: 'error', disableStorageReset: true });
  const of = (id) => Math.round((lhr.categories[id]?.score ?? 0) * 100);
  const shown = ['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time', 'cumulative-layout-shift'].map((id) => `${id} ${lhr.audits[id].displayValue}`);
  console.log(`${name}: performance ${of('performance')}, accessibility ${of('accessibility')}, best practices ${of('best-practices')}, SEO ${of('seo')} (${shown.join(', ')})`);
  for (const category of Object.values(lhr.categories)) {
    for (const { id, weight } of category.auditRefs) {
      const { score, title, displayValue } = lhr.audits[id];
      if (weight > 0 && score !== null && score < 0.9) console.log(`  ${category.id}: ${title}${displayValue ? ` (${displayValue})` : ''}`);
    }
  }
  const scripts = lhr.audits['network-requests'].details.items.filter((one) => one.resourceType === 'Script');
  console.log(`  scripts: ${(scripts.reduce((sum, one) => sum + one.transferSize, 0) / 1000).toFixed(1)} KB over the wire`);
}

/** A journey at its quotes, made by API calls in the browser's own session. */
async function quotes(base) {
  // Lighthouse opens its pages in the browser's own context: the session has to be there
  const own = await chromium.connectOverCDP(`http://localhost:${port}`);
  const page = await own.contexts()[0].newPage();
  await page.goto(`${base}/car-insurance`);
  const mobile = '9876501234';
  const address = await page.evaluate(async (mobile) => {
    let view;
    const call = async (path, body) => {
      const headers = { 'content-type': 'application/json', 'x-journey': '1', 'idempotency-key': crypto.randomUUID() };
      const reply = await fetch(`/api/v1${path}`, body ? { method: 'POST', headers, body: JSON.stringify(body) } : {});
      view = await reply.json();
      if (!reply.ok) throw new Error(JSON.stringify(view));
      while (view.step.kind === 'wait') {
        await new Promise((done) => setTimeout(done, 300));
        view = await (await fetch(`/api/v1/journeys/${view.journey.id}`)).json();
      }
    };
    const send = (data) => call(`/journeys/${view.journey.id}/events`, { type: 'submit', data, revision: view.journey.revision });
    await call('/journeys', { workflow: 'motor/car', data: { registration: 'dl3cab1234', kind: 'registered' } });
    await send({ name: 'Asha Rao', mobile, consent: true });
    let code;
    while (!code) {
      const inbox = await (await fetch(`/sandbox/inbox.json?to=${mobile}`)).json();
      code = /\b(\d{6})\b/.exec((inbox.messages ?? inbox)[0]?.text ?? '')?.[1];
    }
    await send({ code });
    await send(view.step.form.data);
    await send({ owner_changed: true });
    // the partners answer within six seconds
    await new Promise((done) => setTimeout(done, 8000));
    return view.step.url;
  }, mobile);
  await page.close();
  return new URL(address, base).href;
}
