/**
 * Offers of several providers, arriving one by one. They stand in the order that was asked for until somebody reads, scrolls or
 * presses: from then on a card keeps its place, later arrivals come below, and one button puts all in order again. What the
 * sort says is therefore always true. Offers of another kind have a list of their own.
 */
import { startTransition, useEffect, useRef, useState } from 'react';
import type { Block, Option, OptionsBlock } from '../../contract/blocks';
import { Button } from '../../ui/button';
import { money } from '../../ui/format';
import { Icon } from '../../ui/icon';
import { useDrawn } from '../../ui/media';
import { said } from '../../ui/said';
import { t } from '../../ui/words';
import { useActions, useClock } from '../context';
import type { Part } from '../part';
import { parts } from '../parts';
import { Shown } from '../value';
import { BlockView } from '.';
import { OptionCard, PickCard } from './options-card';
import { useCompared } from './options-compare';
import { headingOf, useLists, useNarrowed } from './options-narrow';
import {
  arrange,
  LEAST_TO_PICK,
  ordered,
  ownLists,
  type Pick,
  picks,
  providerOf,
  providers,
  type Section,
  type Shared,
  sections,
  shared,
  standing,
} from './options-order';
import { time } from './time';

export function OptionsView({
  title,
  items,
  sort = [],
  empty,
  slow,
  frequent,
  sections: named,
  sections_as,
  filters,
  compare_max = 4,
  compare,
  valid_until,
  renew,
  covers,
  sample,
}: OptionsBlock) {
  const { say, send } = useActions();
  const now = useClock();
  const offers = items.filter((item) => item.state === 'answered');
  const open = items.filter((item) => item.state === 'asked');
  const without = items.filter((item) => item.state === 'declined' || item.state === 'failed');
  const settled = open.length === 0;
  const asked = providers(items);
  const answered = asked - providers(open);

  const [by, setBy] = useState(sort[0]?.id);
  const { cards, own, chosen: picked, resort, outOfOrder } = useCards(items, by, sort, named);
  const { left, bar, none } = useNarrowed(cards, filters);
  const lists = sections(left, named, own);
  const { shown, ways } = useLists(lists, sections_as);
  // a card that stands in several lists says the same in each
  const everywhere = named ? shared(left) : undefined;
  const best = cheapest(named ? left : (lists[0]?.offers ?? []));
  const waiting = open.filter((item) => !cards.some((card) => providerOf(card) === providerOf(item)));

  // their room is kept until there is enough to pick from: nothing below them moves when they come
  const picking = picked.length === 0 && !settled && !slow && asked >= LEAST_TO_PICK;
  const wanted = picking ? sort.flatMap(({ pick }): Wanted[] => (pick ? [{ title: pick, why: [] }] : [])) : picked;

  useAnnounced(offers, best?.price?.paise ?? Number.POSITIVE_INFINITY, asked, say);
  useRenewed(valid_until, settled ? renew?.event : undefined);
  const compared = useCompared(cards, compare_max);
  const Compare = useLater(parts.compare, compared.chosen.length > 0)?.Compare;
  const nobody = settled && cards.length === 0;

  return (
    <section className="options" aria-label={title ?? t('offers')}>
      <header className="options-head" hidden={nobody}>
        <div className="options-status">
          <p className="options-from">
            {best?.price
              ? said('offers_from', { price: <strong>{money(best.price.paise)}</strong>, n: offers.length })
              : t('offers_count', { n: offers.length })}
          </p>
          {!settled && <p className="options-asked">{slow || counting(open, answered, asked)}</p>}
          <progress
            className="options-progress"
            value={answered}
            max={Math.max(1, asked)}
            data-done={settled || Boolean(slow) || undefined}
            aria-hidden="true"
          />
        </div>
        {valid_until && offers.length > 0 && (
          <p className="tag">
            <Icon name="clock" small />
            {t('held_till', { time: time(valid_until, now()) })}
          </p>
        )}
      </header>

      {wanted.length > 0 && (
        <>
          <h2 className="options-title">{t(wanted.length === 3 ? 'three_picks' : 'picks')}</h2>
          <ul className="picks" tabIndex={0} aria-label={t('picks')}>
            {wanted.map(({ title, offer, why }, index) =>
              offer ? (
                <PickCard key={title} pick={{ title, offer, why }} sample={sample} first={index === 0} />
              ) : (
                <li key={title} className="pick">
                  <p className="pick-head">{title}</p>
                  <span className="skeleton" data-size="title" />
                </li>
              ),
            )}
          </ul>
        </>
      )}

      <div className="options-bar" hidden={nobody}>
        <h2 className="options-title">{title ?? t('offers')}</h2>
        {sort.length > 0 && (
          <label className="options-sort">
            <span className="sr">{t('sort_by')}</span>
            <span className="control select">
              <select
                className="input"
                value={outOfOrder ? '' : (by ?? '')}
                onChange={(event) => {
                  const wanted = event.target.value || by;
                  setBy(wanted);
                  resort(wanted);
                }}
              >
                {outOfOrder && <option value="">{t('as_they_came')}</option>}
                {sort.map((one) => (
                  <option key={one.id} value={one.id}>
                    {one.label}
                  </option>
                ))}
              </select>
            </span>
          </label>
        )}
        {bar}
      </div>

      {ways}
      {none}
      {everywhere && <Same same={everywhere} />}
      {shown.map((list, at) => (
        <OptionList
          key={list.id ?? list.title ?? ''}
          list={list}
          best={at === 0 && list.offers.length > 1 ? best : undefined}
          compared={compared}
          covers={covers}
          sample={sample}
          everywhere={everywhere}
          first={shown.length > 1 && everywhere ? FIRST_CARDS : undefined}
          after={at === 0 && frequent ? <BlockView block={frequent} /> : undefined}
        />
      ))}
      {waiting.length > 0 && (!slow || cards.length === 0) && (
        <ul className="options-list">
          {waiting.slice(0, cards.length === 0 ? 3 : 1).map((item) => (
            <li key={`waiting-${item.id}`}>
              <div className="option option-waiting">
                <div>
                  <h3>{item.provider.name}</h3>
                  <p className="options-asked">{t('still_counting')}</p>
                </div>
                <span className="skeleton" data-size="title" />
              </div>
            </li>
          ))}
        </ul>
      )}
      {nobody && <p className="options-empty">{empty ?? t('nobody_offers')}</p>}

      {without.length > 0 && (
        <details className="options-without">
          <summary>{t('without_offer', { n: providers(without) })}</summary>
          <ul>
            {without.map((item) => (
              <li key={item.id} data-state={item.state}>
                <strong>{item.provider.name}</strong>
                <span>{item.reason ?? (item.state === 'failed' ? t('did_not_answer') : t('does_not_offer'))}</span>
              </li>
            ))}
          </ul>
        </details>
      )}

      {outOfOrder && <Again settled={settled} above={compared.chosen.length > 0} onSort={() => resort(by)} />}
      {compared.chosen.length > 0 && (
        <div className="compare-bar" role="region" aria-label={t('compare')}>
          <p>{said('chosen_of', { n: <strong>{compared.chosen.length}</strong>, all: compared.max })}</p>
          <Button look="link" onClick={compared.clear}>
            {t('clear')}
          </Button>
          <Button
            look="solid"
            disabled={compared.chosen.length < 2}
            onClick={() => {
              const chosen = compared.chosen.map((offer) => offer.id);
              if (chosen.length < 2) return;
              if (compare) send(compare.event, { ...compare.data, chosen });
              else compared.setOpen(true);
            }}
          >
            {t('compare')}
          </Button>
        </div>
      )}
      {Compare && compared.open && compared.chosen.length > 1 && (
        <Compare
          items={compared.chosen}
          covers={covers}
          onClose={() => compared.setOpen(false)}
          onRemove={compared.toggle}
        />
      )}
    </section>
  );
}

