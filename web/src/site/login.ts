/**
 * The login popup (2.8, R2.1-10): number, one-time password, account. Loaded when it is asked for. What it keeps in the browser
 * only says that somebody is logged in; the session's cookie alone opens anything.
 */

import { t } from '../ui/words';
import type { Boot } from './boot';
import { hasEnded, keep, leave, post, type Refused } from './person';

/** six times nine more than the first digits: all nines are no number */
const MOBILE = /^(?!9{10})[6-9][0-9]{9}$/;

const { site } = JSON.parse(document.getElementById('boot')!.textContent) as Boot;
let dialog: HTMLDialogElement | undefined;
let stays = false;

/** Opens the popup; who was logged in until now no longer is. */
export function open(): void {
  if (dialog?.isConnected) return;
  // whoever was logged in until now goes on with the page that the browser draws
  stays = hasEnded() && document.getElementById('app') !== null;
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
  authCode: string;
  message: string;
}
interface Verified {
  data: { token: string; firstName: string };
}

function askNumber(body: HTMLElement, given = ''): void {
  const input = make('input', { id: 'login-mobile', className: 'input', type: 'tel', value: given, required: true });
  input.autocomplete = 'tel-national';
  input.inputMode = 'numeric';
  input.oninput = () => {
    input.value = digits(input.value, 10);
  };
  const step = form(t('mobile_number'), input, t('send_otp'), async () => {
    if (!MOBILE.test(input.value)) return t('mobile_invalid');
    const asked: Asked = { mobile: input.value, source: '', sub_source: '' };
    const sent = await send(asked);
    if (sent.statusCode !== 200) return sent.message || t('went_wrong');
    askCode(body, asked, sent.authCode);
  });
  body.replaceChildren(step);
  input.focus();
}

const send = (asked: Asked) => post<Sent>('/api/v1/otpLogin', asked);

function askCode(body: HTMLElement, asked: Asked, first: string): void {
  let authCode = first;
  const input = make('input', { id: 'login-otp', className: 'input input-otp', type: 'text', required: true });
  input.autocomplete = 'one-time-code';
  input.inputMode = 'numeric';
  input.oninput = () => {
    input.value = digits(input.value, 6);
  };
  const said = make('p', { className: 'field-hint' });
  said.setAttribute('role', 'status');
  const change = make('button', { type: 'button', className: 'button', textContent: t('change_number') });
  const again = make('button', { type: 'button', className: 'button', textContent: t('resend') });
  change.dataset.style = again.dataset.style = 'link';
  change.onclick = () => askNumber(body, asked.mobile);
  const step = form(t('one_time_password'), input, t('log_in'), async () => {
    if (!/^[0-9]{6}$/.test(input.value)) return t('six_digits');
    const { data } = await post<Verified>('/api/v1/verifyLoginOtp', { ...asked, otp: input.value, authCode });
    keep(data.token, data.firstName);
    if (stays) dialog?.close();
    else location.assign('/dashboard');
  });
  again.onclick = async () => {
    again.disabled = true;
    said.textContent = '';
    try {
      const sent = await send(asked);
      if (sent.statusCode === 200) authCode = sent.authCode;
      said.textContent = sent.statusCode === 200 ? t('resent') : sent.message;
      // what went well needs no longer than it takes to read (R9-52)
      if (sent.statusCode === 200) setTimeout(() => said.replaceChildren(), site?.timers?.text);
    } catch {
      said.textContent = t('went_wrong');
    }
    again.disabled = false;
  };
  const number = make('p', {}, `${t('sent_to', { number: asked.mobile })} `, change);
  step.insertBefore(number, step.firstChild);
  step.append(again, said);
  body.replaceChildren(step);
  input.focus();
}

/** One field and its button; what `run` gives is what was wrong. The button waits with it (R5-16). */
function form(words: string, input: HTMLInputElement, button: string, run: () => Promise<string | undefined>) {
  const label = make('label', { className: 'field-label', htmlFor: input.id, textContent: words });
  const field = make('div', { className: 'field' }, label, make('div', { className: 'control' }, input));
  const error = make('p', { className: 'field-error', id: `${input.id}-error` });
  const submit = make('button', { type: 'submit', className: 'button', textContent: button });
  submit.dataset.style = 'primary';
  const all = make('form', { className: 'form', noValidate: true }, field, submit);
  const tell = (text?: string) => {
    error.textContent = text ?? '';
    input.toggleAttribute('aria-invalid', Boolean(text));
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
    tell(
      // the server's first message (R8-02), or the global one
      await run().catch((refused: Refused) => refused.problem?.errors?.[0]?.text ?? t('went_wrong')),
    );
    submit.disabled = false;
  };
  return all;
}

const digits = (text: string, most: number) => text.replace(/\D/g, '').slice(0, most);

function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Partial<HTMLElementTagNameMap[K]>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(name), attributes);
  element.append(...children);
  return element;
}
