import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { keepFocus } from '../src/ui/keep-focus';

const Field = ({ step, serial }: { step: string; serial: number }) => (
  <div data-step={step}>
    <input key={serial} id="kind" aria-label="Kind" />
  </div>
);
const told = () => new Promise((done) => setTimeout(done));

test('a field that is drawn anew has the focus that it had; the field of another step has not', async () => {
  const end = keepFocus(document.body);
  const { rerender } = render(<Field step="first" serial={1} />);
  const before = screen.getByLabelText('Kind');
  before.focus();
  rerender(<Field step="first" serial={2} />);
  await told();
  expect(document.activeElement).toBe(screen.getByLabelText('Kind'));
  expect(before.isConnected).toBe(false);
  rerender(<Field key="other" step="second" serial={3} />);
  await told();
  expect(document.activeElement).toBe(document.body);
  end();
});
