import type { Option } from '../../src/contract/blocks.ts';
import { form, type Steps } from './forms.ts';
import type { Parcel } from './state.ts';

interface Courier {
  id: string;
  name: string;
  short: string;
  colour: string;
  price: number;
  ends?: 'declined' | 'failed';
  late?: boolean;
}
export const COURIERS: Courier[] = [
  { id: 'garuda', name: 'Garuda Express', short: 'Garuda', colour: '#8a1c1c', price: 45_123 },
  { id: 'monsoon', name: 'Monsoon Mail', short: 'Monsoon', colour: '#1d4f8f', price: 43_900 },
  { id: 'banyan', name: 'Banyan Carriers', short: 'Banyan', colour: '#2b6b3c', price: 52_050 },
  { id: 'coral', name: 'Coral Coast Logistics', short: 'Coral', colour: '#f2a33a', price: 48_700, ends: 'declined' },
  { id: 'deccan', name: 'Deccan Parcels', short: 'Deccan', colour: '#5b3a8f', price: 47_310 },
  { id: 'lotus', name: 'Lotus Post', short: 'Lotus', colour: '#b02a6b', price: 61_000 },
  { id: 'peacock', name: 'Peacock Freight', short: 'Peacock', colour: '#0b5a61', price: 49_999, ends: 'failed' },
  { id: 'sal', name: 'Sal & Sons', short: 'Sal', colour: '#6b4a1f', price: 55_500 },
  { id: 'tamarind', name: 'Tamarind Transport', short: 'Tamarind', colour: '#3d3d3d', price: 46_240 },
  { id: 'ghat', name: 'Western Ghat Couriers', short: 'Ghat', colour: '#14602f', price: 58_420 },
  { id: 'zephyr', name: 'Zephyr Air', short: 'Zephyr', colour: '#0f6fb5', price: 39_900, late: true },
  { id: 'indigo', name: 'Indigo Lines', short: 'Indigo', colour: '#303f9f', price: 50_310 },
];

function option(courier: Courier, index: number, state: Parcel): Option {
  const provider = { name: courier.name, short: courier.short, colour: courier.colour };
  const cover = state.data.offers ?? {};
  if (index >= state.answered) return { id: courier.id, provider, state: 'asked' };
  if (courier.ends)
    return {
      id: courier.id,
      provider,
      state: courier.ends,
      reason: courier.ends === 'declined' ? 'Does not carry glass' : undefined,
    };
  const limit = Number(cover.limit ?? 50_000_00);
  const price =
    Math.round((courier.price * limit) / 50_000_00) +
    (Array.isArray(cover.extras) ? (cover.extras.length - 1) * 2_500 : 0);
  return {
    id: courier.id,
    provider,
    state: 'answered',
    late: courier.late,
    stale: state.stale,
    price: { paise: price },
    price_note: 'incl. 18% GST',
    was: cover.limit && price !== courier.price ? { paise: courier.price } : undefined,
    badge: courier.id === 'banyan' ? 'Most chosen' : undefined,
    title: courier.id === 'lotus' ? 'All risks plus' : 'All risks',
    facts: [
      { label: 'Limit', value: { paise: limit + (index % 3) * 10_000_00 } },
      { label: 'Claims settled', value: { percent: 99 - index } },
      { label: 'Pays within', value: `${3 + (index % 4)} days` },
    ],
    tags: ['Photo on delivery', ...(index % 2 ? ['Free return'] : []), ...(index % 3 ? [] : ['Pick-up at home'])],
    notices:
      courier.id === 'deccan' ? [{ tone: 'warning', text: 'Needs a picture of the packing before collection' }] : [],
    breakup: breakup(price),
    sort: { price, limit: -(limit + (index % 3) * 10_000_00) },
    action: { event: 'select', data: { courier: courier.id, plan: 'all' }, label: 'Choose' },
  };
}

export function breakup(total: number) {
  const net = Math.round((total * 100) / 118);
  return [
    { label: 'Basic cover', value: { paise: net + 4_000 } },
    { label: 'Photo on delivery', value: { paise: 1_000 }, detail: 'optional' },
    { label: 'Online discount', value: { paise: -5_000 }, kind: 'discount' as const },
    { label: 'GST', value: { paise: total - net }, kind: 'tax' as const, detail: '18%' },
    { label: 'You pay', value: { paise: total }, kind: 'total' as const },
  ];
}

/** What the couriers offer. */
export const offers: Steps = {
  offers: (state) => ({
    kind: 'comparison',
    title: 'Choose your cover',
    intro: '3 kg of glass by air to Madurai',
    hide: ['footer'],
    form: form(state, 'offers', {
      data: { limit: 50_000_00, excess: '500', extras: ['photo'] },
      schema: {
        type: 'object',
        required: ['limit', 'excess'],
        properties: {
          limit: {
            type: 'integer',
            title: 'Covered value',
            minimum: 45_000_00,
            maximum: 55_000_00,
            multipleOf: 500_00,
          },
          excess: {
            type: 'string',
            title: 'You pay first',
            oneOf: [
              { const: '0', title: 'Nothing' },
              { const: '500', title: '₹500' },
              { const: '1000', title: '₹1,000' },
            ],
          },
          extras: {
            type: 'array',
            title: 'Extras',
            uniqueItems: true,
            items: {
              type: 'string',
              oneOf: [
                { const: 'photo', title: 'Photo on delivery' },
                { const: 'late', title: 'Late delivery', description: '₹100 a day' },
                { const: 'return', title: 'Free return' },
              ],
            },
          },
          gift: { type: 'boolean', title: 'Is it a gift?' },
        },
      },
      ui: {
        limit: { widget: 'range', unit: 'money' },
        excess: { widget: 'choice' },
        extras: { widget: 'checkboxes' },
        gift: { widget: 'toggle' },
      },
    }),
    events: [{ type: 'submit' }, { type: 'select' }, { type: 'back' }],
    waits:
      state.answered < COURIERS.length
        ? [
            {
              for: 'quotes',
              since: '2026-11-21T10:00:00Z',
              deadline: '2026-11-21T10:01:30Z',
              open: COURIERS.length - state.answered,
              of: COURIERS.length,
            },
          ]
        : [],
    view: {
      blocks: [
        {
          block: 'options',
          title: 'Offers for your parcel',
          sort: [
            { id: 'price', label: 'Lowest price' },
            { id: 'limit', label: 'Highest limit' },
          ],
          compare_max: 4,
          empty: 'No courier covers this parcel. Try another value.',
          items: COURIERS.map((courier, index) => option(courier, index, state)),
          frequent: {
            block: 'notice',
            tone: 'info',
            title: 'Sending often?',
            text: 'A yearly cover pays from the fourth parcel on.',
          },
        },
      ],
    },
  }),
};
