/**
 * Lighthouse, mobile, over the main pages: the median of some runs, beside a former build where one is given; and how long
 * it takes on a slow line and processor until somebody can use a first step, and the longest that it hears nothing.
 * node lighthouse.mjs --binary path/to/journey [--baseline path/to/another] [--runs 5] [--page /car-insurance …]
 * With `--gate` once, and what does not depend on the machine must hold: accessibility, best practices, search engines,
 * bytes, requests, and that Back finds the page as it was.
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
    runs: { type: 'string', default: '5' },
    page: { type: 'string', multiple: true },
    gate: { type: 'boolean', default: false },
  },
});
const QUOTES = 'quotes';
const landings = ['/car-insurance', '/bike-insurance', '/health-insurance', '/health-insurance/advisor-at-home'];
const content = ['/', '/health-insurance/companies', '/privacy-policy', '/car-insurance/companies', '/sme'];
const pages = asked.page ?? (asked.gate ? [...content, ...landings] : ['/', '/car-insurance', '/bike-insurance', '/health-insurance', '/health-insurance/advisor-at-home', '/privacy-policy', QUOTES]);
const runs = asked.gate ? 1 : Number(asked.runs);
/** A first visit, everything that comes by itself; of the home page ten small drawings, each once it is nearly in sight. */
const MOST = { KB: 140, requests: 28 };
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
  ['requests', requested, 0],
  // Lighthouse's own measure of the machine during the run: a figure is worth what the machine was
  ['machine', (lhr) => lhr.environment.benchmarkIndex, 0],
];

const builds = [];
const failed = [];
try {
  for (const [name, binary] of [['this', asked.binary], ...(asked.baseline ? [['baseline', asked.baseline]] : [])]) builds.push(await start(name, resolve(binary)));
  const found = new Map();
  for (const page of pages) {
    for (let run = 0; run < runs; run += 1) {
      // side by side: what the machine does meanwhile meets both
      for (const build of builds) {
        const url = page === QUOTES ? (build.quotes ??= await quotes(build)) : build.base + page;
        const lhr = await report(build, url, page === QUOTES);
        const key = `${page} ${build.name}`;
        const usable = !asked.gate && landings.includes(page) ? await used(build, url) : [Number.NaN, Number.NaN];
        found.set(key, [...(found.get(key) ?? []), [...figures.map(([, value]) => value(lhr)), ...usable]]);
        if (asked.gate) failed.push(...broken(page, lhr));
        if (run === 0 && build.name === 'this') findings(page, lhr);
      }
    }
  }
  for (const { name, binary } of builds) console.log(`${name}: ${binary}`);
  console.log(`\nLighthouse mobile, median of ${runs}\n`);
  const columns = [...figures, ['usable s', , 2], ['task ms', , 0]];
  console.log(['page', 'build', ...columns.map(([column]) => column)].map((cell, at) => cell.padEnd(at === 0 ? 36 : 9)).join(''));
  for (const page of pages)
    for (const { name } of builds) {
      const all = found.get(`${page} ${name}`);
      const cells = columns.map(([, , digits], at) => (Number.isNaN(all[0][at]) ? '-' : median(all.map((run) => run[at])).toFixed(digits)));
      console.log([page, name, ...cells].map((cell, at) => cell.padEnd(at === 0 ? 36 : 9)).join(''));
    }
} finally {
  for (const build of builds) await build.stop();
}
for (const one of failed) console.log(`NOT KEPT ${one}`);
// as other runners say it
if (asked.gate) console.log(`${pages.length - new Set(failed.map((one) => one.split(':')[0])).size} passed, ${new Set(failed.map((one) => one.split(':')[0])).size} failed`);
process.exitCode = failed.length > 0 ? 1 : 0;

/** Requests of the network: a drawing within the styles is none. */
function requested(lhr) {
  return lhr.audits['network-requests'].details.items.filter(({ url }) => !url.startsWith('data:')).length;
}

/** What must hold on every machine, and does not. */
function broken(page, lhr) {
  const found = ['accessibility', 'best-practices', 'seo'].filter((name) => lhr.categories[name].score < 1).map((name) => `${name} ${100 * lhr.categories[name].score}`);
  const [bytes, requests] = [lhr.audits['total-byte-weight'].numericValue, requested(lhr)];
  if (bytes > MOST.KB * 1000) found.push(`${bytes} bytes`);
  if (requests > MOST.requests) found.push(`${requests} requests`);
  const { score, details } = lhr.audits['bf-cache'];
  if (content.includes(page) && score !== null && score < 1) found.push(`Back loads it anew: ${details?.items?.map((item) => item.reason).join(', ')}`);
  return found.map((one) => `${page}: ${one}`);
}

/** As on Lighthouse's slow 4G with a processor four times as slow, but really so: seconds until a first step is the app's, when somebody touches it at once, and the longest task until then in ms. */
async function used({ port }, url) {
  const own = await chromium.connectOverCDP(`http://localhost:${port}`);
  const context = await own.newContext({ viewport: { width: 390, height: 844 } });
  try {
    const page = await context.newPage();
    await page.addInitScript(() => {
      const tasks = [];
      Object.assign(window, { tasks });
      new PerformanceObserver((list) => tasks.push(...list.getEntries().map((one) => one.duration))).observe({ type: 'longtask', buffered: true });
      const touch = setInterval(() => {
        dispatchEvent(new Event('pointermove'));
        if (!document.querySelector('#app[data-ready]')) return;
        clearInterval(touch);
        Object.assign(window, { usable: performance.now() });
      }, 50);
    });
    const tools = await context.newCDPSession(page);
    await tools.send('Network.enable');
    await tools.send('Network.emulateNetworkConditions', { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 });
    await tools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    await page.goto(url, { waitUntil: 'commit' });
    await page.waitForFunction(() => 'usable' in window, undefined, { timeout: 60_000 });
    return await page.evaluate(() => [window.usable / 1000, Math.max(0, ...window.tasks)]);
  } finally {
    await context.close();
  }
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
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
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
async function report({ port }, url, isWarm, again = 2) {
  const { lhr } = await lighthouse(url, { port, output: 'json', logLevel: 'error', disableStorageReset: isWarm });
  // the browser's recording sometimes lacks its beginning: that says nothing of the page
  if (lhr.runtimeError?.code === 'NO_NAVSTART' && again > 0) return report({ port }, url, isWarm, again - 1);
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