/** A part that comes as soon as it may be wanted. */
function useLater<Module>(part: Part<Module>, wanted: boolean): Module | undefined {
  const [, redraw] = useState(false);
  useEffect(() => {
    if (wanted && !part.here)
      part.load().then(
        () => redraw(true),
        () => undefined,
      );
  }, [part, wanted]);
  return part.here;
}

/** A pick, or the place of one that is still to come. */
type Wanted = Omit<Pick, 'offer'> & { offer?: Option };

/** Of each of several lists that share their cards. */
const FIRST_CARDS = 3;

/** So many cards are drawn in one go. */
const PIECE = 4;

/** How many cards are drawn by now: a long list holds nobody's finger up. What the server draws is whole. */
function useInPieces(all: number): number {
  const whole = useDrawn();
  const [count, setCount] = useState(whole ? Number.POSITIVE_INFINITY : 0);
  useEffect(() => {
    const next = count + PIECE;
    if (count < all) startTransition(() => setCount(next < all ? next : Number.POSITIVE_INFINITY));
  }, [count, all]);
  return count;
}

function OptionList({
  list,
  best,
  compared,
  covers,
  sample,
  everywhere,
  first,
  after,
}: {
  list: Section;
  best?: Option;
  compared: ReturnType<typeof useCompared>;
  covers: OptionsBlock['covers'];
  sample?: string;
  /** what was said once above all lists */
  everywhere?: Shared;
  /** how many cards stand there until all are asked for */
  first?: number;
  after?: React.ReactNode;
}) {
  const { id, title, offers } = list;
  const [whole, setWhole] = useState(false);
  // one more is shown at once: a button in its place would save nothing
  const folds = first !== undefined && offers.length > first + 1;
  const shown = folds && !whole ? offers.slice(0, first) : offers;
  const drawn = useInPieces(shown.length);
  const same = everywhere ?? shared(offers);
  if (offers.length === 0) return null;
  return (
    <div className="options-group">
      {title && (
        <h2 className="options-title" id={id && headingOf(list)} tabIndex={id ? -1 : undefined}>
          {title}
        </h2>
      )}
      {!everywhere && <Same same={same} />}
      <ul className="options-list" aria-label={title}>
        {shown.map((item, index) => (
          <li key={item.id} id={`option-${id ? `${id}-` : ''}${item.id}`}>
            {index < drawn && (
              <OptionCard
                item={item}
                lowest={item.id === best?.id}
                same={same}
                covers={covers}
                sample={sample}
                compared={compared}
              />
            )}
            {index === 0 && after}
          </li>
        ))}
      </ul>
      {folds && (
        <button type="button" className="button small" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? t('short_list') : t('whole_list', { n: offers.length })}
          <span className="sr"> {title}</span>
        </button>
      )}
    </div>
  );
}

