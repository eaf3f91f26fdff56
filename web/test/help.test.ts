import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { draw } from '../src/site/help';

const asked: string[] = [];

beforeEach(() => {
  document.body.innerHTML = '<main id="main"></main>';
  HTMLDialogElement.prototype.showModal = () => undefined;
  asked.length = 0;
  vi.stubGlobal('fetch', (url: string) => {
    asked.push(url);
    const questions = [{ question: 'Why is it weighed?', answer: 'The price goes by weight.' }];
    return Promise.resolve(new Response(JSON.stringify({ data: { questions } })));
  });
});
afterEach(() => vi.unstubAllGlobals());

const help = { call: { number: '+911', display: '1 1' }, call_back: '/call-me-back', questions: '/api/v1/help' };
const press = () => document.querySelector<HTMLButtonElement>('.site-chat')?.click();
const dialog = () => document.querySelector('dialog')?.textContent ?? '';

test('the help answers what the page answers, and asks nobody for it', () => {
  document
    .getElementById('main')
    ?.insertAdjacentHTML('beforeend', '<details class="faq" open><summary>On the page</summary></details>');
  draw(help);
  press();
  expect(dialog()).toContain('On the page');
  expect(document.querySelector('dialog details')?.hasAttribute('open')).toBe(false);
  expect(asked).toEqual([]);
});

test('where the page answers nothing, the help shows what people ask at the step', async () => {
  draw(help);
  press();
  expect([...document.querySelectorAll('dialog a')].map((way) => way.getAttribute('href'))).toEqual([
    'tel:+911',
    '/call-me-back',
  ]);
  await vi.waitFor(() => expect(dialog()).toContain('Why is it weighed?'));
  expect(asked).toEqual(['/api/v1/help?path=%2F']);
  expect(dialog()).toContain('The price goes by weight.');
});
