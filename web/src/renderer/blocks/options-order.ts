/** The order of offers on the page. Pure, so that "cards do not jump" can be tested. */
import type { Option } from '../../api/types';

/** Those that stand keep their order; new ones come after them as they arrived; gone ones leave. */
export function arrange(standing: string[], offers: Pick<Option, 'id'>[]): string[] {
  const here = new Set(offers.map((offer) => offer.id));
  const kept = standing.filter((id) => here.has(id));
  const known = new Set(kept);
  return [...kept, ...offers.map((offer) => offer.id).filter((id) => !known.has(id))];
}

/** Smallest first by the figure that the server gives under this name; `price` falls back to the price. Ties keep their order. */
export function sortBy(offers: Option[], by: string): string[] {
  const figure = (offer: Option): number => offer.sort?.[by] ?? (by === 'price' ? offer.price?.paise : undefined) ?? Number.POSITIVE_INFINITY;
  return [...offers].sort((a, b) => figure(a) - figure(b) || 0).map((offer) => offer.id);
}

/** Facts of the compared offers as rows, those that differ first. */
export function comparison(offers: Option[]): { label: string; values: (Option['facts'] extends (infer F)[] | undefined ? F : never)[]; differs: boolean }[] {
  const labels = [...new Set(offers.flatMap((offer) => (offer.facts ?? []).map((fact) => fact.label)))];
  const rows = labels.map((label) => {
    const values = offers.map((offer) => offer.facts?.find((fact) => fact.label === label) ?? { label, value: null });
    return { label, values, differs: new Set(values.map((one) => JSON.stringify(one.value))).size > 1 };
  });
  return [...rows.filter((row) => row.differs), ...rows.filter((row) => !row.differs)];
}
