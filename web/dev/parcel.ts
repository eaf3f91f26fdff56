/**
 * A sample workflow for development without the engine: insuring a parcel. It answers with the same StepViews as the server would,
 * so it is also the source of the gallery and of the tests. Nothing of it is shipped.
 */
import type { Data, Schema, Ui } from '../src/api/open.ts';
import type { FormView, Message, Step, StepView } from '../src/contract/api.ts';
import type { Option } from '../src/contract/blocks.ts';

export interface Parcel {
  id: string | null;
  revision: number;
  seq: number;
  at: string;
  data: Record<string, Data>;
  /** how many couriers have answered, of COURIERS */
  answered: number;
  stale: boolean;
  messages: Message[];
  picked?: string;
  moment: number;
}

export const begin = (): Parcel => ({
  id: null,
  revision: 0,
  seq: 0,
  at: 'start',
  data: {},
  answered: 0,
  stale: false,
  messages: [],
  moment: 0,
});

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

type Own = Pick<Step, 'kind' | 'title'> & Partial<Step>;

type Written = Partial<FormView> & Pick<FormView, 'schema'> & { ui: Record<string, Ui> };

const form = (state: Parcel, step: string, { ui, schema, ...view }: Written): FormView => ({
  id: `parcel/${step}`,
  draft: false,
  submit: 'Continue',
  ...view,
  schema: {
    ...schema,
    properties: mapValues(schema.properties as Record<string, Schema>, (rule, name) => field(rule, ui[name])),
  },
  data: { ...view.data, ...state.data[step] },
});

/** A field as the server sends it: with a widget, and words for whatever may be wrong with it. */
function field(rule: Schema, ui: Ui = {}): Schema {
  const widget = ui.widget ?? (rule.type === 'integer' ? 'number' : 'text');
  const texts = mapValues(rule, () => `Please check ${rule.title}`);
  return {
    ...rule,
    'x-ui': { widget, ...ui },
    'x-messages': { required: `Please enter ${rule.title}`, ...texts, ...rule['x-messages'] },
  };
}

const mapValues = <T, U>(map: Record<string, T>, change: (value: T, key: string) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value, key)]));

