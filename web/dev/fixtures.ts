/** Every kind of step in the states worth looking at: gallery, pictures and tests read them. */
import type { StepView } from '../src/contract/api.ts';
import { view } from './parcel/journey.ts';
import { COURIERS } from './parcel/offers.ts';
import { begin, type Parcel } from './parcel/state.ts';

const at = (step: string, more: Partial<Parcel> = {}): StepView =>
  view({ ...begin(), id: 'sample', revision: 3, at: step, ...more });

export const fixtures: Record<string, StepView> = {
  start: view(begin()),
  contact: at('contact'),
  otp: at('otp', { data: { contact: { mobile: '9876543210' } } }),
  'otp-refused': at('otp', {
    data: { contact: { mobile: '9876543210' } },
    messages: [
      { code: 'otp.wrong', level: 'error', pointer: '/otp', text: 'That password is not right. 4 tries are left.' },
    ],
  }),
  parcel: at('parcel', { data: { parcel: { kind: 'something_else', damaged_before: true, fragile: true } } }),
  'offers-arriving': at('offers', { answered: 5 }),
  offers: at('offers', { answered: COURIERS.length }),
  'offers-stale': at('offers', { answered: COURIERS.length, stale: true }),
  address: at('address', { data: { address: { type: 'person' } } }),
  review: at('review'),
  wait: at('preparing'),
  redirect: at('paying'),
  tracker: at('tracker'),
  done: at('done', {
    messages: [{ code: 'done', level: 'success', pointer: null, text: 'Your feedback has been saved.' }],
  }),
};