/** What all cards have, said once. */
const Same = ({ same: { facts, tags } }: { same: Shared }) =>
  facts.length + tags.length > 0 && (
    <p className="options-same">
      {t('all_of_them')}{' '}
      {facts.map((fact, index) => (
        <span key={fact.label}>
          {index > 0 && ' · '}
          {fact.label}{' '}
          <strong>
            <Shown value={fact.value} />
          </strong>
        </span>
      ))}
      {facts.length > 0 && tags.length > 0 && ' · '}
      {tags.map((tag) => `+ ${tag}`).join(' · ')}
    </p>
  );

/** Says below the person's place that there is an order to go back to; it can be sent away. */
function Again({ settled, above, onSort }: { settled: boolean; above: boolean; onSort: () => void }) {
  const [gone, setGone] = useState(false);
  if (gone) return null;
  return (
    <div className="options-again" data-above={above || undefined}>
      <div className="options-pill">
        <button type="button" onClick={onSort}>
          {t(settled ? 'in_order' : 'new_in_order')}
        </button>
        <button type="button" aria-label={t('leave_order')} onClick={() => setGone(true)}>
          <Icon name="cross" small />
        </button>
      </div>
    </div>
  );
}

const cheapest = (offers: Option[]): Option | undefined =>
  offers.reduce<Option | undefined>(
    (low, item) => (item.price && (!low?.price || item.price.paise < low.price.paise) ? item : low),
    undefined,
  );

function counting(open: Option[], n: number, all: number): string {
  const names = [...new Set(open.map((item) => item.provider.short ?? item.provider.name))];
  if (names.length > 3) return t('counting_many', { n, all, open: names.length });
  const last = names.at(-1) ?? '';
  const said = names.length > 1 ? t('and', { names: names.slice(0, -1).join(', '), last }) : last;
  return t('counting', { n, all, names: said, open: names.length });
}

/** The cards in their places: in order as long as nobody has touched the page, then each where it stands. */
function useCards(
  items: Option[],
  by: string | undefined,
  sort: OptionsBlock['sort'],
  named: OptionsBlock['sections'],
) {
  const touched = useTouched();
  const cards = useRef<Option[]>([]);
  const own = useRef<Record<string, Option[]>>({});
  const chosen = useRef<ReturnType<typeof picks>>([]);
  const seen = useRef<Option[]>(undefined);
  const [, redraw] = useState(0);
  if (seen.current !== items) {
    const shown = standing(cards.current, items);
    const free = by !== undefined && !touched.current;
    cards.current = free ? ordered(shown, by) : arrange(cards.current, shown);
    own.current = by === sort?.[0]?.id ? ownLists(own.current, cards.current, named, free) : {};
    // a pick that somebody may be about to press is only made new, not exchanged
    const still = chosen.current.map((pick) => ({
      ...pick,
      offer: cards.current.find((card) => card.id === pick.offer.id),
    }));
    chosen.current =
      !free && still.length > 0 && still.every(({ offer }) => offer)
        ? still.map((pick) => ({ ...pick, offer: pick.offer! }))
        : picks(cards.current, sort);
    seen.current = items;
  }
  const now = cards.current;
  const steady = now.every((card) => !card.stale);
  return {
    cards: now,
    own: own.current,
    chosen: chosen.current,
    resort: (wanted: string | undefined) => {
      if (wanted) cards.current = ordered(now, wanted);
      own.current = wanted === sort?.[0]?.id ? ownLists({}, now, named, true) : {};
      chosen.current = picks(cards.current, sort);
      redraw((count) => count + 1);
    },
    outOfOrder:
      by !== undefined &&
      steady &&
      sections(now).some(({ offers }) => ordered(offers, by).some((card, index) => card.id !== offers[index]?.id)),
  };
}

