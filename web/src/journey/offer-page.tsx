/** Offers beside the answers that they depend on: a column on a desk, a sheet behind a bar on a phone. */
import { type ReactNode, useState } from 'react';
import type { Data } from '../api/open';
import type { Block } from '../contract/blocks';
import { Blocks } from '../renderer/blocks';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { useMedia, WIDE } from '../ui/media';
import { t } from '../ui/words';

export function OfferPage({ blocks, form }: { blocks: Block[]; form: ReactNode; submit?: string; data: Data }) {
  const wide = useMedia(WIDE);
  const [open, setOpen] = useState(false);
  const rest = blocks.filter((block) => block.block !== 'form');
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
              {t('show_offers')}
            </Button>
          }
        >
          {form}
        </Dialog>
      )}
    </div>
  );
}
