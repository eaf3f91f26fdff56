import { type ReactNode, useEffect, useState } from 'react';
import type { Action, ActionsBlock, Block } from '../../contract/blocks';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { equal } from '../../ui/equal';
import { t } from '../../ui/words';
import { useActions, useClock } from '../context';

/** Buttons that send an event; one that asks `confirm` first does so in a dialog. */
export function ActionsView({ title, items }: ActionsBlock) {
  const { send, sending } = useActions();
  const [asked, setAsked] = useState<Action>();
  const busy = (action: Action) => sending?.event === action.event && equal(sending.data ?? {}, action.data ?? {});
  if (items.length === 0) return null;
  return (
    <div className="actions">
      {title && <h2>{title}</h2>}
      {items.map((action) => (
        <Later key={`${action.event}-${action.label}`} after={action.after}>
          {(left) => (
            <Button
              look={action.style ?? 'secondary'}
              busy={busy(action)}
              disabled={left !== undefined}
              onClick={() =>
                left !== undefined ? undefined : action.confirm ? setAsked(action) : send(action.event, action.data)
              }
            >
              {action.label}
              {left !== undefined && <span className="figures"> {t('in_time', { time: left })}</span>}
            </Button>
          )}
        </Later>
      ))}
      {asked && (
        <Dialog
          title={asked.label}
          onClose={() => setAsked(undefined)}
          actions={
            <>
              <Button
                look={asked.style === 'danger' ? 'danger' : 'primary'}
                onClick={() => {
                  setAsked(undefined);
                  send(asked.event, asked.data);
                }}
              >
                {asked.label}
              </Button>
              <Button onClick={() => setAsked(undefined)}>{t('keep_as_is')}</Button>
            </>
          }
        >
          <p>{asked.confirm}</p>
        </Dialog>
      )}
    </div>
  );
}

/** Counts down to a moment; tells its child how long is left (`0:24`), nothing once it is over. */
function Later({ after, children }: { after?: string | null; children: (left: string | undefined) => ReactNode }) {
  const [left, setLeft] = useState(0);
  const now = useClock();
  useEffect(() => {
    const at = after ? Date.parse(after) : Number.NaN;
    if (Number.isNaN(at)) return setLeft(0);
    const look = () => setLeft(Math.max(0, Math.ceil((at - now()) / 1000)));
    look();
    const tick = setInterval(look, 1000);
    return () => clearInterval(tick);
  }, [after, now]);
  return children(left > 0 ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}` : undefined);
}

export const example: Block = {
  block: 'actions',
  items: [
    { label: 'Pay now', event: 'pay', style: 'primary' },
    { label: 'Ask for a call', event: 'call' },
    { label: 'Cancel', event: 'cancel', style: 'danger', confirm: 'The parcel stays with you.' },
    { label: 'Later', event: 'later', style: 'link' },
  ],
};
