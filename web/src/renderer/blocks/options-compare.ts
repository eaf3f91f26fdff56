/** Which offers were chosen to stand side by side; the set stands in the address, to be shared. */
import { useEffect, useState } from 'react';
import type { Option } from '../../contract/blocks';
import { useMedia } from '../../ui/media';

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
