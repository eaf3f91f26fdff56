/** Offers to go on with what was begun in this browser. It is put in by the browser, below the page: nothing moves. */
import { useEffect, useRef, useState } from 'react';
import { client } from '../api/client';
import type { JourneySummary } from '../contract/api';
import { safeUrl } from '../routes';
import { hasBegun } from '../site/begun';
import { date } from '../ui/format';
import { Icon } from '../ui/icon';
import { t } from '../ui/words';
import { useClear } from './use-clear';

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
  const ref = useRef<HTMLElement>(null);
  useClear(ref, found !== undefined);
  if (!found) return null;
  const over = found.status !== 'active';
  return (
    <aside className="begun" ref={ref} aria-label={t('begun_aside')}>
      <p>
        <strong>{found.title}</strong>
        <span>{t(over ? 'bought_on' : 'begun_on', { date: date(found.updated_at) })}</span>
      </p>
      <a className="button small" data-style="solid" href={safeUrl(found.url)}>
        {t(over ? 'open_it' : 'go_on')}
      </a>
      <button type="button" className="icon-button" aria-label={t('close')} onClick={() => setFound(undefined)}>
        <Icon name="cross" small />
      </button>
    </aside>
  );
}
