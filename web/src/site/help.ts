/** The help of a page: ways to a person and the questions that the page answers, in a dialog that stands within the window. */
import { ask } from '../api/ask';
import { safeUrl } from '../routes';
import { t } from '../ui/words';
import type { Help } from './boot';

function way(href: string | undefined, words: string, why = ''): HTMLLIElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.className = 'button';
  link.href = safeUrl(href) ?? '#';
  link.textContent = words;
  if (/^https?:/i.test(link.getAttribute('href') ?? '')) Object.assign(link, { target: '_blank', rel: 'noopener' });
  const note = document.createElement('small');
  note.textContent = why;
  item.append(link, ...(why ? [note] : []));
  return item;
}

/** Ways to a person. */
export function ways({ call, whatsapp, call_back }: Help): HTMLUListElement {
  const list = document.createElement('ul');
  list.className = 'help-ways';
  if (call) list.append(way(`tel:${call.number}`, t('help_call', { number: call.display }), t('help_call_why')));
  if (whatsapp) list.append(way(whatsapp, t('help_whatsapp')));
  if (call_back) list.append(way(call_back, t('help_call_back'), t('help_call_back_why')));
  return list;
}

/** Questions with their answers, under their title. */
function asked(all: HTMLElement[]): HTMLElement[] {
  if (all.length === 0) return [];
  const title = document.createElement('h3');
  title.textContent = t('help_questions');
  return [title, ...all];
}

/** Those of the page. */
function questions(): HTMLElement[] {
  const all = [...document.querySelectorAll('main details.faq')].map(
    (one) => one.cloneNode(true) as HTMLDetailsElement,
  );
  for (const one of all) one.open = false;
  return asked(all);
}

/** What people ask at the step that is shown; nothing, where that cannot be had now. */
async function questionsAt(path: string, call: string): Promise<HTMLElement[]> {
  const reply = await ask(`${call}?path=${encodeURIComponent(path)}`, {}).catch(() => undefined);
  if (!reply?.ok) return [];
  const { data } = (await reply.json()) as { data: { questions: { question: string; answer: string }[] } };
  return asked(
    data.questions.map(({ question, answer }) => {
      const one = document.createElement('details');
      one.className = 'faq';
      const head = document.createElement('summary');
      head.textContent = question;
      const text = document.createElement('p');
      text.textContent = answer;
      one.append(head, text);
      return one;
    }),
  );
}

/** Draws the button that opens it. */
export function draw(help: Help): void {
  const dialog = document.createElement('dialog');
  dialog.className = 'dialog';
  const inside = document.createElement('div');
  inside.className = 'dialog-in';
  const head = document.createElement('div');
  head.className = 'dialog-head';
  const title = document.createElement('h2');
  title.id = 'help-title';
  title.textContent = t('help_title');
  dialog.setAttribute('aria-labelledby', title.id);
  const close = document.createElement('button');
  close.type = 'button';
  close.className = 'link-button';
  close.textContent = t('close');
  close.onclick = () => dialog.close();
  const body = document.createElement('div');
  body.className = 'dialog-body';
  head.append(title, close);
  inside.append(head, body);
  dialog.append(inside);
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  dialog.addEventListener('close', () => delete document.documentElement.dataset.modal);

  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'site-chat';
  button.textContent = t('help');
  button.setAttribute('aria-haspopup', 'dialog');
  button.onclick = () => {
    // what the step that is shown now asks about
    const here = questions();
    body.replaceChildren(ways(help), ...here);
    const path = location.pathname;
    if (here.length === 0 && help.questions)
      void questionsAt(path, help.questions).then((all) => location.pathname === path && body.append(...all));
    dialog.showModal();
    document.documentElement.dataset.modal = 'open';
  };
  document.getElementById('main')?.append(button, dialog);
}
