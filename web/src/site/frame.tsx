/** What stands around every page. Drawn by the server only and never taken over: menus are `<details>`, links are links. */
import { safeUrl } from '../routes';

export interface Link {
  text: string;
  link?: string;
  /** an address elsewhere that opens in this window all the same */
  self?: boolean;
  sub?: Link[];
}

/** The site's own data, as `workflows/site` gives it. */
export interface Surroundings {
  name: string;
  nav: Link[];
  footer: { title: string; links: Link[] }[];
  legal: string;
  call?: { number?: string; display?: string; text?: string } | null;
}

export const SkipLink = () => (
  <a className="skip-link" href="#main">
    Skip to main content
  </a>
);

export const Header = ({ site }: { site: Surroundings }) => (
  <header className="site-header">
    <div className="site-header-in">
      <a className="wordmark" href="/">
        <svg className="wordmark-mark" aria-hidden="true" viewBox="0 0 24 24">
          <path d="M4 18V7.5L12 4l8 3.5V18" />
          <path d="M8 18v-6h8v6" />
        </svg>
        <span>{site.name}</span>
      </a>
      <nav className="site-nav" aria-label="Main">
        <details className="site-menu">
          <summary className="site-menu-button">
            <span className="site-menu-icon" aria-hidden="true" />
            Menu
          </summary>
          <Menu className="site-menu-list" items={site.nav} />
        </details>
        <Menu className="site-nav-list" items={site.nav} />
      </nav>
      {site.call?.number && (
        <a className="site-call" href={`tel:${site.call.number}`}>
          <span className="site-call-icon" aria-hidden="true" />
          <span className="site-call-text">
            <small>{site.call.text}</small>
            {site.call.display}
          </span>
        </a>
      )}
    </div>
  </header>
);

export const Footer = ({ site }: { site: Surroundings }) => (
  <footer className="site-footer">
    <div className="site-footer-in">
      <div className="site-footer-groups">
        {site.footer.map((group) => (
          <section key={group.title}>
            <h2>{group.title}</h2>
            <ul>
              {group.links.map((item) => (
                <li key={item.text}>
                  <SiteLink {...item} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      <p className="site-legal">{site.legal}</p>
    </div>
  </footer>
);

const Menu = ({ className, items }: { className: string; items: Link[] }) => (
  <ul className={className}>
    {items.map((item) => (
      <li key={item.text}>
        {item.sub && item.sub.length > 0 ? (
          <details className="site-sub">
            <summary>{item.text}</summary>
            <ul>
              {item.sub.map((one) => (
                <li key={one.text}>
                  <SiteLink {...one} />
                </li>
              ))}
            </ul>
          </details>
        ) : (
          <SiteLink {...item} />
        )}
      </li>
    ))}
  </ul>
);

/** A link of the site; what has no address yet is only its words. */
function SiteLink({ text, link, self }: Link) {
  const url = safeUrl(link);
  if (!url || url === '#') return <span>{text}</span>;
  const away = /^https?:/i.test(url) && !self;
  return (
    <a href={url} {...(away ? { target: '_blank', rel: 'noopener' } : {})}>
      {text}
    </a>
  );
}

/** Where a page cannot be used without scripts. */
export const ScriptsNeeded = ({ site }: { site: Surroundings }) => (
  <noscript>
    <div className="page narrow">
      <p className="notice" data-tone="warning">
        This page needs JavaScript, which is switched off or did not load. Please switch it on and load the page again
        {site.call?.number ? `, or call us: ${site.call.display}.` : '.'}
      </p>
    </div>
  </noscript>
);
