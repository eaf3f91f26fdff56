import { expect, test, vi } from 'vitest';
import { tellCounts } from '../src/site/share-counts';

const list = () => {
  document.body.innerHTML = `<ul data-counts="/api/v1/share-counts"><li data-way="whatsapp"><a>WhatsApp</a></li>
    <li data-way="x"><a>X</a></li></ul>`;
  return document.querySelector('ul')!;
};
const answers = (answer: () => Promise<Response>) => vi.spyOn(globalThis, 'fetch').mockImplementation(answer);

test('counts stand beside their ways, none for nobody (R7.2-22)', async () => {
  const asked = answers(() =>
    Promise.resolve(
      Response.json({
        counts: [
          { way: 'whatsapp', count: 12 },
          { way: 'x', count: 0 },
        ],
      }),
    ),
  );
  const ways = list();
  await tellCounts(ways);
  expect([...ways.children].map((way) => way.textContent)).toEqual(['WhatsApp (12)', 'X']);
  expect(asked.mock.calls[0]![0]).toBe('/api/v1/share-counts?path=%2F');
});

test.each([
  ['no line', () => Promise.reject(new Error('offline'))],
  ['a fault', () => Promise.resolve(new Response('', { status: 503 }))],
  ['nonsense', () => Promise.resolve(new Response('<html>', { status: 200 }))],
])('%s leaves the page as it is', async (_, answer) => {
  answers(answer);
  const ways = list();
  await tellCounts(ways);
  expect([...ways.children].map((way) => way.textContent)).toEqual(['WhatsApp', 'X']);
});
