import type { Problem } from '../api/open';
import { Button } from '../ui/button';
import { Notice } from '../ui/notice';

export function Offline({ saved }: { saved: boolean }) {
  return (
    <div className="banner" role="status">
      <p>
        <strong>You are offline.</strong>{' '}
        {saved ? 'Your answers are saved.' : 'Your answers stay on this page and are saved when you are back.'}
      </p>
    </div>
  );
}

/** The answer did not come: nothing is lost, the same event is sent again, once. */
export function Interrupted({ failure, onRetry }: { failure?: Problem; onRetry: () => void }) {
  return (
    <div className="banner" role="status" data-tone="warning">
      <p>
        <strong>{failure?.code === 'unreachable' ? 'We could not reach our server.' : 'That took too long.'}</strong> We
        are trying again. Nothing is sent twice.
      </p>
      <Button onClick={onRetry}>Try now</Button>
    </div>
  );
}

export function Failure({ failure }: { failure: Problem }) {
  return (
    <Notice tone="error" live title="That did not work">
      <p>
        {failure.detail ??
          (failure.code === 'unreachable'
            ? 'We could not reach our server. Please try again.'
            : 'Please try again. Your answers are still here.')}
      </p>
    </Notice>
  );
}
