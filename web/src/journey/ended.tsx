import { safeUrl } from '../routes';
import { keepsCookies } from '../site/cookies';
import { t } from '../ui/words';

/** The end of the way that is no end: what happened to the request and where to begin again. */
export function Ended({ reason, base }: { reason: 'expired' | 'gone'; base: string }) {
  const isRefused = reason === 'gone' && !keepsCookies();
  return (
    <div className="step" data-kind="message">
      <header className="step-head">
        <h1 id="step-title" tabIndex={-1}>
          {t(reason)}
        </h1>
        <p className="lead">{t(isRefused ? 'cookies_needed' : `${reason}_why`)}</p>
      </header>
      {!isRefused && (
        <p>
          <a className="button" data-style="primary" href={safeUrl(base) ?? '/'}>
            {t('start_again')}
          </a>
        </p>
      )}
    </div>
  );
}
