/** A stand-in for the server in `npm run dev`: the gallery of fixtures and the parcel workflow with its calls, in memory. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Plugin, ViteDevServer } from 'vite';
import type { Data } from '../src/api/open.ts';
import type { OpenedPage, Problem, Rows, StepView } from '../src/contract/api.ts';
import type { Page } from '../src/entries/server.tsx';
import { fixtures } from './fixtures.ts';
import { PATH_OF, view } from './parcel/journey.ts';
import { COURIERS } from './parcel/offers.ts';
import { begin, type Parcel } from './parcel/state.ts';
import { site } from './site.ts';

interface Kept extends Parcel {
  keys: Map<string, string>;
  drafts: Record<string, Data>;
  listeners: Set<ServerResponse>;
  seq: number;
}
/** Writes an answer as the contract has it. */
type Answer = (status: number, body?: OpenedPage | Problem | Rows) => true;

const refused = (status: number, code: Problem['code'], more: Partial<Problem> = {}): Problem => ({
  type: `urn:journey:problem:${code}`,
  title: code,
  status,
  code,
  ...more,
});

const journeys = new Map<string, Kept>();
const NEXT: Record<string, string> = {
  start: 'contact',
  contact: 'otp',
  otp: 'parcel',
  parcel: 'offers',
  offers: 'offers',
  address: 'review',
  review: 'preparing',
  preparing: 'paying',
  paying: 'tracker',
  tracker: 'done',
};

export function mock(): Plugin {
  return {
    name: 'mock',
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        handle(server, request, response).then((done) => done || next(), next);
      });
    },
  };
}

async function handle(server: ViteDevServer, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const url = new URL(request.url ?? '/', 'http://here');
  const { pathname } = url;
  const page = async (shown: StepView) => {
    const { draw } = (await server.ssrLoadModule('/src/entries/server.tsx')) as { draw: (page: Page) => string };
    const { title, kind, hide = [] } = shown.step;
    const what = shown.journey.id === null ? { view: shown } : { skeleton: kind };
    const boot = JSON.stringify({ view: shown, site }).replace(/</g, '\\u003c');
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(
      await server.transformIndexHtml(
        pathname,
        `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – ${site.name}</title><link rel="stylesheet" href="/src/styles/index.css"><script type="module" src="/src/entries/page.ts"></script></head>
<body data-hide="${hide.join(' ')}">${draw({ site, title, ...what })}<script type="application/json" id="boot">${boot}</script></body></html>`,
      ),
    );
    return true;
  };
  const json: Answer = (status, body) => {
    response.statusCode = status;
    response.setHeader('content-type', status >= 400 ? 'application/problem+json' : 'application/json');
    response.end(body === undefined ? undefined : JSON.stringify(body));
    return true;
  };

  if (pathname === '/') {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(
      `<!doctype html><title>Gallery</title><h1>Gallery</h1><p><a href="/parcel-insurance">The whole way</a></p><ul>${Object.keys(
        fixtures,
      )
        .map((name) => `<li><a href="/gallery/${name}">${name}</a></li>`)
        .join('')}</ul>`,
    );
    return true;
  }
  const shown = fixtures[pathname.replace('/gallery/', '')];
  if (pathname.startsWith('/gallery/') && shown) {
    const url = `${pathname}${new URL(`http://here${shown.step.url}`).search}`;
    return page({
      ...shown,
      journey: { ...shown.journey, base: pathname, id: shown.journey.id && `gallery` },
      step: { ...shown.step, url, stream: null },
    });
  }
  if (pathname === '/parcel-insurance' || pathname.startsWith('/parcel-insurance/')) {
    const kept = journeys.get(url.searchParams.get('request') ?? '');
    return page(withDraft(kept ?? begin(), kept));
  }
  if (pathname === '/dev/pay') {
    for (const kept of journeys.values()) if (kept.at === 'paying') move(kept, 'tracker');
    const last = [...journeys.values()].at(-1);
    response.writeHead(303, { location: last ? view(last).step.url : '/' }).end();
    return true;
  }
  if (!pathname.startsWith('/api/v1/')) return false;
  const [, , , what, id, verb] = pathname.split('/') as (string | undefined)[];
  if (what === 'master') return json(200, towns(url.searchParams));
  if (what !== 'journeys') return json(404, refused(404, 'not_found'));
  const body = (request.method === 'GET' ? {} : await read(request)) as {
    type: string;
    data: Data;
    revision: number;
    step: string;
  };
  if (!id) {
    const kept: Kept = {
      ...begin(),
      id: crypto.randomUUID(),
      revision: 0,
      keys: new Map(),
      drafts: {},
      listeners: new Set(),
    };
    journeys.set(kept.id!, kept);
    return accept(kept, body, json);
  }
  const kept = journeys.get(id);
  if (!kept) return json(404, refused(404, 'not_found'));
  if (verb === 'stream') {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(': hello\n\n');
    kept.listeners.add(response);
    request.on('close', () => kept.listeners.delete(response));
    return true;
  }
  if (verb === 'draft') {
    kept.drafts[body.step] = body.data;
    return json(204);
  }
  if (verb === 'events') {
    const key = String(request.headers['idempotency-key']);
    const text = JSON.stringify(body);
    if (kept.keys.has(key))
      return kept.keys.get(key) === text ? json(200, withDraft(kept, kept)) : json(422, refused(422, 'key_reused'));
    if (body.revision !== kept.revision)
      return json(409, refused(409, 'stale', { view: withDraft(kept, kept), difference: [] }));
    kept.keys.set(key, text);
    return accept(kept, body, json);
  }
  const path = url.searchParams.get('path');
  if (path !== null && path !== PATH_OF(kept.at)) return json(200, { elsewhere: view(kept).step.url });
  return json(200, withDraft(kept, kept));
}