const SIGNS = ['pointerdown', 'keydown', 'wheel', 'touchmove', 'scroll'] as const;
/** so far down from the highest place: the page being put at its top, smoothly even, is no reading yet */
const SCROLLED_PX = 80;

/** Whether somebody has begun to read: from then on nothing may move under a finger. */
function useTouched() {
  const touched = useRef(false);
  useEffect(() => {
    // asked at the start, it would have the page laid out once more
    let top = Number.POSITIVE_INFINITY;
    const note = (event: Event) => {
      top = Math.min(top, window.scrollY);
      touched.current ||= event.type !== 'scroll' || window.scrollY > top + SCROLLED_PX;
    };
    for (const sign of SIGNS) window.addEventListener(sign, note, { passive: true });
    return () => {
      for (const sign of SIGNS) window.removeEventListener(sign, note);
    };
  }, []);
  return touched;
}

/** When the prices have run out while somebody looks at them, they are asked for again by themselves, once. */
function useRenewed(until: string | null | undefined, event: string | undefined) {
  const { send } = useActions();
  const now = useClock();
  const latest = useRef(send);
  latest.current = send;
  useEffect(() => {
    const at = until ? Date.parse(until) : Number.NaN;
    if (!event || Number.isNaN(at)) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      if (document.visibilityState === 'hidden') return;
      const left = at - now();
      if (left > 0) timer = setTimeout(look, Math.min(left + 500, 60_000));
      else {
        stop();
        latest.current(event);
      }
    };
    const stop = () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    };
    document.addEventListener('visibilitychange', look);
    look();
    return stop;
  }, [until, event, now]);
}

/** so long nothing came: what came until then is one sentence */
const QUIET_MS = 1_500;

/** Says what came: the first offers at once, all that follow when no more come for a moment, and that one is lower than what was said. */
function useAnnounced(offers: Option[], low: number, asked: number, say: (text: string) => void) {
  const told = useRef({ count: offers.length, low: Number.POSITIVE_INFINITY });
  useEffect(() => {
    const before = told.current;
    if (offers.length <= before.count) {
      told.current = { count: offers.length, low };
      return;
    }
    const tell = () => {
      const better = low < before.low && Number.isFinite(before.low);
      const came = t('made_offer', { n: providers(offers), all: asked });
      say(better ? `${came}. ${t('lower_came', { price: money(low) })}` : came);
      told.current = { count: offers.length, low };
    };
    if (before.count === 0) return tell();
    const soon = setTimeout(tell, QUIET_MS);
    return () => clearTimeout(soon);
  }, [offers, low, asked, say]);
}

export const example: Block = {
  block: 'options',
  title: 'Offers',
  sort: [{ id: 'price', label: 'Price' }],
  sections: [
    { id: 'door', title: 'To the door' },
    { id: 'shop', title: 'To a shop near you' },
  ],
  sections_as: 'tabs',
  filters: [{ id: 'speed', label: 'Speed' }],
  items: [
    {
      id: 'swift.1',
      provider: { name: 'Swift Couriers', short: 'Swift', colour: '#8a1c1c' },
      state: 'answered',
      title: 'By air',
      price: { paise: 340_00 },
      was: { paise: 360_00 },
      price_note: 'with GST',
      badge: 'Fastest',
      sections: ['door', 'shop'],
      choices: { speed: 'Two days' },
      facts: [{ label: 'Delivered in', value: '2 days' }],
      tags: ['Photo on delivery'],
      notices: [{ tone: 'info', text: 'No collection on Sundays' }],
      breakup: [{ label: 'Total', kind: 'total', value: { paise: 340_00 } }],
      action: { event: 'select', data: { courier: 'swift' }, label: 'Choose' },
      second: { event: 'look', data: { courier: 'swift' }, label: 'What is covered' },
    },
    {
      id: 'steady.1',
      provider: { name: 'Steady Couriers' },
      state: 'answered',
      price: { paise: 120_00 },
      sections: ['door'],
      choices: { speed: 'A week' },
    },
    { id: 'slow.1', provider: { name: 'Slow Couriers' }, state: 'asked' },
    { id: 'none.1', provider: { name: 'Hill Couriers' }, state: 'declined', reason: 'Does not go to the islands' },
  ],
};
