import type { Block as AnyBlock, LinksBlock } from '../../contract/blocks';
import { safeUrl } from '../../routes';
import { Block } from '../../ui/block';
import { PagerLinks } from './pager';

/** Links in a row; with `main` they are buttons, and the first one is the way on. */
export const Ways = ({ items, main }: { items: LinksBlock['items']; main?: boolean }) => (
  <ul className="links" data-main={main}>
    {items.map(({ label, href }, index) => (
      <li key={href + label}>
        <a
          href={safeUrl(href)}
          {...(main ? { className: 'button', 'data-style': index === 0 ? 'primary' : 'secondary' } : {})}
          {...(/^https?:|\.pdf$/i.test(href) ? { target: '_blank', rel: 'noopener' } : {})}
        >
          {label}
        </a>
      </li>
    ))}
  </ul>
);

export const LinksView = ({ title, style, items, pager }: LinksBlock) => (
  <Block kind="links" title={title}>
    <Ways items={items} main={style === 'main' || undefined} />
    <PagerLinks pager={pager} />
  </Block>
);

export const example: AnyBlock = {
  block: 'links',
  title: 'More',
  items: [
    { label: 'Terms of carriage', href: '/terms' },
    { label: 'Trade body', href: 'https://trade.example/' },
  ],
  pager: { page: 2, pages: 3, first: 2, href: '/couriers' },
};
