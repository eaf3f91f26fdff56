/**
 * What stands around every page. Drawn by the server only and never taken over: menus are `<details>`, the menu of a phone is a
 * popover, links are links. What a page leaves out is not displayed (`data-hide` of the body).
 */
import { safeUrl } from '../routes';
import { Icon } from '../ui/icon';
import { t } from '../ui/words';

/** One item of a menu, with all its keys. */
export interface Item {
  link: string;
  text: string;
  title: string;
  img_path: string;
  subMenus: Item[];
  desktop_only: boolean;
  mobile_only: boolean;
  /** where `link` is, when it is elsewhere */
  domain: string;
  /** an address elsewhere that opens in this window all the same */
  selfTarget: boolean;
  /** a few words above the text */
  upper_text: string;
  /** a logo instead of the words */
  logoImage: string;
}

interface Line {
  label?: string;
  number?: string;
  display?: string;
}

/** The site's own data, as `workflows/site` gives it. */
export interface Surroundings {
  name: string;
  /** of the page, and those that the site speaks */
  language?: string;
  languages?: string[];
  /** address of the page itself */
  path: string;
  /** where the logo leads */
  home: string;
  logo: boolean;
  /** parts that are on none of this visitor's pages */
  without?: string[];
  menu: Item[];
  footer: { title: string; links: Item[] }[];
  legal: string;
  /** one number, or several lines with a hint */
  call?: (Line & { text?: string; hint?: string; lines?: Line[] }) | null;
  login?: { text?: string; link?: string } | null;
  /** who sent the visitor */
  partner?: { name: string; logo?: string };
}

const SLIDE = 'site-menu';

export const SkipLink = () => (
  <a className="skip-link" href="#main">
    {t('skip')}
  </a>
);

export const Header = ({ site }: { site: Surroundings }) => (
  <>
    <header className="site-header">
      <div className="site-header-in">
        <Wordmark site={site} />
        {site.partner && (
          <span className="site-partner">
            {site.partner.logo && <img src={safeUrl(site.partner.logo)} alt="" width="24" height="24" />}
            {site.partner.name}
          </span>
        )}
        {site.menu.length > 0 && (
          <nav className="site-nav" aria-label={t('main_menu')}>
            <Menu className="site-nav-list" items={site.menu.filter((item) => !item.mobile_only)} path={site.path} />
          </nav>
        )}
        <p className="site-secure">
          <Icon name="lock" small />
          {t('secure')}
        </p>
        <Languages site={site} />
        <Call site={site} />
        <Login site={site} />
        {site.menu.length > 0 && (
          <button className="site-menu-button" type="button" popoverTarget={SLIDE}>
            <span className="site-menu-icon" aria-hidden="true" />
            {t('menu')}
          </button>
        )}
      </div>
    </header>
    {site.menu.length > 0 && (
      <nav className="site-slide" id={SLIDE} popover="auto" aria-label={t('menu')}>
        <div className="site-slide-head">
          <Login site={site} />
          {/* biome-ignore lint/a11y/noAutofocus: where the focus goes when the menu opens */}
          <button className="site-menu-button" type="button" popoverTarget={SLIDE} popoverTargetAction="hide" autoFocus>
            {t('close')}
            <Icon name="cross" small />
          </button>
        </div>
        <Menu items={site.menu.filter((item) => !item.desktop_only)} path={site.path} />
      </nav>
    )}
  </>
);

/** Languages as their speakers write them. */
const SPOKEN: Record<string, string> = { en: 'English', hi: 'हिन्दी', mr: 'मराठी', ta: 'தமிழ்', te: 'తెలుగు', bn: 'বাংলা' };

/** The other languages of the site, each a plain link that chooses it. */
const Languages = ({ site }: { site: Surroundings }) =>
  (site.languages ?? [])
    .filter((language) => language !== site.language)
    .map((language) => (
      <a
        className="site-language"
        key={language}
        href={`?lang=${language}`}
        hrefLang={language}
        lang={language}
        rel="nofollow"
      >
        {SPOKEN[language] ?? language}
      </a>
    ));

function Wordmark({ site }: { site: Surroundings }) {
  const name = <span>{site.name}</span>;
  return site.logo ? (
    <a className="wordmark" href={safeUrl(site.home)}>
      {name}
    </a>
  ) : (
    <span className="wordmark">{name}</span>
  );
}

function Call({ site: { call } }: { site: Surroundings }) {
  if (call?.lines)
    return (
      <details className="site-call-lines site-sub">
        <summary className="site-call">
          <span className="site-call-icon" aria-hidden="true" />
          <span className="site-call-text">{call.text}</span>
        </summary>
        <ul>
          {call.lines.map((line) => (
            <li key={line.label}>
              <a href={`tel:${line.number}`}>
                {line.label} <strong>{line.display}</strong>
              </a>
            </li>
          ))}
          <li>
            <small>{call.hint}</small>
          </li>
        </ul>
      </details>
    );
  return call?.number ? (
    <a className="site-call" href={`tel:${call.number}`}>
      <span className="site-call-icon" aria-hidden="true" />
      <span className="site-call-text">
        <small>{call.text}</small>
        {call.display}
      </span>
    </a>
  ) : null;
}

const Login = ({ site: { login } }: { site: Surroundings }) =>
  login?.link ? (
    <a className="site-login" href={safeUrl(login.link)}>
      <Icon name="person" small />
      {login.text}
    </a>
  ) : null;

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

const Menu = ({ className, items, path }: { className?: string; items: Item[]; path: string }) => (
  <ul className={className}>
    {items.map((item) => (
      <li key={item.text}>
        {item.subMenus.length > 0 ? (
          <details className="site-sub">
            <summary title={item.title || undefined}>
              <Words {...item} />
            </summary>
            <Menu items={item.subMenus} path={path} />
          </details>
        ) : (
          <SiteLink {...item} path={path} />
        )}
      </li>
    ))}
  </ul>
);

const Words = ({ text, img_path, upper_text, logoImage }: Item) => (
  <>
    {img_path && <img src={safeUrl(img_path)} alt="" width={48} height={28} loading="lazy" />}
    <span>
      {upper_text && <small>{upper_text}</small>}
      {logoImage ? <img src={safeUrl(logoImage)} alt={text} height={28} loading="lazy" /> : text}
    </span>
  </>
);

/** A link of the site; `#` leads nowhere and is only its words. */
function SiteLink({ path, ...item }: Item & { path?: string }) {
  const url = item.link === '#' ? undefined : safeUrl(item.domain + item.link);
  if (!url)
    return (
      <span>
        <Words {...item} />
      </span>
    );
  const away = /^https?:/i.test(url) && !item.selfTarget;
  return (
    <a
      href={url}
      title={item.title || undefined}
      aria-current={url === path ? 'page' : undefined}
      {...(away ? { target: '_blank', rel: 'noopener' } : {})}
    >
      <Words {...item} />
      {away && <span className="sr"> {t('new_tab')}</span>}
    </a>
  );
}

/** Where a page cannot be used without scripts. */
export const ScriptsNeeded = ({ site }: { site: Surroundings }) => (
  <noscript>
    <div className="page narrow">
      <p className="notice" data-tone="warning">
        {site.call?.number ? t('needs_scripts_or_call', { number: site.call.display ?? '' }) : t('needs_scripts')}
      </p>
    </div>
  </noscript>
);
