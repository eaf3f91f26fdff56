import { safeUrl } from '../routes';

/** The end of the way that is no end: what happened to the request and where to begin again. */
export function Ended({ reason, base }: { reason: 'expired' | 'gone'; base: string }) {
  return (
    <div className="step" data-kind="message">
      <header className="step-head">
        <h1 id="step-title" tabIndex={-1}>
          {reason === 'expired' ? 'This request has expired' : 'We cannot find this request'}
        </h1>
        <p className="lead">
          {reason === 'expired'
            ? 'It was not used for a long time, so we closed it to keep your details safe. Starting again takes a few minutes.'
            : 'It may belong to another device or person, or its address is incomplete. You can start a new one.'}
        </p>
      </header>
      <p>
        <a className="button" data-style="primary" href={safeUrl(base) ?? '/'}>
          Start again
        </a>
      </p>
    </div>
  );
}
