/**
 * The login popup (2.8, R2.1-10): number, one-time password, account. Loaded when it is asked for. What it keeps in the browser
 * only says that somebody is logged in; the session's cookie alone opens anything.
 */

import { COUNTRIES, countryOf, dialled, leavesOut, mobileTyped, numberOf } from '../renderer/widgets/mobile-typed';
import { t } from '../ui/words';
import type { Boot } from './boot';
import { keepsCookies } from './cookies';
import { ways } from './help';
import { hasEnded, keep, leave, post, type Refused } from './person';

/** of India (all nines are no number) or of the Emirates */
const MOBILE = /^((?!9{10})[6-9][0-9]{9}|[+]9715[024568][0-9]{7})$/;

const { site } = JSON.parse(document.getElementById('boot')!.textContent) as Boot;
/** The telephone, as people read it. */
const call = site?.help?.call;
let dialog: HTMLDialogElement | undefined;
let staysHere = false;

/** Opens the popup; who was logged in until now no longer is. */
export function open(): void {
  if (dialog?.isConnected) return;
  // whoever was logged in until now goes on with the page that the browser draws
  staysHere = hasEnded() && document.getElementById('app') !== null;
  leave();
  dialog = make('dialog', { className: 'dialog' });
  dialog.setAttribute('aria-labelledby', 'login-title');
  const title = make('h2', { id: 'login-title', textContent: t('log_in') });
  const close = make('button', { type: 'button', className: 'icon-button', textContent: '×' });
  close.setAttribute('aria-label', t('close'));
  close.onclick = () => dialog?.close();
  const head = make('header', { className: 'dialog-head' }, title, close);
  const body = make('div', { className: 'dialog-body' });
  dialog.append(make('div', { className: 'dialog-in' }, head, body));
  dialog.onclose = () => {
    dialog?.remove();
    // the address is as before (R2.1-10)
    if (location.hash === '#login') history.replaceState(history.state, '', location.pathname + location.search);
  };
  document.body.append(dialog);
  dialog.showModal();
  askNumber(body);
}

interface Asked {
  mobile: string;
  source: string;
  sub_source: string;
}
interface Sent {
  statusCode: number;
  status: string;
  authCode: string;
  message: string;
  /** seconds until another one may be asked for */
  resendIn?: number;
}
interface Verified {
  data: { token: string; firstName: string };
}

/** The last code that was sent from here: whoever comes back to its number within its life enters it. */
let last: { asked: Asked; authCode: string; until: number; again: number } | undefined;
const LIFE_MS = 300_000;

function askNumber(body: HTMLElement, given = ''): void {
  const input = make('input', { id: 'login-mobile', className: 'input', type: 'tel', required: true });
  input.autocomplete = 'tel-national';
  input.inputMode = 'numeric';
  const country = make('select', { className: 'affix' }, ...COUNTRIES.map((code) => new Option(code)));
  country.setAttribute('aria-label', t('country_code'));
  let value = '';
  const show = (next: string) => {
    value = next;
    country.value = countryOf(next);
    input.value = numberOf(next);
  };
  show(given);
  const note = make('p', { className: 'field-note' });
  note.setAttribute('role', 'status');
  const take = () => {
    const [typed, before, next] = [input.value, value, mobileTyped(input.value, value)];
    note.textContent = leavesOut(typed, before, next) ? t('one_digit_more', { n: numberOf(before).length }) : '';
    show(next);
  };
  country.onchange = () => show(dialled(country.value, input.value));
  input.oninput = (event) => {
    // what is being composed is not touched
    if (!(event as InputEvent).isComposing) take();
  };
  input.addEventListener('compositionend', take);
  const step = form(t('mobile_number'), input, t('send_otp'), async () => {
    if (!MOBILE.test(value)) return t('mobile_invalid');
    const asked: Asked = { mobile: value, source: '', sub_source: '' };
    if (last?.asked.mobile === asked.mobile && Date.now() < last.until) return askCode(body, last);
    if (!keepsCookies()) return cookiesNeeded();
    const sent = await send(asked);
    if (sent.statusCode !== 200) return sent.message || t('went_wrong');
    askCode(body, remember(asked, sent));
  });
  step.querySelector('.control')?.prepend(country);
  step.querySelector('.field')?.append(note);
  step.append(...byPhone());
  body.replaceChildren(step);
  input.focus();
}

const send = (asked: Asked) => post<Sent>('/api/v1/otpLogin', asked);

function remember(asked: Asked, { authCode, resendIn = 0 }: Sent): NonNullable<typeof last> {
  last = { asked, authCode, until: Date.now() + LIFE_MS, again: Date.now() + resendIn * 1000 };
  return last;
}

function byPhone(): HTMLElement[] {
  if (!call) return [];
  const link = make('a', { href: `tel:${call.number}`, textContent: t('no_code', { number: call.display }) });
  return [make('p', { className: 'field-hint' }, link)];
}

function cookiesNeeded(): string {
  return call ? t('cookies_needed_or_call', { number: call.display }) : t('cookies_needed');
}

