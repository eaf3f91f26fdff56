/** The rows of a comparison, pure. */
import type { Value } from '../../api/open';
import type { Option, OptionsBlock } from '../../contract/blocks';
import { t } from '../../ui/words';

export interface Row {
  label: string;
  values: { label: string; value: Value | boolean }[];
  differs: boolean;
  /** a line of the prices */
  priced?: boolean;
}

/** What offers cover, then their facts, of each those that differ first; the lines of the prices come last. */
export function comparison(offers: Option[], covers: OptionsBlock['covers'] = []): Row[] {
  const line = (label: string, wanted: (offer: Option) => Value | boolean | undefined): Row => {
    const values = offers.map((offer) => ({ label, value: wanted(offer) ?? null }));
    return { label, values, differs: new Set(values.map((one) => JSON.stringify(one.value))).size > 1 };
  };
  const labels = [...new Set(offers.flatMap((offer) => (offer.facts ?? []).map((fact) => fact.label)))];
  const lines = offers.flatMap((offer) => offer.breakup ?? []).filter(({ kind }) => kind !== 'rounding');
  const words = (list: string[] | undefined): Value => (list && list.length > 0 ? list.join(', ') : null);
  const inOrder = (rows: Row[]): Row[] => {
    const said = rows.filter((one) => one.values.some(({ value }) => value !== null));
    return [...said.filter((one) => one.differs), ...said.filter((one) => !one.differs)];
  };
  const prices = [...new Set(lines.map((one) => one.label))];
  return [
    ...inOrder([
      line(t('limits'), (offer) => words(offer.limits)),
      ...covers.map(({ label }, at) => line(label, (offer) => offer.covers?.[at])),
    ]),
    ...inOrder([
      line(t('added'), (offer) => words(offer.tags)),
      ...labels.map((label) => line(label, (offer) => offer.facts?.find((fact) => fact.label === label)?.value)),
    ]),
    ...inOrder(
      prices.map((label) => ({
        ...line(label, (offer) => offer.breakup?.find((one) => one.label === label)?.value),
        priced: true,
      })),
    ),
  ];
}
