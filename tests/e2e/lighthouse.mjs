/**
 * Lighthouse, mobile, over the main pages: the median of some runs, beside a former build where one is given.
 * node lighthouse.mjs --binary path/to/journey [--baseline path/to/another] [--runs 3] [--page /car-insurance …]
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from '@playwright/test';
import lighthouse from 'lighthouse';

const root = resolve(import.meta.dirname, '../..');
const { values: asked } = parseArgs({
  options: {
    binary: { type: 'string', default: join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'release/journey') },
    baseline: { type: 'string' },
    runs: { type: 'string', default: '3' },
    page: { type: 'string', multiple: true },
  },
});
const QUOTES = 'quotes';
const pages = asked.page ?? ['/', '/car-insurance', '/bike-insurance', '/health-insurance', '/health-insurance/advisor-at-home', '/privacy-policy', QUOTES];
/** What is told of a page: column, value of a report, digits. */
const figures = [
  ['perf', (lhr) => 100 * lhr.categories.performance.score, 0],
  ['a11y', (lhr) => 100 * lhr.categories.accessibility.score, 0],
  ['best', (lhr) => 100 * lhr.categories['best-practices'].score, 0],
  ['SEO', (lhr) => 100 * lhr.categories.seo.score, 0],
  ['FCP s', (lhr) => lhr.audits['first-contentful-paint'].numericValue / 1000, 2],
  ['LCP s', (lhr) => lhr.audits['largest-contentful-paint'].numericValue / 1000, 2],
  ['TBT ms', (lhr) => lhr.audits['total-blocking-time'].numericValue, 0],
  ['CLS', (lhr) => lhr.audits['cumulative-layout-shift'].numericValue, 3],
  ['KB', (lhr) => lhr.audits['total-byte-weight'].numericValue / 1000, 0],
  ['requests', (lhr) => lhr.audits['network-requests'].details.items.length, 0],
];

const builds = [];
try {
  for (const [name, binary] of [['this', asked.binary], ...(asked.baseline ? [['baseline', asked.baseline]] : [])]) builds.push(await start(name, resolve(binary)));
  const found = new Map();
  for (const page of pages) {
    for (let run = 0; run < Number(asked.runs); run += 1) {
      // side by side: what the machine does meanwhile meets both
      for (const build of builds) {
        const url = page === QUOTES ? (build.quotes ??= await quotes(build)) : build.base + page;
        const lhr = await report(build, url, page === QUOTES);
        const key = `${page} ${build.name}`;
        found.set(key, [...(found.get(key) ?? []), figures.map(([, value]) => value(lhr))]);
        if (run === 0 && build.name === 'this') findings(page, lhr);
      }
    }
  }
  for (const { name, binary } of builds) console.log(`${name}: ${binary}`);
  console.log(`\nLighthouse mobile, median of ${asked.runs}\n`);
  console.log(['page', 'build', ...figures.map(([column]) => column)].map((cell, at) => cell.padEnd(at === 0 ? 36 : 9)).join(''));
  for (const page of pages)
    for (const { name } of builds) {
      const runs = found.get(`${page} ${name}`);
      const cells = figures.map(([, , digits], at) => median(runs.map((run) => run[at])).toFixed(digits));
      console.log([page, name, ...cells].map((cell, at) => cell.padEnd(at === 0 ? 36 : 9)).join(''));
    }
} finally {
  for (const build of builds) await build.stop();
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** What Lighthouse would have better. */
function findings(page, lhr) {
  for (const category of Object.values(lhr.categories))
    for (const { id, weight } of category.auditRefs) {
      const { score, title, displayValue } = lhr.audits[id];
      if (weight > 0 && score !== null && score < 0.9) console.log(`${page}, ${category.id}: ${title}${displayValue ? ` (${displayValue})` : ''}`);
    }
}

/** A product of this build on a free port with a database of its own, and a browser for it. */
async function start(name, binary) {
  const folder = mkdtempSync(join(tmpdir(), 'journey-lighthouse-'));
  const product = spawn(binary, ['serve', '--definitions', root, '--no-watch', '--address', '127.0.0.1:0'], {
    cwd: folder,
    env: { ...process.env, JOURNEY_DATABASE__URL: `sqlite:${join(folder, 'journey.db')}` },
  });
  const port = await free();
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-dev-shm-usage', `--remote-debugging-port=${port}`],
  });
  const stop = async () => {
    await browser.close();
    product.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    return { name, binary, port, base: await listening(product), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function listening(product) {
  return new Promise((ready, failed) => {
    let said = '';
    const listen = (chunk) => {
      said += chunk;
      const found = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(said);
      if (found) ready(`http://localhost:${found[1]}`);
    };
    product.stdout.on('data', listen);
    product.stderr.on('data', listen);
    product.once('error', failed);
    product.once('exit', () => failed(new Error(said)));
  });
}

function free() {
  return new Promise((found) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => found(port));
    });
  });
}

/** With an empty cache, unless she comes from a page of ours; the slow line and processor are simulated. */
async function report({ port }, url, isWarm) {
  const { lhr } = await lighthouse(url, { port, output: 'json', logLevel: 'error', disableStorageReset: isWarm });
  if (lhr.runtimeError) throw new Error(`${url}: ${lhr.runtimeError.message}`);
  return lhr;
}

/** A journey at its quotes, made by API calls in the browser's own session. */
async function quotes({ base, port }) {
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
