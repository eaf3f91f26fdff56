/** Which offers stand on the page and in what order. Pure, so that "cards do not jump" can be tested. */
import type { Option } from './types';

/**
 * The offers to draw. An offer that was there and is asked for again (its provider is `asked`, its card gone from the view) stays
 * where it stands, marked stale, until its provider has answered. Offers without a card before come as they are.
 */
export function standing(before: Option[], items: Option[]): Option[] {
  const quoted = items.filter((item) => item.state === 'quoted');
  const here = new Set(quoted.map((item) => item.id));
  const asked = new Set(items.filter((item) => item.state === 'asked').map(providerOf));
  const kept = before
    .filter((item) => !here.has(item.id) && asked.has(providerOf(item)))
    .map((item) => ({ ...item, stale: true }));
  const known = new Set([...quoted, ...kept].map(providerOf));
  const priced = items.filter(
    (item) => item.state === 'asked' && item.stale && item.price && !known.has(providerOf(item)),
  );
  return [...quoted, ...kept, ...priced];
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
  const figure = (offer: Option): number =>
    offer.sort?.[by] ?? (by === 'price' ? offer.price?.paise : undefined) ?? Number.POSITIVE_INFINITY;
  return [...offers].sort((a, b) => (figure(a) === figure(b) ? 0 : figure(a) - figure(b)));
}

/** Facts of the compared offers as rows, those that differ first. */
export function comparison(
  offers: Option[],
): { label: string; values: NonNullable<Option['facts']>; differs: boolean }[] {
  const labels = [...new Set(offers.flatMap((offer) => (offer.facts ?? []).map((fact) => fact.label)))];
  const rows = labels.map((label) => {
    const values = offers.map((offer) => offer.facts?.find((fact) => fact.label === label) ?? { label, value: null });
    return { label, values, differs: new Set(values.map((one) => JSON.stringify(one.value))).size > 1 };
  });
  return [...rows.filter((row) => row.differs), ...rows.filter((row) => !row.differs)];
}

export const providerOf = (item: Option): string => item.provider.name;
export const providers = (items: Option[]): number => new Set(items.map(providerOf)).size;
