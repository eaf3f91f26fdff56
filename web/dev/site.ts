/** What stands around the pages of the sample. */
import type { Site } from '../src/site/boot.ts';
import type { Surroundings } from '../src/site/frame.tsx';

const nav = [
  { text: 'Parcels', link: '/parcel-insurance' },
  {
    text: 'Claims',
    link: '/claims',
    sub: [
      { text: 'Report a damage', link: '/claims/new' },
      { text: 'Track a claim', link: '/claims/track' },
    ],
  },
  { text: 'Help', link: '/help' },
];
export const site: Site & Surroundings = {
  name: 'Sample Cover',
  nav,
  footer: [
    {
      title: 'Products',
      links: [
        { text: 'Parcels', link: '/parcel-insurance' },
        { text: 'Yearly cover', link: '/yearly' },
      ],
    },
    {
      title: 'Company',
      links: [
        { text: 'Contact us', link: '/contact' },
        { text: 'Privacy', link: '/privacy' },
        { text: 'Terms', link: '/terms' },
      ],
    },
  ],
  legal: 'Sample Cover is a sample. It sells nothing and covers nothing.',
  call: { number: '18000000000', display: '1800 000 0000', text: 'Talk to us, 24/7' },
};
