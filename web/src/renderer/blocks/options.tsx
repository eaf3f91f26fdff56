/**
 * Offers of several providers, arriving one by one. A card that stands keeps its place: offers are added below those that
 * were there before, in the order of their arrival, until the person sorts; later arrivals are announced, not pushed in between.
 */
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button';
import { money } from '../../ui/format';
import { useActions } from '../context';
import { BlockView } from '.';
import { OptionCard } from './options-card';
import { Compare, useCompared } from './options-compare';
import { arrange, providerOf, providers, sorted, standing } from './options-order';
import type { Option, OptionsBlock } from './types';

export function OptionsView({ title, items, sort = [], empty, frequent, compare_max = 4 }: OptionsBlock) {
  const { say } = useActions();
  const quoted = items.filter((item) => item.state === 'quoted');
  const open = items.filter((item) => item.state === 'asked');
  const without = items.filter((item) => item.state === 'declined' || item.state === 'failed');
  const settled = open.length === 0;
  const asked = providers(items);
  const answered = asked - providers(open);

  const [by, setBy] = useState(sort[0]?.id);
  const { cards, resort, outOfOrder } = useCards(items, by, settled);
  const best = cards.reduce<Option | undefined>(
    (low, item) => (item.price && (!low?.price || item.price.paise < low.price.paise) ? item : low),
    undefined,
  );
  const waiting = open.filter((item) => !cards.some((card) => providerOf(card) === providerOf(item)));

  useAnnounced(quoted, asked, say);
  const compared = useCompared(cards, compare_max);

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
                <strong>{answered}</strong> of {asked} have answered
              </>
            )}
          </p>
          <progress
            className="options-progress"
            value={answered}
            max={Math.max(1, asked)}
            data-done={settled || undefined}
            aria-hidden="true"
          />
        </div>
        {sort.length > 0 && (
          <label className="options-sort">
            <span>Sort by</span>
            <span className="control select">
              <select
                className="input"
                value={by ?? ''}
                onChange={(event) => {
                  setBy(event.target.value);
                  resort(event.target.value);
                }}
              >
                {sort.map((one) => (
                  <option key={one.id} value={one.id}>
                    {one.label}
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
            <OptionCard item={item} lowest={item.id === best?.id && cards.length > 1} compared={compared} />
            {index === 0 && frequent && <BlockView block={frequent} />}
          </li>
        ))}
        {!settled &&
          waiting.slice(0, cards.length === 0 ? 3 : 1).map((item) => (
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
            {providers(without)} {providers(without) === 1 ? 'company' : 'companies'} without an offer
          </summary>
          <ul>
            {without.map((item) => (
              <li key={item.id} data-state={item.state}>
                <strong>{item.provider.name}</strong>
                <span>
                  {item.reason ?? (item.state === 'failed' ? 'Did not answer this time' : 'Does not offer this')}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}

      {outOfOrder && (
        <div className="options-again" data-above={compared.chosen.length > 0 || undefined}>
          <button type="button" className="pill-button" onClick={() => resort(by)}>
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
          <Button
            look="primary"
            disabled={compared.chosen.length < 2}
            onClick={() => compared.chosen.length > 1 && compared.setOpen(true)}
          >
            Compare
          </Button>
        </div>
      )}
      {compared.open && compared.chosen.length > 1 && (
        <Compare items={compared.chosen} onClose={() => compared.setOpen(false)} onRemove={compared.toggle} />
      )}
    </section>
  );
}

/** The cards in their places. What is complete at first sight is shown sorted; what streams in is shown as it comes. */
function useCards(items: Option[], by: string | undefined, settled: boolean) {
  const cards = useRef<Option[]>([]);
  const seen = useRef<Option[]>(undefined);
  const [, redraw] = useState(0);
  if (seen.current !== items) {
    const shown = standing(cards.current, items);
    cards.current = seen.current === undefined && settled && by ? sorted(shown, by) : arrange(cards.current, shown);
    seen.current = items;
  }
  const now = cards.current;
  const steady = now.every((card) => !card.stale);
  return {
    cards: now,
    resort: (wanted: string | undefined) => {
      if (wanted) cards.current = sorted(now, wanted);
      redraw((count) => count + 1);
    },
    outOfOrder: by !== undefined && steady && sorted(now, by).some((card, index) => card.id !== now[index]?.id),
  };
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