function askCode(body: HTMLElement, first: NonNullable<typeof last>): undefined {
  const { asked } = first;
  let sent = first;
  const input = make('input', { id: 'login-otp', className: 'input input-otp', type: 'text', required: true });
  input.autocomplete = 'one-time-code';
  input.inputMode = 'numeric';
  let tried = '';
  input.oninput = () => {
    input.value = input.value.replace(/\D/g, '').slice(0, 6);
    if (input.value.length < 6 || input.value === tried) return;
    tried = input.value;
    step.requestSubmit();
  };
  const said = make('p', { className: 'field-hint' });
  said.setAttribute('role', 'status');
  const change = make('button', { type: 'button', className: 'button', textContent: t('change_number') });
  const again = make('button', { type: 'button', className: 'button', textContent: t('resend') });
  change.dataset.style = again.dataset.style = 'link';
  const own = make('input', { id: 'login-stays', type: 'checkbox' });
  const stays = make('label', { className: 'field-hint', htmlFor: own.id }, own, ` ${t('stays')}`);
  const step = form(t('one_time_password'), input, t('log_in'), async () => {
    if (!/^[0-9]{6}$/.test(input.value)) return t('six_digits');
    const answer = { ...asked, otp: input.value, authCode: sent.authCode, stays: own.checked };
    const { data } = await post<Verified>('/api/v1/verifyLoginOtp', answer);
    last = undefined;
    keep(data.token, data.firstName);
    if (staysHere) dialog?.close();
    else location.assign('/dashboard');
  });
  step.querySelector<HTMLElement>('.field')!.dataset.widget = 'otp';
  const stop = countDown(again, () => sent.again);
  change.onclick = () => {
    stop();
    askNumber(body, asked.mobile);
  };
  again.onclick = async () => {
    again.disabled = true;
    said.textContent = '';
    step.tell();
    try {
      const next = await send(asked);
      if (next.statusCode === 200) sent = remember(asked, next);
      said.textContent = next.statusCode === 200 ? t('resent') : next.message;
      // what went well needs no longer than it takes to read (R9-52)
      if (next.statusCode === 200) setTimeout(() => said.replaceChildren(), site?.timers?.text);
      tried = '';
      watch(() => sent, step);
    } catch {
      said.textContent = t('went_wrong');
    }
    again.disabled = false;
  };
  const number = make(
    'p',
    {},
    `${t('sent_to', { number: `${countryOf(asked.mobile)} ${numberOf(asked.mobile)}` })} `,
    change,
  );
  step.insertBefore(number, step.firstChild);
  step.append(stays, again, said, ...byPhone());
  body.replaceChildren(step);
  input.focus();
  watch(() => sent, step);
}

/** The button says when it can be pressed again; stopped, it says nothing more. */
function countDown(button: HTMLButtonElement, until: () => number): () => void {
  const words = button.textContent ?? '';
  const look = () => {
    const left = Math.ceil((until() - Date.now()) / 1000);
    if (!button.isConnected && button.dataset.shown) return clearInterval(tick);
    button.dataset.shown = 'yes';
    button.toggleAttribute('data-waits', left > 0);
    if (left > 0) button.textContent = t('resend_in', { time: `0:${String(left).padStart(2, '0')}` });
    else button.textContent = words;
    button.disabled = left > 0;
  };
  const tick = setInterval(look, 1000);
  queueMicrotask(look);
  return () => clearInterval(tick);
}

const LOOKS_MS = [2_000, 3_000, 3_000, 4_000, 6_000];

/** Says it when the code could not be sent, within seconds, with other ways to us. */
function watch(sent: () => { authCode: string }, step: Step, at = 0): void {
  const { authCode } = sent();
  const pause = LOOKS_MS[at];
  if (pause === undefined) return;
  setTimeout(async () => {
    if (!step.isConnected || sent().authCode !== authCode) return;
    const state = await post<Sent>('/api/v1/otpLoginState', { authCode }).catch(() => undefined);
    if (state?.status !== 'F' || !step.isConnected) return watch(sent, step, at + 1);
    step.tell(state.message);
    if (site?.help && !step.querySelector('.help-ways')) step.append(ways(site.help));
  }, pause);
}

/** One field and its button; what `run` gives is what was wrong. The button waits with it (R5-16). */
function form(words: string, input: HTMLInputElement, button: string, run: () => Promise<string | undefined>): Step {
  const label = make('label', { className: 'field-label', htmlFor: input.id, textContent: words });
  const field = make('div', { className: 'field' }, label, make('div', { className: 'control' }, input));
  const error = make('p', { className: 'field-error', id: `${input.id}-error` });
  const submit = make('button', { type: 'submit', className: 'button', textContent: button });
  submit.dataset.style = 'primary';
  const all = make('form', { className: 'form', noValidate: true }, field, submit);
  const tell = (text?: string) => {
    error.textContent = text ?? '';
    input.ariaInvalid = text ? 'true' : null;
    field.toggleAttribute('data-invalid', Boolean(text));
    if (!text) return error.remove();
    error.setAttribute('role', 'alert');
    input.setAttribute('aria-describedby', error.id);
    field.append(error);
    input.focus();
  };
  all.onsubmit = async (event) => {
    event.preventDefault();
    if (submit.disabled) return;
    submit.disabled = true;
    tell();
    tell(
      // the server's first message (R8-02), or the global one
      await run().catch(({ problem }: Refused) =>
        problem?.code === 'cookies' ? cookiesNeeded() : (problem?.errors?.[0]?.text ?? t('went_wrong')),
      ),
    );
    submit.disabled = false;
  };
  return Object.assign(all, { tell });
}

/** A form of the popup that says what is wrong beside its field. */
type Step = HTMLFormElement & { tell: (text?: string) => void };

function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Partial<HTMLElementTagNameMap[K]>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(name), attributes);
  element.append(...children);
  return element;
}
