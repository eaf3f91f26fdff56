import { useState } from 'react';
import type { Action, ActionsBlock, Block } from '../../api/types';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { equal } from '../../ui/equal';
import { useActions } from '../context';

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
        <Button
          key={`${action.event}-${action.label}`}
          look={action.style ?? 'secondary'}
          busy={busy(action)}
          onClick={() => (action.confirm ? setAsked(action) : send(action.event, action.data))}
        >
          {action.label}
        </Button>
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
              <Button onClick={() => setAsked(undefined)}>Keep as it is</Button>
            </>
          }
        >
          <p>{asked.confirm}</p>
        </Dialog>
      )}
    </div>
  );
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
