/** Offers side by side: price and button stay in sight, rows that differ come first. The chosen set stands in the address, to be shared. */
import { useEffect, useState } from 'react';
import type { Option } from '../../contract/blocks';
import { Dialog } from '../../ui/dialog';
import { useMedia } from '../../ui/media';
import { t } from '../../ui/words';
import { Shown } from '../value';
import { Logo } from './logo';
import { Price, Take } from './options-card';
import { comparison } from './options-order';

export interface Compared {
  chosen: Option[];
  max: number;
  full: boolean;
  open: boolean;
  setOpen: (open: boolean) => void;
  toggle: (id: string) => void;
  clear: () => void;
}

const HASH = '#compare=';

export function useCompared(offers: Option[], most: number): Compared {
  const max = Math.min(most, useMedia('(min-width: 48rem)') ? 4 : 3);
  const [ids, setIds] = useState<string[]>([]);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const shared = fromHash();
    setIds(shared);
    setOpen(shared.length > 1);
  }, []);
  const chosen = ids
    .map((id) => offers.find((offer) => offer.id === id))
    .filter((offer): offer is Option => offer !== undefined)
    .slice(0, max);
  const list = chosen.map((offer) => offer.id).join(',');
  useEffect(() => {
    const { hash, pathname, search } = window.location;
    if (list !== '' || hash.startsWith(HASH)) {
      if (list === '' && offers.length === 0) return; // the shared set waits for its offers
      window.history.replaceState(
        window.history.state,
        '',
        `${pathname}${search}${list === '' ? '' : `${HASH}${list.split(',').map(encodeURIComponent).join(',')}`}`,
      );
    }
  }, [list, offers.length]);
  return {
    chosen,
    max,
    full: chosen.length >= max,
    open,
    setOpen,
    toggle: (id) =>
      setIds(() =>
        chosen.some((one) => one.id === id)
          ? chosen.filter((one) => one.id !== id).map((one) => one.id)
          : [...chosen.map((one) => one.id), id],
      ),
    clear: () => setIds([]),
  };
}

function fromHash(): string[] {
  const hash = typeof window === 'undefined' ? '' : window.location.hash;
  try {
    return hash.startsWith(HASH)
      ? hash.slice(HASH.length).split(',').map(decodeURIComponent).filter(Boolean).slice(0, 4)
      : [];
  } catch {
    return [];
  }
}

export function Compare({
  items,
  onClose,
  onRemove,
}: {
  items: Option[];
  onClose: () => void;
  onRemove: (id: string) => void;
}) {
  const [onlyDifferent, setOnlyDifferent] = useState(false);
  const rows = comparison(items).filter((row) => row.differs || !onlyDifferent);
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
            {rows.map((row) => (
              <tr key={row.label} data-differs={row.differs || undefined}>
                <th scope="row">{row.label}</th>
                {row.values.map((fact, index) => (
                  <td key={index}>
                    <Shown value={fact.value} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Dialog>
  );
}
