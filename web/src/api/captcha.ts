/** The page of a foreign captcha, in a frame of its own: nothing of it runs in ours, and it says only its token. */

import { t } from '../ui/words';

/** The token, or nothing when the person closes the dialog. */
export function ask(page: string): Promise<string> {
  const dialog = document.createElement('dialog');
  dialog.className = 'dialog';
  dialog.setAttribute('aria-labelledby', 'captcha-title');
  const title = Object.assign(document.createElement('h2'), { id: 'captcha-title', textContent: t('captcha') });
  const close = Object.assign(document.createElement('button'), {
    type: 'button',
    className: 'icon-button',
    textContent: '×',
  });
  close.setAttribute('aria-label', t('close'));
  close.onclick = () => dialog.close();
  const head = Object.assign(document.createElement('div'), { className: 'dialog-head' });
  head.append(title, close);
  const frame = Object.assign(document.createElement('iframe'), {
    className: 'captcha',
    title: t('captcha'),
    src: page,
  });
  const inner = Object.assign(document.createElement('div'), { className: 'dialog-in' });
  inner.append(head, frame);
  dialog.append(inner);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    let token = '';
    const hear = ({ source, origin, data }: MessageEvent) => {
      if (source !== frame.contentWindow || origin !== new URL(page).origin || typeof data?.token !== 'string') return;
      token = data.token;
      dialog.close();
    };
    addEventListener('message', hear);
    dialog.onclose = () => {
      removeEventListener('message', hear);
      dialog.remove();
      resolve(token);
    };
  });
}
