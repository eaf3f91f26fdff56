/** Offers beside the answers that they depend on: a column on a desk, a sheet behind a bar on a phone. */
import { type ReactNode, useState } from 'react';
import type { Block } from '../contract/blocks';
import { Blocks } from '../renderer/blocks';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { money } from '../ui/format';
import { useMedia, WIDE } from '../ui/media';
import { t } from '../ui/words';
import { useScreenOn } from './screen-on';

export function OfferPage({ blocks, form, screenMs }: { blocks: Block[]; form: ReactNode; screenMs?: number }) {
  useScreenOn(screenMs);
  const wide = useMedia(WIDE);
  const [open, setOpen] = useState(false);
  const rest = blocks.filter((block) => block.block !== 'form');
  const from = lowest(rest);
  if (!form) {
    return (
      <div className="step-body">
        <Blocks blocks={rest} />
      </div>
    );
  }
  return (
    <div className="step-body offers" data-wide={wide || undefined}>
      {wide ? (
        <aside className="offers-side" aria-label={t('your_choices')}>
          {form}
        </aside>
      ) : (
        <div className="offers-bar">
          <Button onClick={() => setOpen(true)} aria-haspopup="dialog">
            <span className="tune" aria-hidden="true" />
            {t('change_choices')}
          </Button>
        </div>
      )}
      <div className="offers-main">
        <Blocks blocks={rest} />
      </div>
      {!wide && open && (
        <Dialog
          title={t('your_choices')}
          onClose={() => setOpen(false)}
          actions={
            <Button look="primary" onClick={() => setOpen(false)}>
              {from === undefined ? t('show_offers') : t('show_offers_from', { price: money(from) })}
            </Button>
          }
        >
          {form}
        </Dialog>
      )}
    </div>
  );
}

/** Paise of the cheapest offer so far: what a choice does to the price is seen where it is made. */
function lowest(blocks: Block[]): number | undefined {
  const offers = blocks.flatMap((block) => (block.block === 'options' ? block.items : []));
  const prices = offers.flatMap(({ state, section, price }) =>
    state === 'answered' && !section && price ? price.paise : [],
  );
  return prices.length > 0 ? Math.min(...prices) : undefined;
}
