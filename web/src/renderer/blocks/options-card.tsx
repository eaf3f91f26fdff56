import { useRef } from 'react';
import { safeUrl } from '../../routes';
import { Button } from '../../ui/button';
import { equal } from '../../ui/equal';
import { money, value as words } from '../../ui/format';
import { useActions } from '../context';
import { Shown } from '../value';
import { BreakupLines } from './breakup';
import type { Compared } from './options-compare';
import type { Option } from './types';

/** One offer: who, what is in it, for how much, and the way to take it. */
export function OptionCard({ item, lowest, compared }: { item: Option; lowest?: boolean; compared: Compared }) {
  const fresh = useFresh(item);
  const chosen = compared.chosen.some((one) => one.id === item.id);
  return (
    <article
      className="option"
      data-stale={item.stale || undefined}
      data-fresh={fresh || undefined}
      aria-label={`${item.provider.name}${item.title ? `, ${item.title}` : ''}`}
    >
      {(item.badge || item.late) && (
        <p className="option-badges">
          {item.badge && <span className="badge">{item.badge}</span>}
          {item.late && (
            <span className="badge" data-tone="plain">
              Answered late
            </span>
          )}
        </p>
      )}
      <div className="option-who">
        <Logo provider={item.provider} />
        <div>
          <h3>{item.provider.name}</h3>
          {/* the mark moves from card to card as offers arrive: it stands in a line that is there anyway */}
          <p>
            {item.title}
            {lowest && (
              <span className="badge" data-tone="success">
                Lowest price
              </span>
            )}
          </p>
        </div>
      </div>
      {item.facts && item.facts.length > 0 && (
        <dl className="option-facts">
          {item.facts.slice(0, 4).map((fact) => (
            <div key={fact.label}>
              <dt>{fact.label}</dt>
              <dd>
                <Shown value={fact.value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {item.tags && item.tags.length > 0 && (
        <ul className="option-tags">
          {item.tags.map((tag) => (
            <li key={tag}>{tag}</li>
          ))}
        </ul>
      )}
      <div className="option-price">
        <Price item={item} />
        <Take item={item} />
      </div>
      {item.notices?.map((notice) => (
        <p key={notice.text} className="option-notice" data-tone={notice.tone}>
          {notice.text}
        </p>
      ))}
      <div className="option-more">
        {item.breakup && item.breakup.length > 0 && (
          <details className="disclosure">
            <summary>Price breakup</summary>
            <BreakupLines lines={item.breakup} />
          </details>
        )}
        <label className="option-compare">
          <input
            type="checkbox"
            checked={chosen}
            disabled={!chosen && compared.full}
            onChange={() => compared.toggle(item.id)}
          />
          Compare<span className="sr"> {item.provider.name}</span>
        </label>
      </div>
    </article>
  );
}

/** The price as it is now, the one before struck out; while it is asked again, it says so in the place of its note. */
export function Price({ item }: { item: Option }) {
  const { price, was, stale } = item;
  if (!price) return null;
  return (
    <div className="option-cost" data-stale={stale || undefined}>
      {was && was.paise !== price.paise && !stale && (
        <p className="option-was">
          <span className="sr">Before: </span>
          <s>{money(was.paise)}</s>
          <span className="sr">, now:</span>
        </p>
      )}
      <p className="option-amount">{money(price.paise)}</p>
      <small>{stale ? 'Updating…' : (item.price_note ?? '')}</small>
    </div>
  );
}

export function Take({ item }: { item: Option }) {
  const { send, sending } = useActions();
  const { action } = item;
  if (!action) return null;
  const busy = sending?.event === action.event && equal(sending.data ?? {}, action.data ?? {});
  return (
    <Button look="buy" busy={busy} disabled={item.stale} onClick={() => !item.stale && send(action.event, action.data)}>
      {action.label ?? 'Choose'}
      <span className="sr">
        {' '}
        {item.provider.name} {item.price ? money(item.price.paise) : ''}
      </span>
    </Button>
  );
}

/** The provider's logo, or its short name on its colour. */
export function Logo({ provider }: { provider: Option['provider'] }) {
  const source = safeUrl(provider.logo);
  if (source) return <img className="logo" src={source} alt="" width={72} height={44} loading="lazy" />;
  const colour = /^#[0-9a-f]{6}$/i.test(provider.colour ?? '') ? provider.colour! : undefined;
  return (
    <span
      className="logo"
      aria-hidden="true"
      style={colour ? { background: colour, color: inkOn(colour), borderColor: 'transparent' } : undefined}
    >
      {(provider.short ?? provider.name).slice(0, 9)}
    </span>
  );
}

/** Black or white, whichever reads better on a colour. */
export function inkOn(colour: string): string {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  const light = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return 1.05 / (light + 0.05) >= (light + 0.05) / 0.05 ? '#ffffff' : '#10262a';
}

/** Whether the price of a card that already stood has just changed; it is marked for a moment by CSS. */
function useFresh(item: Option): boolean {
  const first = useRef(item.price?.paise);
  return first.current !== item.price?.paise && words(item.price) !== '—';
}
