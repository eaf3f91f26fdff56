/** Who is logged in, as far as the browser knows: the greeting in the header, the way out. The server alone decides what is shown. */
import { ask } from '../api/ask';
import type { Problem } from '../contract/api';
import { t } from '../ui/words';
import { forgetTyped } from './begun';
import type { Boot } from './boot';

/** Names this program at the front door; no secret (R7.1-02). */
const CLIENT = 'journey-web';
/** What a login leaves behind; its name greets her (R3-12), and nothing else of it is personal. */
const OWN = ['token', 'userDetail', 'menu'];

const { site } = JSON.parse(document.getElementById('boot')!.textContent) as Boot;

/** What was begun here, and which page was open, is no longer kept (R4-16, R4-18). */
function forget(...more: string[]): void {
  for (const name of [...Object.keys(site?.storage ?? {}), ...more]) localStorage.removeItem(name);
}

export interface Refused {
  problem?: Partial<Problem>;
}

/** A call of the front door; refused, it throws its problem. A proof that is asked for is given. */
export async function post<T>(call: string, body: object, proof = ''): Promise<T> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-journey': '1',
    'x-api-key': CLIENT,
  };
  if (proof) headers['x-proof'] = proof;
  const answer = await ask(call, { method: 'POST', headers, body: JSON.stringify(body), credentials: 'same-origin' });
  const said = await answer.json();
  if (answer.ok) return said as T;
  const problem = said as Problem;
  if (problem.challenge) {
    const { prove } = await import('../api/proof');
    const proven = await prove(problem, proof !== '');
    if (proven) return post(call, body, proven);
  }
  // the session is over: the popup opens, the page and what was typed stay (R8-12)
  if (problem.code === 'sign_in') location.hash = 'login';
  throw { problem } satisfies Refused;
}

/** Somebody has logged in. */
export function keep(token: string, firstName: string): void {
  forget();
  localStorage.setItem('token', token);
  keepName(firstName);
}

/** Somebody has been logged in by a step of a journey: what was begun here is hers. */
export function arrive(token: string): void {
  try {
    leave();
    localStorage.setItem('token', token);
  } catch {
    // a forbidden storage greets nobody
  }
  void greet(true);
}

export function keepName(firstName: string): void {
  localStorage.setItem('userDetail', JSON.stringify({ firstName }));
}

/** Nobody is logged in any more. */
export function leave(): void {
  for (const name of OWN) localStorage.removeItem(name);
}

/** Whether this page asks to log in although somebody seemed to be. */
export const hasEnded = (): boolean => Boolean(localStorage.token);

interface Item {
  text: string;
  link: string;
}

/** What the header has for the roles of who is signed in, and for nobody else: no page that is everybody's says it. */
async function itemsOfRoles(): Promise<Item[]> {
  const answer = await ask('/api/v1/menu/own', {}).catch(() => undefined);
  const { menu } = answer?.ok ? ((await answer.json()).data as { menu: Item[] }) : { menu: [] };
  // other pages ask only where there is something
  if (menu.length > 0) localStorage.setItem('menu', '1');
  else localStorage.removeItem('menu');
  return menu;
}

/** The login of the header becomes the menu of whoever is logged in (R2.2-15); `asks`: they may have come just now. */
export async function greet(asks = Boolean(localStorage.menu)): Promise<void> {
  const items = asks ? await itemsOfRoles() : [];
  if (items.length === 0 && !localStorage.token) return;
  const { firstName = '' } = JSON.parse(localStorage.userDetail || '{}') as { firstName?: string };
  for (const login of document.querySelectorAll<HTMLAnchorElement>('a.site-login')) {
    const menu = document.createElement('details');
    menu.className = 'site-sub site-person';
    const name = document.createElement('summary');
    name.className = 'site-login';
    name.append(...login.querySelectorAll('.icon'), firstName ? t('greeting', { name: firstName }) : t('account'));
    const list = document.createElement('ul');
    const out = document.createElement('button');
    out.type = 'button';
    out.className = 'site-login';
    out.textContent = t('log_out');
    out.onclick = logout;
    const account = [
      { link: '/dashboard', text: t('account') },
      { link: '/editProfile', text: t('profile') },
    ];
    const ways = [...items, ...(localStorage.token ? account : [])].map(({ link, text }) =>
      Object.assign(document.createElement('a'), { href: link, textContent: text }),
    );
    for (const one of [...ways, out]) {
      const item = document.createElement('li');
      item.append(one);
      list.append(item);
    }
    menu.append(name, list);
    login.replaceWith(menu);
  }
}

/** R4-18 */
async function logout(): Promise<void> {
  try {
    await post('/api/v1/logout', {});
  } finally {
    leave();
    forgetTyped();
    forget('lastvisit');
    // what was typed here and never sent
    sessionStorage.clear();
    location.assign('/');
  }
}

/** Logged out in another tab: what was shown and typed here is gone, too. */
addEventListener('storage', ({ key }) => {
  if (key !== 'token' || localStorage.token) return;
  sessionStorage.clear();
  location.reload();
});
