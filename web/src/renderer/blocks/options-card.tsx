import { type ReactNode, useRef, useState } from 'react';
import type { Option, OptionsBlock } from '../../contract/blocks';
import { safeUrl } from '../../routes';
import { Button } from '../../ui/button';
import { equal } from '../../ui/equal';
import { money, value as words } from '../../ui/format';
import { t } from '../../ui/words';
import { useActions } from '../context';
import { Shown } from '../value';
import { BreakupLines } from './breakup';
import { CoverageView } from './coverage';
import { Logo } from './logo';
import type { Compared } from './options-compare';
import type { Pick, Shared } from './options-order';

/** One offer: who, what is in it, for how much, and the way to take it. */
export function OptionCard({
  item,
  lowest,
  same = { facts: [], tags: [] },
  covers = [],
  sample,
  compared,
}: {
  item: Option;
  covers?: OptionsBlock['covers'];
  sample?: string;
  lowest?: boolean;
  /** what is said once above the cards */
  same?: Shared;
  compared: Compared;
}) {
  const fresh = useFresh(item);
  const chosen = compared.chosen.some((one) => one.id === item.id);
  const facts = (item.facts ?? []).filter((fact) => !same.facts.some((one) => one.label === fact.label)).slice(0, 4);
  const tags = (item.tags ?? []).filter((tag) => !same.tags.includes(tag));
  return (
    <article
      className="option"
      data-stale={item.stale || undefined}
      data-fresh={fresh || undefined}
      aria-label={`${item.provider.name}${item.title ? `, ${item.title}` : ''}`}
    >
      {(item.badge || lowest || item.late || sample || Boolean(item.limits?.length)) && (
        <p className="option-badges">
          {lowest && (
            <span className="tag" data-tone="success">
              {t('lowest')}
            </span>
          )}
          {item.limits?.map((limit) => (
            <span key={limit} className="tag" data-tone="limit">
              {limit}
            </span>
          ))}
          {item.badge && (
            <span className="tag" data-tone="plain">
              {item.badge}
            </span>
          )}
          {item.late && (
            <span className="tag" data-tone="plain">
              {t('answered_late')}
            </span>
          )}
          {sample && (
            <span className="tag" data-tone="plain">
              {sample}
            </span>
          )}
        </p>
      )}
      <div className="option-who">
        <Logo provider={item.provider} />
        <div>
          <h3>{item.provider.name}</h3>
          {item.title && <p>{item.title}</p>}
        </div>
      </div>
      {facts.length > 0 && (
        <dl className="option-facts">
          {facts.map((fact) => (
            <div key={fact.label}>
              <dt>{fact.label}</dt>
              <dd>
                <Shown value={fact.value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {tags.length > 0 && (
        <ul className="option-tags">
          {tags.map((tag) => (
            <li key={tag}>{tag}</li>
          ))}
        </ul>
      )}
      <div className="option-price">
        <Price item={item} />
        <Take item={item} />
        {item.second && <Take item={item} action={item.second} look="link" />}
      </div>
      {item.notices?.map((notice) => (
        <p key={notice.text} className="option-notice" data-tone={notice.tone}>
          {notice.text}
        </p>
      ))}
      <div className="option-more">
        {covers.length > 0 && item.covers && (
          <Unfolding title={t('what_is_covered')}>
            {() => (
              <>
                <CoverageView
                  columns={[{ title: item.title ?? item.provider.name }]}
                  items={covers.map(({ label }, at) => ({ label, values: [item.covers?.[at] ?? false] }))}
                />
                <Papers item={item} />
              </>
            )}
          </Unfolding>
        )}
        {item.breakup && item.breakup.length > 0 && (
          <Unfolding title={t('breakup')}>{() => <BreakupLines lines={item.breakup ?? []} />}</Unfolding>
        )}
        <label className="option-compare">
          <input
            type="checkbox"
            checked={chosen}
            disabled={!chosen && compared.full}
            onChange={() => compared.toggle(item.id)}
          />
          {t('compare')}
          <span className="sr"> {item.provider.name}</span>
        </label>
      </div>
    </article>
  );
}

/** Drawn once somebody opens it, since most are never opened. */
function Unfolding({ title, children }: { title: string; children: () => ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="disclosure" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {open && children()}
    </details>
  );
}

/** What can be read of an offer; the offers stay open beside it. */
export const Papers = ({ item: { links = [], provider } }: { item: Option }) =>
  links.map(({ label, href }) => (
    <p key={href}>
      <a href={safeUrl(href)} target="_blank" rel="noopener">
        {label}
        <span className="sr"> {provider.name}</span>
      </a>
    </p>
  ));

/** One of the few above the list: why it is here, who, for how much. The first of them has the action of the page. */
export function PickCard({
  pick: { title, offer, why },
  sample,
  first,
}: {
  pick: Pick;
  sample?: string;
  first: boolean;
}) {
  const reasons = (offer.facts ?? []).slice(-2);
  return (
    <li className="pick">
      <p className="pick-head">{title}</p>
      {sample && (
        <span className="tag" data-tone="plain">
          {sample}
        </span>
      )}
      <div className="option-who">
        <Logo provider={offer.provider} />
        <div>
          <h3>{offer.provider.name}</h3>
        </div>
      </div>
      <dl className="option-facts">
        {reasons.map((fact) => (
          <div key={fact.label}>
            <dt>{fact.label}</dt>
            <dd>
              <Shown value={fact.value} />
            </dd>
          </div>
        ))}
      </dl>
      {why.map((one) => (
        <p key={one} className="pick-why">
          {one}
        </p>
      ))}
      <Price item={offer} />
      <Take item={offer} look={first ? 'primary' : 'secondary'} />
    </li>
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
          <span className="sr">{t('before')} </span>
          <s>{money(was.paise)}</s>
          <span className="sr">{t('now')}</span>
        </p>
      )}
      <p className="option-amount" translate="no">
        {money(price.paise)}
      </p>
      <small>{stale ? t('updating') : (item.price_note ?? '')}</small>
    </div>
  );
}

export function Take({
  item,
  action = item.action,
  look = 'secondary',
}: {
  item: Option;
  action?: Option['action'];
  look?: 'primary' | 'secondary' | 'link';
}) {
  const { send, sending } = useActions();
  if (!action) return null;
  const busy = sending?.event === action.event && equal(sending.data ?? {}, action.data ?? {});
  return (
    <Button
      look={look}
      busy={busy}
      disabled={item.stale}
      onClick={({ currentTarget }) => {
        if (item.stale) return;
        if (action === item.action) send(action.event, action.data, shownPrice(currentTarget, item));
        else send(action.event, action.data);
      }}
    >
      {action.label ?? t('choose')}
      <span className="sr">
        {' '}
        {item.provider.name} {item.price ? money(item.price.paise) : ''}
      </span>
    </Button>
  );
}

/**
 * The price in paise that stands beside a button: what the page says counts, whoever has changed it since it was drawn. From then
 * on ours stands there again.
 */
function shownPrice(button: HTMLElement, { price }: Option): number | undefined {
  const amount = button.closest('.option, .pick, th')?.querySelector('.option-amount');
  const figure = /₹\s*([\d,]+(?:\.\d\d)?)/.exec(amount?.textContent ?? '')?.[1];
  if (!amount || !price || !figure) return price?.paise;
  const paise = Math.round(Number(figure.replaceAll(',', '')) * 100);
  if (paise !== price.paise) amount.textContent = money(price.paise);
  return paise;
}

/** Whether the price of a card that already stood has just changed; it is marked for a moment by CSS. */
function useFresh(item: Option): boolean {
  const first = useRef(item.price?.paise);
  return first.current !== item.price?.paise && words(item.price) !== '—';
}
