/** The few calls a journey makes. A refusal of the server is a `Refusal` with its problem; no answer at all is `Unreachable`. */

import type { DraftBody, EventBody, OpenedPage, ProofOfWork, Rows, StartBody, StepView } from '../contract/api';
import { api } from '../routes';
import { ask } from './ask';
import type { Data, Problem } from './open';
import { wayBack } from './way-back';

export class Refusal extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.title ?? `status ${problem.status}`);
    this.problem = problem;
  }
}
export class Unreachable extends Error {}

export interface Opened {
  view?: StepView;
  /** the page asked for is not where the journey is: its address instead */
  elsewhere?: string;
}

export const client = {
  start: (body: StartBody, key: string) =>
    call<StepView>('POST', api.journeys(), body, { 'idempotency-key': key, ...wayBack() }),
  /** the work of a proof, done before anything is sent: it is sent once */
  ahead(work: ProofOfWork) {
    done ??= import('./proof').then(({ solve }) => solve(work)).catch(() => '');
  },
  async send(id: string, body: EventBody, key: string) {
    const proof = await done;
    done = undefined;
    return call<StepView>('POST', api.events(id), body, { 'idempotency-key': key, ...(proof && { 'x-proof': proof }) });
  },
  view: (id: string) => call<StepView>('GET', api.journey(id)),
  async open(id: string, path: string): Promise<Opened> {
    const answer = await call<OpenedPage>('GET', api.journey(id, path));
    return 'elsewhere' in answer ? { elsewhere: answer.elsewhere } : { view: answer };
  },
  draft: (id: string, step: string, data: Data, keepalive = false) =>
    call<void>('PUT', api.draft(id), { step, data } satisfies DraftBody, {}, { keepalive }),
  /** somebody is here; false when the journey is nobody's to speak of any more */
  presence: (id: string, body: Data) =>
    call<void>('POST', api.presence(id), body).then(
      () => true,
      (error) => !(error instanceof Refusal && [404, 410].includes(error.problem.status)),
    ),
  /** what was found once stays found as long as the page (R3-16) */
  async master(name: string, query: Record<string, string>, signal?: AbortSignal): Promise<Rows> {
    const url = api.master(name, query);
    const rows = found.get(url) ?? (await call<Rows>('GET', url, undefined, {}, { signal }));
    found.set(url, rows);
    return rows;
  },
};
const found = new Map<string, Rows>();
let done: Promise<string> | undefined;
export type Client = typeof client;

async function call<T>(
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
  more: RequestInit = {},
  isProven = false,
): Promise<T> {
  const sent: Record<string, string> = { accept: 'application/json', ...headers };
  if (method !== 'GET') Object.assign(sent, { 'content-type': 'application/json', 'x-journey': '1' });
  let response: Response;
  try {
    response = await ask(url, {
      method,
      headers: sent,
      credentials: 'same-origin',
      body: body === undefined ? undefined : JSON.stringify(body),
      ...more,
    });
  } catch (error) {
    throw new Unreachable(String(error));
  }
  // who has just shown a number is logged in: the page says so
  const mark = response.headers.get('signed-in');
  if (mark) void import('../site/person').then((person) => person.arrive(mark));
  if (response.ok) return response.status === 204 ? (undefined as T) : ((await response.json()) as T);
  const refused = await problemOf(response);
  if (refused.challenge) {
    const { prove } = await import('./proof');
    const proof = await prove(refused, isProven);
    if (proof) return call(method, url, body, { ...headers, 'x-proof': proof }, more, true);
  }
  // the session is over: the popup opens, the page and what was typed stay (R8-12)
  if (refused.code === 'sign_in') location.hash = 'login';
  throw new Refusal(refused);
}

export async function problemOf(response: Response): Promise<Problem> {
  const wait = Number(response.headers.get('retry-after')) || undefined;
  try {
    const body = (await response.json()) as Problem;
    return { ...body, status: response.status, retry_after_s: body.retry_after_s ?? wait };
  } catch {
    return { status: response.status, retry_after_s: wait };
  }
}
