/** Offers to go on with what was begun in this browser. It is put in by the browser, below the page: nothing moves. */
import { useEffect, useState } from 'react';
import { client } from '../api/client';
import type { JourneySummary } from '../contract/api';
import { safeUrl } from '../routes';
import { hasBegun } from '../site/begun';
import { date } from '../ui/format';
import { Icon } from '../ui/icon';

export function Begun({ workflow }: { workflow?: string }) {
  const [found, setFound] = useState<JourneySummary>();
  useEffect(() => {
    if (!hasBegun()) return;
    client.mine().then(
      (mine) =>
        setFound(
          mine.find((one) => ['active', 'done'].includes(one.status) && (!workflow || one.workflow === workflow)),
        ),
      () => {}, // without an answer there is nothing to offer
    );
  }, [workflow]);
  if (!found) return null;
  const over = found.status !== 'active';
  return (
    <aside className="begun" aria-label="What you have begun">
      <p>
        <strong>{found.title}</strong>
        <span>
          {over ? 'Bought' : 'Begun'} here, last on {date(found.updated_at)}
        </span>
      </p>
      <a className="button small" data-style="solid" href={safeUrl(found.url)}>
        {over ? 'Open it' : 'Go on'}
      </a>
      <button type="button" className="icon-button" aria-label="Close" onClick={() => setFound(undefined)}>
        <Icon name="cross" small />
      </button>
    </aside>
  );
}
