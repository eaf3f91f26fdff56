import { form, type Steps } from './forms.ts';

/** From the first page to what is in the parcel. */
export const asking: Steps = {
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
};
