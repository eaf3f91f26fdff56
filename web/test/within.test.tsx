/** Where a journey in a page leads when it has come to its end there. */
import { act } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { StepView } from '../src/contract/api';
import { draw } from '../src/journey/within';
import type { Place, Site } from '../src/site/boot';

let tell: (view: StepView) => void = () => undefined;

vi.mock('../src/journey/journey', () => ({
  Journey: ({ onStep }: { onStep: (view: StepView) => void }) => {
    tell = onStep;
    return null;
  },
}));
vi.mock('../src/journey/parts', () => ({ loadParts: async () => undefined }));

const view = (status: string, kind: string) =>
  ({ journey: { id: 'j', status }, step: { path: 'success', kind } }) as unknown as StepView;

async function placed(place: Partial<Place>) {
  const element = document.createElement('div');
  document.body.append(element);
  await act(async () => {
    await draw(element, { view: view('active', 'form'), ...place } as Place, {} as Site);
  });
  return element;
}

test('a step that only says something is the end of a page with an end; a form or a wait is not', async () => {
  const element = await placed({ end: '#end' });
  tell(view('active', 'form'));
  tell(view('active', 'wait'));
  expect(element.dataset.left).toBeUndefined();
  tell(view('active', 'message'));
  expect(element.dataset.left).toBe('true');
});

test('without an end it stays', async () => {
  const element = await placed({});
  tell(view('active', 'message'));
  tell(view('completed', 'message'));
  expect(element.dataset.left).toBeUndefined();
});
