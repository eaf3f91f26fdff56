/** The frame of a step by its kind alone: what stands on the page until the step is drawn. It knows nothing of anybody. */
import type { StepKind } from '../contract/api';

const ASKING = new Set<StepKind>(['form', 'choice', 'upload', 'review']);

export function Skeleton({ kind }: { kind: StepKind }) {
  return (
    <div className="step" data-kind={kind} aria-busy="true">
      <p className="sr" role="status">
        Loading…
      </p>
      <div className="step-skeleton" aria-hidden="true">
        <span className="skeleton" data-size="title" />
        {kind === 'comparison' ? (
          [1, 2, 3].map((card) => (
            <div className="card" key={card}>
              <span className="skeleton" data-size="title" />
              <span className="skeleton" />
            </div>
          ))
        ) : (
          <div className="card step-card">
            {(ASKING.has(kind) ? [1, 2, 3] : [1]).map((line) => (
              <div key={line}>
                <span className="skeleton" />
                <span className="skeleton" data-size="control" />
              </div>
            ))}
          </div>
        )}
      </div>
    </div>
  );
}