const STEPS: Record<string, (state: Parcel) => Own> = {
  start: (state) => ({
    kind: 'form',
    title: 'Insure your parcel in three minutes',
    hide: [],
    form: form(state, 'start', {
      submit: 'See prices',
      schema: {
        type: 'object',
        required: ['number'],
        properties: {
          number: {
            type: 'string',
            title: 'Tracking number',
            maxLength: 20,
            pattern: '^[A-Z]{2}-[0-9]{2}-[0-9]{1,4}$',
            'x-normalise': ['upper', { strip: '[-\\s]' }, { group: ['^([A-Z]{2})([0-9]{2})([0-9]{1,4})$'], join: '-' }],
            'x-messages': {
              required: 'Please enter the tracking number',
              pattern: 'Please enter a tracking number such as AB-12-3456',
            },
          },
        },
      },
      ui: {
        number: {
          widget: 'text',
          placeholder: 'AB-12-3456',
          hint: 'It stands on your receipt',
        },
      },
    }),
    view: {
      blocks: [
        {
          block: 'hero',
          text: 'Compare what 12 couriers pay when something breaks, gets lost or comes late. One form, no calls.',
          points: [
            'Prices in under a minute',
            'Claims settled in 5 working days on average',
            'Nothing to pay until you have chosen',
          ],
        },
        { block: 'actions', items: [{ label: 'I have no tracking number yet', event: 'new', style: 'link' }] },
        {
          block: 'steps',
          title: 'How it works',
          items: [
            { title: 'Tell us about the parcel', text: 'A tracking number is enough.' },
            { title: 'Compare', text: 'Prices and limits side by side.' },
            { title: 'Pay', text: 'The certificate comes at once.' },
          ],
        },
        {
          block: 'cards',
          title: 'Why people choose us',
          items: [
            { title: 'Fair prices', text: 'The couriers pay us; you pay what they ask.', icon: '₹' },
            { title: 'Help with claims', text: 'One person stays with your case to the end.', icon: '☎' },
            { title: 'Your data is yours', text: 'We never sell your number.', icon: '✓' },
          ],
        },
        {
          block: 'faq',
          title: 'Questions',
          items: [
            { question: 'What is not covered?', answer: 'Cash, living animals and anything forbidden by law.' },
            { question: 'When does the cover begin?', answer: 'When the courier takes the parcel over.' },
          ],
        },
      ],
    },
  }),
  contact: (state) => ({
    kind: 'form',
    title: 'Where can we reach you?',
    intro: 'We send the certificate here and nothing else.',
    form: form(state, 'contact', {
      schema: {
        type: 'object',
        required: ['mobile', 'name', 'consent'],
        properties: {
          mobile: {
            type: 'string',
            title: 'Mobile number',
            maxLength: 10,
            pattern: '^[6-9][0-9]{9}$',
            'x-personal': true,
            'x-messages': { required: 'Please enter your mobile number', pattern: 'Invalid mobile number.' },
          },
          name: {
            type: 'string',
            title: 'Full name',
            minLength: 3,
            maxLength: 50,
            'x-personal': true,
            'x-normalise': [{ keep: '[A-Za-z ]' }, 'collapse', 'trim'],
          },
          email: {
            type: 'string',
            format: 'email',
            title: 'E-mail',
            maxLength: 80,
            'x-personal': true,
            'x-normalise': ['trim', 'lower'],
          },
          consent: {
            type: 'boolean',
            const: true,
            title: 'I agree to the terms and to be contacted about this request',
            'x-messages': { required: 'Please agree to go on' },
          },
        },
      },
      ui: {
        mobile: { widget: 'mobile', hint: 'We send a one-time password to it' },
        name: { widget: 'text', autocomplete: 'name' },
        email: { widget: 'text', autocomplete: 'email', inputMode: 'email' },
        consent: {
          widget: 'consent',
          links: [
            { label: 'Terms', href: '/terms' },
            { label: 'Privacy', href: '/privacy' },
          ],
        },
      },
    }),
  }),
  otp: (state) => ({
    kind: 'form',
    title: 'Enter the password we sent',
    intro: `A six-digit code is on its way to +91 ${String(state.data.contact?.mobile ?? '9876543210').replace(/^(\d{2})\d{6}/, '$1••••••')}.`,
    form: form(state, 'otp', {
      submit: 'Confirm',
      schema: {
        type: 'object',
        required: ['otp'],
        properties: {
          otp: {
            type: 'string',
            title: 'One-time password',
            minLength: 6,
            maxLength: 6,
            pattern: '^[0-9]{6}$',
            'x-secret': true,
            'x-messages': { required: 'Please enter the one-time password', minLength: 'The password has 6 digits' },
          },
        },
      },
      ui: { otp: { widget: 'otp' } },
    }),
    view: {
      blocks: [
        { block: 'form' },
        {
          block: 'actions',
          items: [
            { label: 'Send again', event: 'resend', style: 'link' },
            { label: 'Change the number', event: 'change', data: { step: 'parcel.contact' }, style: 'link' },
          ],
        },
      ],
    },
  }),
  parcel: (state) => ({
    kind: 'form',
    title: 'What are you sending?',
    intro: 'Found by your tracking number. Please correct what is wrong.',
    form: form(state, 'parcel', {
      data: { speed: 'air', weight: 3, region: 'south' },
      schema: {
        type: 'object',
        required: [
          'kind',
          'what',
          'speed',
          'value',
          'weight',
          'region',
          'town',
          'collect',
          'fragile',
          'damaged_before',
          'damages',
        ],
        properties: {
          kind: {
            type: 'string',
            title: 'Contents',
            oneOf: ['Books', 'Clothes', 'Electronics', 'Glass', 'Documents', 'Something else'].map((title) => ({
              const: title.toLowerCase().replace(/ /g, '_'),
              title,
            })),
          },
          what: {
            type: 'string',
            title: 'What is it?',
            maxLength: 40,
            'x-messages': { required: 'Please say what it is' },
          },
          speed: {
            type: 'string',
            title: 'How fast should it go?',
            oneOf: [
              { const: 'surface', title: 'By road', description: '4 to 6 days' },
              { const: 'air', title: 'By air', description: '1 to 2 days' },
            ],
          },
          weight: { type: 'integer', title: 'Weight', minimum: 1, maximum: 50 },
          value: {
            type: 'integer',
            title: 'Value of the goods',
            minimum: 10_000,
            maximum: 100_000_000,
            'x-messages': { minimum: 'The value must be ₹100 or more' },
          },
          region: {
            type: 'string',
            title: 'Region',
            oneOf: ['North', 'South', 'East', 'West', 'Islands'].map((title) => ({
              const: title.toLowerCase(),
              title,
            })),
          },
          town: { type: 'string', title: 'Town', maxLength: 20 },
          collect: {
            type: 'string',
            format: 'date',
            title: 'When should it be collected?',
            'x-date': { min: '2026-11-21', max: '2026-12-21' },
            'x-messages': {
              format: 'Please enter a real date',
              'x-date.min': 'The day must be today or later',
              'x-date.max': 'The day must be within 30 days',
            },
          },
          fragile: { type: 'boolean', title: 'Is it fragile?' },
          damaged_before: { type: 'boolean', title: 'Was a parcel of yours damaged in the last year?' },
          damages: { type: 'integer', title: 'How many?', minimum: 1, maximum: 9 },
          extras: {
            type: 'array',
            title: 'Extras',
            uniqueItems: true,
            items: {
              type: 'string',
              oneOf: [
                { const: 'photo', title: 'Photo on delivery' },
                { const: 'sunday', title: 'Sunday delivery', description: 'Where the courier works on Sundays' },
              ],
            },
          },
          note: { type: 'string', title: 'Note for the courier', maxLength: 200 },
        },
        groups: { more: { title: 'More wishes', collapsed: true } },
      },
      ui: {
        kind: { widget: 'select' },
        what: { show: { kind: 'something_else' } },
        speed: { widget: 'choice' },
        weight: { suffix: 'kg' },
        value: { widget: 'money', hint: 'What it would cost to buy again' },
        region: { widget: 'select' },
        town: {
          widget: 'lookup',
          source: 'towns',
          value: 'code',
          label: 'name',
          filter: { region: '/region' },
          hint: 'Where it goes',
        },
        collect: { widget: 'date', hint: 'For example 25 11 2026' },
        fragile: { widget: 'toggle' },
        damaged_before: { widget: 'toggle' },
        damages: { show: { damaged_before: true } },
        extras: { widget: 'checkboxes', group: 'more' },
        note: { widget: 'textarea', group: 'more' },
      },
    }),
  }),
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
  address: (state) => ({
    kind: 'form',
    title: 'Who sends it?',
    form: form(state, 'address', {
      schema: {
        type: 'object',
        required: ['type', 'address', 'pincode', 'dob'],
        properties: {
          type: {
            type: 'string',
            title: 'Sender',
            oneOf: [
              { const: 'person', title: 'A person' },
              { const: 'company', title: 'A company' },
            ],
          },
          company: { type: 'string', title: 'Company name', minLength: 3, maxLength: 60 },
          dob: {
            type: 'string',
            format: 'date',
            title: 'Date of birth',
            'x-date': { min: '-99y', max: '-18y' },
            'x-personal': true,
            'x-messages': { 'x-date.max': 'You must be 18 or older' },
          },
          address: { type: 'string', title: 'Address', maxLength: 70 },
          pincode: {
            type: 'string',
            title: 'Pincode',
            minLength: 6,
            maxLength: 6,
            pattern: '^[1-9][0-9]{5}$',
            'x-normalise': [{ keep: '[0-9]' }, { max: 6 }],
          },
          receiver: {
            type: 'object',
            title: 'Receiver',
            required: ['name'],
            properties: {
              name: { type: 'string', title: 'Name', minLength: 3, maxLength: 50 },
              relation: { type: 'string', title: 'Relation', enum: ['Friend', 'Family', 'Business'] },
            },
          },
        },
      },
      ui: {
        type: { widget: 'choice' },
        company: { show: { type: 'company' } },
        dob: { widget: 'date', show: { type: { not: 'company' } }, autocomplete: 'bday' },
        address: { widget: 'textarea', autocomplete: 'street-address' },
        pincode: { inputMode: 'numeric', autocomplete: 'postal-code' },
      },
    }),
    view: {
      blocks: [
        {
          block: 'facts',
          title: 'Your choice',
          items: [
            { label: 'Courier', value: 'Garuda Express' },
            { label: 'Price', value: { paise: 45_123 }, change: { step: 'parcel.offers' } },
          ],
        },
      ],
    },
  }),
  review: (state) => ({
    kind: 'review',
    title: 'Check your answers',
    intro: 'Please look once more before you pay.',
    review: {
      submit: 'Confirm and pay',
      sections: [
        {
          title: 'Contact',
          step: 'parcel.contact',
          path: 'contact',
          changeable: true,
          rows: [
            { label: 'Mobile', value: '•••••43210', pointer: '/mobile' },
            { label: 'Name', value: String(state.data.contact?.name ?? 'Asha Rao'), pointer: '/name' },
          ],
        },
        {
          title: 'Parcel',
          step: 'parcel.parcel',
          path: 'parcel',
          changeable: true,
          rows: [
            { label: 'Contents', value: 'Glass', pointer: '/kind' },
            { label: 'Value', value: { paise: 50_000_00 }, pointer: '/value' },
            { label: 'Collected on', value: { date: '2026-11-25' }, pointer: '/collect' },
          ],
        },
        {
          title: 'Sender',
          step: 'parcel.address',
          path: 'address',
          changeable: true,
          rows: [
            { label: 'Address', value: '14 Lake View Road, Jayanagar, Bengaluru', pointer: '/address' },
            { label: 'Pincode', value: '560041', pointer: '/pincode' },
          ],
        },
      ],
    },
    view: { blocks: [{ block: 'breakup', title: 'What you pay', lines: breakup(45_123) }] },
  }),
  preparing: (state) => ({
    kind: 'wait',
    title: 'One moment',
    wait: {
      text: 'Garuda Express is preparing your certificate',
      since: '2026-11-21T10:00:00Z',
      deadline: new Date(Date.parse('2026-11-21T10:00:20Z') + (state.moment > 20_000 ? state.moment : 0)).toISOString(),
      next: 'Then you go to the payment page.',
    },
  }),
  paying: () => ({
    kind: 'redirect',
    title: 'To the payment',
    redirect: { url: '/dev/pay', method: 'GET', fields: { order: 'order_1' }, label: 'Pay ₹451.23 now' },
  }),
  tracker: () => ({
    kind: 'tracker',
    title: 'Thank you. Your payment has arrived.',
    view: {
      blocks: [
        {
          block: 'tracker',
          title: 'What happens now',
          reference: { label: 'Your reference', value: 'PI-2026-004711' },
          steps: [
            { title: 'Payment received', state: 'done', text: '₹451.23', at: '2026-11-21T10:02:00Z' },
            { title: 'Certificate', state: 'done', text: 'Issued by Garuda Express' },
            { title: 'Collection', state: 'current', text: 'The courier comes on 25 November' },
            { title: 'Address check', state: 'failed', text: 'The pincode does not fit the street' },
            { title: 'Delivery', state: 'todo' },
          ],
          next: { text: 'Have the parcel ready from 10 am.' },
        },
        {
          block: 'documents',
          title: 'Your documents',
          items: [
            { title: 'Certificate of insurance', document: 'doc_1', note: 'PDF, 2 pages' },
            { title: 'Receipt', document: 'doc_2' },
          ],
        },
        {
          block: 'actions',
          items: [
            { label: 'Finish', event: 'finish', style: 'primary' },
            {
              label: 'Cancel the cover',
              event: 'cancel',
              style: 'danger',
              confirm: 'The cover ends at once and the price is paid back within 5 days.',
            },
          ],
        },
      ],
    },
  }),
  done: () => ({
    kind: 'message',
    title: 'All done',
    view: {
      blocks: [
        { block: 'notice', tone: 'success', title: 'Delivered', text: 'Your parcel has arrived. The cover has ended.' },
        {
          block: 'table',
          title: 'The way it took',
          columns: [{ title: 'Place' }, { title: 'When' }, { title: 'Cost', align: 'right' }],
          rows: [
            ['Bengaluru', { date: '2026-11-25' }, { paise: 12_000 }],
            ['Madurai', { date: '2026-11-27' }, { paise: 33_123 }],
          ],
        },
        {
          block: 'text',
          title: 'What if something broke?',
          text: 'Keep the packing and take pictures.\n\nThen write to us within 7 days.',
        },
        {
          block: 'links',
          title: 'More',
          items: [
            { label: 'Report a damage', href: '/claims' },
            { label: 'Courier association', href: 'https://example.org' },
          ],
        },
      ],
    },
  }),
};

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

function breakup(total: number) {
  const net = Math.round((total * 100) / 118);
  return [
    { label: 'Basic cover', value: { paise: net + 4_000 } },
    { label: 'Photo on delivery', value: { paise: 1_000 }, detail: 'optional' },
    { label: 'Online discount', value: { paise: -5_000 }, kind: 'discount' as const },
    { label: 'GST', value: { paise: total - net }, kind: 'tax' as const, detail: '18%' },
    { label: 'You pay', value: { paise: total }, kind: 'total' as const },
  ];
}

export const BLOCK_SAMPLES = [
  ...STEPS.start!(begin()).view!.blocks,
  ...STEPS.tracker!(begin()).view!.blocks,
  ...STEPS.done!(begin()).view!.blocks,
  ...STEPS.offers!({ ...begin(), answered: 12 }).view!.blocks,
];
