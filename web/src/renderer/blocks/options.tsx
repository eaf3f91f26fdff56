/**
 * Offers of several providers, arriving one by one. A card that stands keeps its place: offers are added below those that
 * were there before, in the order of their arrival, until the person sorts; later arrivals are announced, not pushed in between.
 */
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Option, OptionsBlock } from '../../api/types';
import { Button } from '../../ui/button';
import { money } from '../../ui/format';
import { useActions } from '../context';
import { BlockView } from '.';
import { Compare, useCompared } from './options-compare';
import { OptionCard } from './options-card';
import { arrange, sortBy } from './options-order';

export function OptionsView({ title, items, sort = [], empty, frequent, compare_max = 4 }: OptionsBlock) {
  const { say } = useActions();
  const quoted = items.filter((item) => item.state === 'quoted');
  const open = items.filter((item) => item.state === 'asked');
  const without = items.filter((item) => item.state === 'declined' || item.state === 'failed');
  const settled = open.length === 0;

  const [sorted, setSorted] = useState(sort[0]?.id);
  const order = useRef<string[]>([]);
  const started = useRef(false);
  const ids = useMemo(() => {
    // what is complete at first sight is shown sorted; what streams in is shown as it comes
    if (!started.current && settled && sorted) order.current = sortBy(quoted, sorted);
    started.current = true;
    order.current = arrange(order.current, quoted);
    return order.current;
  }, [quoted, settled, sorted]);
  const byId = new Map(quoted.map((item) => [item.id, item]));
  const cards = ids.map((id) => byId.get(id)).filter((item): item is Option => item !== undefined);

  const [, redraw] = useState(0);
  const resort = (by: string | undefined) => {
    setSorted(by);
    if (by) order.current = sortBy(quoted, by);
    redraw((count) => count + 1);
  };
  const outOfOrder = sorted !== undefined && cards.length > 1 && sortBy(quoted, sorted).some((id, index) => id !== ids[index]);

  useAnnounced(quoted, items.length, say);
  const compared = useCompared(cards, compare_max);
  const best = cards.reduce<Option | undefined>((low, item) => (item.price && (!low?.price || item.price.paise < low.price.paise) ? item : low), undefined);

  return (
    <section className="options" aria-label={title ?? 'Offers'}>
      <header className="options-head">
        <div className="options-status">
          {title && <h2>{title}</h2>}
          <p>
            {settled ? (
              <>
                <strong>{quoted.length}</strong> {quoted.length === 1 ? 'offer' : 'offers'}
                {best?.price && <> from {money(best.price.paise)}</>}
              </>
            ) : (
              <>
                <strong>{items.length - open.length}</strong> of {items.length} have answered
              </>
            )}
          </p>
          <progress className="options-progress" value={items.length - open.length} max={Math.max(1, items.length)} data-done={settled || undefined} aria-hidden="true" />
        </div>
        {sort.length > 0 && (
          <label className="options-sort">
            <span>Sort by</span>
            <span className="control select">
              <select className="input" value={sorted ?? ''} onChange={(event) => resort(event.target.value)}>
                {sort.map((by) => (
                  <option key={by.id} value={by.id}>
                    {by.label}
                  </option>
                ))}
              </select>
            </span>
          </label>
        )}
      </header>

      <ul className="options-list">
        {cards.map((item, index) => (
          <li key={item.id} id={`option-${item.id}`}>
            {index === 1 && frequent && <BlockView block={frequent} />}
            <OptionCard item={item} lowest={item.id === best?.id && cards.length > 1} compared={compared} />
          </li>
        ))}
        {!settled &&
          open.slice(0, cards.length === 0 ? 3 : 1).map((item) => (
            <li key={`waiting-${item.id}`} className="option option-waiting">
              <span className="skeleton" data-size="title" />
              <span className="skeleton" />
              <span className="sr">Waiting for {item.provider.name}</span>
            </li>
          ))}
        {settled && cards.length === 0 && (
          <li>
            <p className="options-empty">{empty ?? 'Nobody could make an offer for these answers.'}</p>
          </li>
        )}
      </ul>

      {open.length > 0 && (
        <p className="options-open">
          Still asking{' '}
          {open
            .slice(0, 6)
            .map((item) => item.provider.short ?? item.provider.name)
            .join(', ')}
          {open.length > 6 && ` and ${open.length - 6} more`}
        </p>
      )}
      {without.length > 0 && (
        <details className="options-without">
          <summary>
            {without.length} {without.length === 1 ? 'company' : 'companies'} without an offer
          </summary>
          <ul>
            {without.map((item) => (
              <li key={item.id} data-state={item.state}>
                <strong>{item.provider.name}</strong>
                <span>{item.reason ?? (item.state === 'failed' ? 'Did not answer this time' : 'Does not offer this')}</span>
              </li>
            ))}
          </ul>
        </details>
      )}

      {outOfOrder && (
        <div className="options-again" data-above={compared.chosen.length > 0 || undefined}>
          <button type="button" className="pill-button" onClick={() => resort(sorted)}>
            {settled ? 'Show in order' : 'New offers came in. Show in order'}
          </button>
        </div>
      )}
      {compared.chosen.length > 0 && (
        <div className="compare-bar" role="region" aria-label="Compare">
          <p>
            <strong>{compared.chosen.length}</strong> of {compared.max} chosen
          </p>
          <Button look="link" onClick={compared.clear}>
            Clear
          </Button>
          <Button look="primary" disabled={compared.chosen.length < 2} onClick={() => compared.chosen.length > 1 && compared.setOpen(true)}>
            Compare
          </Button>
        </div>
      )}
      {compared.open && compared.chosen.length > 1 && <Compare items={compared.chosen} onClose={() => compared.setOpen(false)} onRemove={compared.toggle} />}
    </section>
  );
}

/** Says once what came: the first offers, and a late one that beats the best so far. */
function useAnnounced(quoted: Option[], asked: number, say: (text: string) => void) {
  const best = useRef<number>(undefined);
  const count = useRef(quoted.length);
  useEffect(() => {
    const low = Math.min(...quoted.map((item) => item.price?.paise ?? Number.POSITIVE_INFINITY));
    if (quoted.length > count.current) {
      const better = best.current !== undefined && low < best.current;
      say(better ? `A lower price came in: ${money(low)}` : `${quoted.length} of ${asked} have made an offer`);
    }
    count.current = quoted.length;
    if (Number.isFinite(low)) best.current = low;
  }, [quoted, asked, say]);
}