function accept(kept: Kept, { type, data }: { type: string; data: Data }, json: Answer): boolean {
  kept.messages = [];
  const shown = view(kept);
  if (type === 'back') {
    const back = shown.step.changeable?.at(-1);
    if (back) move(kept, back.step.replace('parcel.', ''));
  } else if (type === 'change') {
    move(kept, String(data.step).replace('parcel.', ''));
  } else if (type === 'submit') {
    if (kept.at === 'otp' && data.otp === '000000') {
      kept.messages = [
        { code: 'otp.wrong', level: 'error', pointer: '/otp', text: 'That password is not right. 4 tries are left.' },
      ];
      kept.revision += 1;
      return json(200, withDraft(kept, kept));
    }
    if (kept.at === 'address' && data.pincode === '999999')
      return json(
        422,
        refused(422, 'invalid', {
          errors: [{ pointer: '/pincode', code: 'unserviceable', text: 'We do not collect there yet' }],
        }),
      );
    if (kept.at !== 'otp') kept.data[kept.at] = data;
    delete kept.drafts[`parcel.${kept.at}`];
    move(kept, NEXT[kept.at] ?? kept.at, kept.at === 'offers');
  } else if (type === 'select') {
    kept.picked = String(data.courier);
    move(kept, 'address');
  } else if (type === 'finish') {
    move(kept, 'done');
  } else {
    kept.revision += 1;
    kept.messages = [{ code: type, level: 'info', pointer: null, text: 'Done.' }];
  }
  return json(200, withDraft(kept, kept));
}

function move(kept: Kept, to: string, again = false) {
  kept.at = to;
  kept.revision += 1;
  kept.moment += 1;
  if (to === 'offers' && (kept.answered === 0 || again)) {
    kept.stale = again;
    if (again) {
      setTimeout(() => {
        kept.stale = false;
        tell(kept);
      }, 900);
    } else {
      const tick = setInterval(() => {
        kept.answered += 1;
        tell(kept);
        if (kept.answered >= COURIERS.length) clearInterval(tick);
      }, 450);
    }
  }
  if (to === 'preparing') {
    setTimeout(() => {
      move(kept, 'paying');
      tell(kept);
    }, 2500);
  }
}

function tell(kept: Kept) {
  kept.moment += 1;
  kept.seq += 1;
  for (const listener of kept.listeners)
    listener.write(
      `event: change\ndata: ${JSON.stringify({ revision: kept.revision, seq: kept.seq, what: 'answer' })}\n\n`,
    );
}

function withDraft(state: Parcel, kept: Kept | undefined): StepView {
  const shown = view(state);
  const draft = kept?.drafts[shown.step.id];
  if (draft && shown.step.form)
    shown.step.form = { ...shown.step.form, data: { ...shown.step.form.data, ...draft }, draft: true };
  return shown;
}

function towns(query: URLSearchParams) {
  const all = ['Madurai', 'Mysuru', 'Chennai', 'Kochi', 'Coimbatore', 'Salem'].map((name) => ({
    code: name.slice(0, 3).toUpperCase(),
    name,
    region: 'south',
  }));
  const more = ['Jaipur', 'Delhi', 'Agra'].map((name) => ({
    code: name.slice(0, 3).toUpperCase(),
    name,
    region: 'north',
  }));
  const rows = [...all, ...more].filter(
    (row) =>
      (!query.get('key') || row.code === query.get('key')) &&
      (!query.get('region') || row.region === query.get('region')) &&
      row.name.toLowerCase().includes((query.get('q') ?? '').toLowerCase()),
  );
  return { rows, more: false };
}

async function read(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return JSON.parse(text || '{}');
}
