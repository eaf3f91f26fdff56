/** What stands around the pages of the sample. */
import type { Site } from '../src/site/boot.ts';
import type { Item, Surroundings } from '../src/site/frame.tsx';
import words from './words.json' with { type: 'json' };

const item = (text: string, link: string, subMenus: Item[] = []): Item => ({
  link,
  text,
  subMenus,
  title: '',
  img_path: '',
  desktop_only: false,
  mobile_only: false,
  domain: '',
  selfTarget: false,
  upper_text: '',
  logoImage: '',
});
export const site: Site & Surroundings = {
  name: 'Sample Cover',
  language: 'en',
  words: words.en,
  path: '/',
  home: '/',
  logo: true,
  menu: [
    item('Parcels', '/parcel-insurance'),
    item('Claims', '#', [item('Report a damage', '/claims/new'), item('Track a claim', '/claims/track')]),
    item('Help', '/help'),
  ],
  footer: [
    { title: 'Products', links: [item('Parcels', '/parcel-insurance'), item('Yearly cover', '/yearly')] },
    {
      title: 'Company',
      links: [item('Contact us', '/contact'), item('Privacy', '/privacy'), item('Terms', '/terms')],
    },
  ],
  legal: 'Sample Cover is a sample. It sells nothing and covers nothing.',
  call: { number: '18000000000', display: '1800 000 0000', text: 'Talk to us, 24/7' },
};
