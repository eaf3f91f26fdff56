/**
 * A sample workflow for development without the engine: insuring a parcel. It answers with the same StepViews as the server would,
 * so it is also the source of the gallery and of the tests. Nothing of it is shipped.
 */
import type { StepView } from '../../src/contract/api.ts';
import { asking } from './asking.ts';
import { buying } from './buying.ts';
import type { Steps } from './forms.ts';
import { offers } from './offers.ts';
import type { Parcel } from './state.ts';

const BASE = '/parcel-insurance';
const SECTIONS = [
  ['parcel', 'Your parcel', ['start', 'contact', 'otp', 'parcel']],
  ['offers', 'Offers', ['offers']],
  ['details', 'Details', ['address']],
  ['pay', 'Check and pay', ['review', 'preparing', 'paying']],
  ['done', 'Done', ['tracker', 'done']],
] as const;
const PATHS: Record<string, string> = {
  start: '',
  contact: 'contact',
  otp: 'otp',
  parcel: 'parcel',
  offers: 'offers',
  address: 'address',
  review: 'confirm',
  preparing: 'confirm',
  paying: 'payment',
  tracker: 'status',
  done: 'done',
};
const ORDER = [
  'start',
  'contact',
  'otp',
  'parcel',
  'offers',
  'address',
  'review',
  'preparing',
  'paying',
  'tracker',
  'done',
];
const NO_TRAIL = new Set(['otp', 'preparing', 'paying', 'tracker', 'done']);

const STEPS: Steps = { ...asking, ...offers, ...buying };

export const PATH_OF = (step: string): string => PATHS[step] ?? '';

export function view(state: Parcel): StepView {
  const url = (step: string) =>
    `${BASE}${PATHS[step] ? `/${PATHS[step]}` : ''}${state.id ? `?request=${state.id}` : ''}`;
  const before = ORDER.slice(0, ORDER.indexOf(state.at)).filter((step) => !NO_TRAIL.has(step));
  const current = SECTIONS.findIndex(([, , steps]) => (steps as readonly string[]).includes(state.at));
  const back = ['preparing', 'paying', 'tracker', 'done'].includes(state.at) ? undefined : before.at(-1);
  const own = STEPS[state.at]!(state);
  return {
    journey: {
      id: state.id,
      workflow: 'parcel/parcel',
      line: 'parcel',
      title: 'Parcel insurance',
      version: 'sample',
      revision: state.revision,
      seq: state.seq,
      status: state.at === 'done' ? 'done' : 'active',
      base: BASE,
      language: 'en',
      channel: 'web',
    },
    step: {
      id: `parcel.${state.at}`,
      path: PATHS[state.at]!,
      url: url(state.at),
      progress: {
        sections: SECTIONS.map(([id, title], index) => ({
          id,
          title,
          state: index < current ? 'done' : index === current ? 'current' : 'todo',
        })),
      },
      events: [{ type: 'submit' }, { type: 'back' }],
      back: back ? url(back) : null,
      changeable: before.map((step) => ({ step: `parcel.${step}`, title: step, path: PATHS[step]! })),
      waits: [],
      consents: [],
      stream: state.id ? `/api/v1/journeys/${state.id}/stream` : null,
      hide: [],
      ...own,
    },
    messages: state.messages,
    server_time: new Date(Date.parse('2026-11-21T10:00:00Z') + state.moment).toISOString(),
  };
}
