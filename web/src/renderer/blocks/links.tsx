import type { LinksBlock } from '../../api/types';
import { safeUrl } from '../../routes';

export function LinksView({ title, items }: LinksBlock) {
  const out = (href: string) => /^https?:/i.test(href);
  return (
    <section className="links">
      {title && <h2>{title}</h2>}
      <ul>
        {items.map((item) => (
          <li key={item.href + item.label}>
            <a href={safeUrl(item.href)} {...(out(item.href) ? { target: '_blank', rel: 'noopener' } : {})}>
              {item.label}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
