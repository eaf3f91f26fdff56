/** Which offers stand on the page and in what order. Pure, so that "cards do not jump" can be tested. */
import type { Value } from '../../api/open';
import type { Option, OptionsBlock } from '../../contract/blocks';
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
 * order within stays.
 */
export function sections(offers: Option[], named: OptionsBlock['sections'] = []): Section[] {
  if (named.length > 0)
    return named
      .map(({ id, title }) => ({ id, title, offers: offers.filter((offer) => offer.sections?.includes(id)) }))
      .filter((list) => list.offers.length > 0);
  const titles = [...new Set(offers.map((offer) => offer.section || undefined))];
  return titles
    .map((title) => ({ title, offers: offers.filter((offer) => (offer.section || undefined) === title) }))
    .sort((a, b) => Number(a.title !== undefined) - Number(b.title !== undefined));
}

export interface Pick {
  title: string;
  offer: Option;
}

export const LEAST_TO_PICK = 4;

/** The best of the usual kind by each figure that wants it, another offer each time; none while there is little to choose from. */
export function picks(offers: Option[], sort: OptionsBlock['sort'] = []): Pick[] {
  const usual = offers.filter((offer) => !offer.section && offer.price);
  if (usual.length < LEAST_TO_PICK) return [];
  const out: Pick[] = [];
  for (const { id, pick } of sort) {
    // by the same figure the cheaper one is better
    const offer =
      pick && sorted(sorted(usual, 'price'), id).find((one) => !out.some((taken) => taken.offer.id === one.id));
    if (offer) out.push({ title: pick, offer });
  }
  return out;
}

export interface Row {
  label: string;
  values: { label: string; value: Value }[];
  differs: boolean;
}

/** Facts of the compared offers as rows, those that differ first; limits before all, then the lines of the prices. */
export function comparison(offers: Option[]): Row[] {
  const line = (label: string, wanted: (offer: Option) => Value | undefined): Row => {
    const values = offers.map((offer) => ({ label, value: wanted(offer) ?? null }));
    return { label, values, differs: new Set(values.map((one) => JSON.stringify(one.value))).size > 1 };
  };
  const labels = [...new Set(offers.flatMap((offer) => (offer.facts ?? []).map((fact) => fact.label)))];
  const prices = [...new Set(offers.flatMap((offer) => (offer.breakup ?? []).map((one) => one.label)))];
  const words = (list: string[] | undefined): Value => (list && list.length > 0 ? list.join(', ') : null);
  const all = [
    line(t('limits'), (offer) => words(offer.limits)),
    line(t('added'), (offer) => words(offer.tags)),
    ...labels.map((label) => line(label, (offer) => offer.facts?.find((fact) => fact.label === label)?.value)),
    ...prices.map((label) => line(label, (offer) => offer.breakup?.find((one) => one.label === label)?.value)),
  ].filter((one) => one.values.some(({ value }) => value !== null));
  return [...all.filter((one) => one.differs), ...all.filter((one) => !one.differs)];
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
