import type { Block as AnyBlock, LinksBlock } from '../../contract/blocks';
import { safeUrl } from '../../routes';
import { Block } from '../../ui/block';
import { PagerLinks } from './pager';

export function LinksView({ title, items, pager }: LinksBlock) {
  const out = (href: string) => /^https?:/i.test(href);
  return (
    <Block kind="links" title={title}>
      <ul className="links">
        {items.map((item) => (
          <li key={item.href + item.label}>
            <a href={safeUrl(item.href)} {...(out(item.href) ? { target: '_blank', rel: 'noopener' } : {})}>
              {item.label}
            </a>
          </li>
        ))}
      </ul>
      <PagerLinks pager={pager} />
    </Block>
  );
}

export const example: AnyBlock = {
  block: 'links',
  title: 'More',
  items: [
    { label: 'Terms of carriage', href: '/terms' },
    { label: 'Trade body', href: 'https://trade.example/' },
  ],
  pager: { page: 2, pages: 3, first: 2, href: '/couriers' },
};
