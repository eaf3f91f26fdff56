import { expect, test } from 'vitest';
import type { JourneySummary } from '../src/contract/api';
import { offered } from '../src/site/go-on';

const one = (id: string, changes: Partial<JourneySummary>): JourneySummary => ({
  id,
  workflow: 'parcel/send',
  title: 'Parcel cover',
  status: 'active',
  step: 'send.quotes',
  step_title: 'Your quotes',
  waits_for: 'anybody',
  about: { title: 'A box of books', mark: '', provider: '', text: '' },
  url: `/parcel/quotes?request=${id}`,
  updated_at: '2026-11-21T10:00:00Z',
  ...changes,
});

test('the request changed last is offered, what is done only where nothing waits, and nothing that has no name', () => {
  const older = one('older', {});
  const newer = one('newer', { updated_at: '2026-11-22T10:00:00Z' });
  const done = one('done', { updated_at: '2026-11-23T10:00:00Z', waits_for: 'nobody' });
  const unnamed = one('unnamed', {
    updated_at: '2026-11-24T10:00:00Z',
    about: { title: '', mark: '', provider: '', text: '' },
  });
  expect(offered([older, newer, done, unnamed])?.id).toBe('newer');
  expect(offered([done, unnamed])?.id).toBe('done');
  expect(offered([unnamed])).toBeUndefined();
  expect(offered([older, one('other', { workflow: 'letter/send' })], 'letter/send')?.id).toBe('other');
});
