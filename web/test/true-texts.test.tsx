import { render } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepTrue } from '../src/ui/true-texts';

let end: () => void;
beforeEach(() => {
  end = keepTrue(document.body);
});
afterEach(() => end());

/** As translators do: every text stands in an element of theirs. */
async function translated(within: Element, word = (text: string) => `«${text}»`) {
  const all = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (all.nextNode()) texts.push(all.currentNode as Text);
  for (const text of texts) {
    const font = document.createElement('font');
    font.textContent = word(text.data);
    text.replaceWith(font);
  }
  await told();
}
const told = () => new Promise((done) => setTimeout(done));

const Price = ({ price, held }: { price: string; held?: string }) => (
  <button type="button">
    Buy now {price} {held && `till ${held}`}
    <b>!</b>
  </button>
);

test('a text that changes is seen, although others had put theirs in its place', async () => {
  const { container, rerender } = render(<Price price="₹7,902" />);
  await translated(container);
  expect(container.textContent).toBe('«Buy now »«₹7,902»« »«!»');
  rerender(<Price price="₹8,136" />);
  await told();
  expect(container.textContent).toBe('«Buy now »₹8,136« »«!»');
  await translated(container, (text) => text.replace('₹', 'INR '));
  rerender(<Price price="₹8,200" />);
  await told();
  expect(container.textContent).toContain('₹8,200');
});

test('what comes and goes beside such a text does so', async () => {
  const { container, rerender } = render(<Price price="₹7,902" held="9 pm" />);
  await translated(container);
  rerender(<Price price="₹7,902" />);
  await told();
  expect(container.textContent).toBe('«Buy now »«₹7,902»« »«!»');
  rerender(<Price price="₹7,902" held="10 pm" />);
  await told();
  expect(container.textContent).toBe('«Buy now »«₹7,902»« »till 10 pm«!»');
});

test('a text that was moved into an element of others still goes where it is meant to', async () => {
  const { container, rerender } = render(<Price price="₹7,902" held="9 pm" />);
  const button = container.querySelector('button')!;
  for (const text of [...button.childNodes].filter((one) => one instanceof Text)) {
    const span = document.createElement('span');
    text.before(span);
    span.append(text);
  }
  await told();
  rerender(<Price price="₹8,136" />);
  await told();
  expect(container.textContent).toBe('Buy now ₹8,136 !');
});
