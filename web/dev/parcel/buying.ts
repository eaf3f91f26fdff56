import { form, type Steps } from './forms.ts';
import { breakup } from './offers.ts';

/** From the address to the certificate. */
export const buying: Steps = {
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
