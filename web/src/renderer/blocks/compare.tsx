/** Offers side by side: price and button stay in sight, what is covered comes first, how the prices are made up is folded. */
import { useState } from 'react';
import type { Option, OptionsBlock } from '../../contract/blocks';
import { Dialog } from '../../ui/dialog';
import { t } from '../../ui/words';
import { Shown } from '../value';
import { comparison, type Row } from './comparison';
import { YesNo } from './coverage';
import { Logo } from './logo';
import { Papers, Price, Take } from './options-card';

export function Compare({
  items,
  covers,
  onClose,
  onRemove,
}: {
  items: Option[];
  covers: OptionsBlock['covers'];
  onClose: () => void;
  onRemove: (id: string) => void;
}) {
  const [onlyDifferent, setOnlyDifferent] = useState(false);
  const [priced, setPriced] = useState(false);
  const rows = comparison(items, covers).filter((row) => row.differs || !onlyDifferent);
  const prices = rows.filter((row) => row.priced);
  return (
    <Dialog title={t('compare_offers', { n: items.length })} wide onClose={onClose}>
      <label className="option-compare compare-only">
        <input type="checkbox" checked={onlyDifferent} onChange={(event) => setOnlyDifferent(event.target.checked)} />
        {t('only_different')}
      </label>
      <div className="compare-frame" tabIndex={0} role="region" aria-label={t('comparison')}>
        <table className="compare" data-count={items.length}>
          <thead>
            <tr>
              <td />
              {items.map((item) => (
                <th key={item.id} scope="col">
                  <Logo provider={item.provider} />
                  <span className="compare-name">{item.provider.name}</span>
                  {item.title && <small>{item.title}</small>}
                  <Price item={item} />
                  <Take item={item} />
                  {items.length > 2 && (
                    <button type="button" className="link-button" onClick={() => onRemove(item.id)}>
                      {t('remove')}
                      <span className="sr"> {item.provider.name}</span>
                    </button>
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.filter((row) => !row.priced).map(compared)}
            {items.some((item) => item.links) && (
              <tr>
                <th scope="row">{t('papers')}</th>
                {items.map((item) => (
                  <td key={item.id}>
                    <Papers item={item} />
                  </td>
                ))}
              </tr>
            )}
            {prices.length > 0 && (
              <tr>
                <th scope="row" colSpan={items.length + 1}>
                  <button
                    type="button"
                    className="link-button"
                    aria-expanded={priced}
                    onClick={() => setPriced(!priced)}
                  >
                    {t('breakup')}
                  </button>
                </th>
              </tr>
            )}
            {priced && prices.map(compared)}
          </tbody>
        </table>
      </div>
    </Dialog>
  );
}

const compared = (row: Row) => (
  <tr key={row.label} data-differs={row.differs || undefined}>
    <th scope="row">{row.label}</th>
    {row.values.map(({ value }, index) => (
      <td key={index}>{typeof value === 'boolean' ? <YesNo yes={value} /> : <Shown value={value} />}</td>
    ))}
  </tr>
);
