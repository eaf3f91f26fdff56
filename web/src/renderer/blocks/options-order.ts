/** Which offers stand on the page and in what order. Pure, so that "cards do not jump" can be tested. */
import type { Option, OptionsBlock } from '../../contract/blocks';
import { value } from '../../ui/format';
import { t } from '../../ui/words';

/**
 * The offers to draw. An offer that was there and is asked for again (its provider is `asked`, its card gone from the view) stays
 * where it stands, marked stale, until its provider has answered. Offers without a card before come as they are.
 */
export function standing(before: Option[], items: Option[]): Option[] {
  const answered = items.filter((item) => item.state === 'answered');
  const here = new Set(answered.map((item) => item.id));
  const asked = new Set(items.filter((item) => item.state === 'asked').map(providerOf));
  const kept = before
    .filter((item) => !here.has(item.id) && asked.has(providerOf(item)))
    .map((item) => ({ ...item, stale: true }));
  const known = new Set([...answered, ...kept].map(providerOf));
  const priced = items.filter(
    (item) => item.state === 'asked' && item.stale && item.price && !known.has(providerOf(item)),
  );
  return [...answered, ...kept, ...priced];
}

/** Cards that stand keep their places; a provider's new card takes the place of its old one; the rest come after, as they arrived. */
export function arrange(before: Option[], offers: Option[]): Option[] {
  const byId = new Map(offers.map((offer) => [offer.id, offer]));
  const isNew = (offer: Option) => !before.some((old) => old.id === offer.id);
  const out: Option[] = [];
  const placed = new Set<string>();
  const place = (offer: Option | undefined) => {
    if (!offer || placed.has(offer.id)) return;
    placed.add(offer.id);
    out.push(offer);
  };
  for (const old of before)
    place(
      byId.get(old.id) ??
        offers.find((offer) => providerOf(offer) === providerOf(old) && isNew(offer) && !placed.has(offer.id)),
    );
  for (const offer of offers) place(offer);
  return out;
}

/** Smallest first by the figure that the server gives under this name; `price` falls back to the price. Ties keep their order. */
export function sorted(offers: Option[], by: string): Option[] {
  const figure = (offer: Option): number => figureOf(offer, by);
  return [...offers].sort((a, b) => (figure(a) === figure(b) ? 0 : figure(a) - figure(b)));
}

/** The same of a list: what was asked for by name stands before all. */
export const ordered = (offers: Option[], by: string): Option[] =>
  sorted(offers, by).sort((a, b) => Number(b.first ?? false) - Number(a.first ?? false));

const figureOf = (offer: Option, by: string): number =>
  offer.sort?.[by] ?? (by === 'price' ? offer.price?.paise : undefined) ?? Number.POSITIVE_INFINITY;

export interface Section {
  /** of a list that the block names */
  id?: string;
  title?: string;
  offers: Option[];
}

/**
 * Like beside like: the lists that the block names, or the offers of the usual kind and then each other kind under its own words. The
 * order within stays, or is that of the lists that have one of their `own`.
 */
export function sections(
  offers: Option[],
  named: OptionsBlock['sections'] = [],
  own: Record<string, Option[]> = {},
): Section[] {
  if (named.length > 0)
    return named
      .map(({ id, title }) => ({
        id,
        title,
        offers: own[id]?.filter((offer) => offers.includes(offer)) ?? offers.filter((offer) => isIn(offer, id)),
      }))
      .filter((list) => list.offers.length > 0);
  const titles = [...new Set(offers.map((offer) => offer.section || undefined))];
  return titles
    .map((title) => ({ title, offers: offers.filter((offer) => (offer.section || undefined) === title) }))
    .sort((a, b) => Number(a.title !== undefined) - Number(b.title !== undefined));
}

const isIn = (offer: Option, list: string): boolean => offer.sections?.includes(list) ?? false;

/** The lists that go by a figure of their own, while nobody asks for another order; what stands is not moved unless it is `free`. */
export function ownLists(
  before: Record<string, Option[]>,
  offers: Option[],
  named: OptionsBlock['sections'] = [],
  free: boolean,
): Record<string, Option[]> {
  const lists = named.flatMap(({ id, sort }) => {
    const members = offers.filter((offer) => isIn(offer, id));
    return sort ? [[id, free ? ordered(members, sort) : arrange(before[id] ?? [], members)]] : [];
  });
  return Object.fromEntries(lists);
}

export interface Pick {
  title: string;
  offer: Option;
  /** by which figure, of how many, whose */
  why: string[];
}

export const LEAST_TO_PICK = 4;

/**
 * The best of the usual kind by each figure that wants it; none while there is little to choose from. Of several that are alike the
 * cheapest that has no other title; an offer that is the only best by two figures has both titles.
 */
export function picks(offers: Option[], sort: OptionsBlock['sort'] = []): Pick[] {
  const usual = sorted(
    offers.filter((offer) => !offer.section && offer.price),
    'price',
  );
  if (usual.length < LEAST_TO_PICK) return [];
  const out: Pick[] = [];
  for (const { id, pick, criterion } of sort) {
    if (!pick) continue;
    const best = Math.min(...usual.map((offer) => figureOf(offer, id)));
    if (!Number.isFinite(best)) continue;
    const alike = usual.filter((offer) => figureOf(offer, id) === best);
    const offer = alike.find((one) => !out.some((taken) => taken.offer.id === one.id)) ?? alike[0];
    if (!offer) continue;
    const why = reason(offer, id, providers(usual), alike, criterion);
    const taken = out.find((one) => one.offer.id === offer.id);
    if (taken) {
      taken.title += ` · ${pick}`;
      taken.why.push(...why);
    } else out.push({ title: pick, offer, why });
  }
  return out;
}

/** The criterion of a pick: the figure, its place, and where it comes from. */
function reason(offer: Option, id: string, all: number, alike: Option[], criterion: string | undefined): string[] {
  if (!criterion) return [];
  const fact = offer.facts?.find((one) => one.id === id);
  const n = providers(alike) - 1;
  const dearer = (one: Option) => one === offer || figureOf(one, 'price') > figureOf(offer, 'price');
  const stands = alike.every(dearer) ? 'first_alike' : 'first_tied';
  const place = n > 0 ? t(stands, { all, n }) : t('first_of', { all });
  return [[fact && `${fact.label}: ${value(fact.value)}`, place, criterion].filter(Boolean).join('. ')];
}

export interface Shared {
  facts: NonNullable<Option['facts']>;
  tags: string[];
}

/** Facts and tags that are the same on every card: said once above them instead of on each. */
export function shared(offers: Option[]): Shared {
  const [first, ...rest] = offers;
  if (!first || rest.length < 2) return { facts: [], tags: [] };
  const facts = (first.facts ?? []).filter((fact) =>
    rest.every((offer) =>
      offer.facts?.some((one) => one.label === fact.label && JSON.stringify(one.value) === JSON.stringify(fact.value)),
    ),
  );
  return { facts, tags: (first.tags ?? []).filter((tag) => rest.every((offer) => offer.tags?.includes(tag))) };
}

export const providerOf = (item: Option): string => item.provider.name;
export const providers = (items: Option[]): number => new Set(items.map(providerOf)).size;
