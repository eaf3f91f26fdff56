import { type ReactNode, useLayoutEffect, useRef } from 'react';
import type { Problem } from '../api/open';
import { Button } from '../ui/button';
import { Notice } from '../ui/notice';
import { t } from '../ui/words';

/** It stands below the header as far as that stays in the window, however many lines it has. */
function Banner({ tone, children }: { tone?: 'warning'; children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const header = document.querySelector<HTMLElement>('.site-header');
    const place = () => {
      const stays = header && getComputedStyle(header).position === 'sticky';
      ref.current?.style.setProperty('top', `${stays ? header.offsetHeight : 0}px`);
    };
    place();
    const changes = new AbortController();
    for (const sign of ['scroll', 'resize']) addEventListener(sign, place, { passive: true, signal: changes.signal });
    return () => changes.abort();
  }, []);
  return (
    <div className="banner" role="status" data-tone={tone} ref={ref}>
      {children}
    </div>
  );
}

export function Offline({ saved }: { saved: boolean }) {
  return (
    <Banner>
      <p>
        <strong>{t('offline')}</strong> {saved ? t('offline_saved') : t('offline_kept')}
      </p>
    </Banner>
  );
}

/** No answer yet: with many tabs open a request may not even have left. */
export function StillWaiting() {
  return (
    <Banner>
      <p>
        <strong>{t('still_waiting')}</strong> {t('still_waiting_why')}
      </p>
    </Banner>
  );
}

/** The answer did not come: nothing is lost, the same event is sent again, once. */
export function Interrupted({ failure, onRetry }: { failure?: Problem; onRetry: () => void }) {
  return (
    <Banner tone="warning">
      <p>
        <strong>{failure?.code === 'unreachable' ? t('unreachable') : t('slow')}</strong> {t('trying_again')}
      </p>
      <Button onClick={onRetry}>{t('try_now')}</Button>
    </Banner>
  );
}

/** What a step is drawn with could not be fetched. It is asked for again by itself when the line is back. */
export function Missing({ onRetry }: { onRetry: () => void }) {
  return (
    <Notice tone="warning" live title={t('part_missing')}>
      <p>{t('part_missing_why')}</p>
      <Button onClick={onRetry}>{t('try_again')}</Button>
    </Notice>
  );
}
