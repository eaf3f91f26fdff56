import type { Problem } from '../api/open';
import { Button } from '../ui/button';
import { Notice } from '../ui/notice';
import { t } from '../ui/words';

export function Offline({ saved }: { saved: boolean }) {
  return (
    <div className="banner" role="status">
      <p>
        <strong>{t('offline')}</strong> {saved ? t('offline_saved') : t('offline_kept')}
      </p>
    </div>
  );
}

/** The answer did not come: nothing is lost, the same event is sent again, once. */
export function Interrupted({ failure, onRetry }: { failure?: Problem; onRetry: () => void }) {
  return (
    <div className="banner" role="status" data-tone="warning">
      <p>
        <strong>{failure?.code === 'unreachable' ? t('unreachable') : t('slow')}</strong> {t('trying_again')}
      </p>
      <Button onClick={onRetry}>{t('try_now')}</Button>
    </div>
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
