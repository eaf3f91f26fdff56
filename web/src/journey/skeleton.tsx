/** The frame of a step by its kind alone: what stands there until the step can be drawn. It knows nothing of anybody. */
import type { StepKind } from '../contract/api';
import { t } from '../ui/words';

const ASKING = new Set<StepKind>(['form', 'choice', 'upload', 'review']);

export const Skeleton = ({ kind }: { kind: StepKind }) => (
  <div className="step" data-kind={kind} aria-busy="true">
    <SkeletonBody kind={kind} titled />
  </div>
);

/** What stands below a step's title, or with the place of the title above it. */
export function SkeletonBody({ kind, titled }: { kind: StepKind; titled?: boolean }) {
  return (
    <>
      <p className="sr" role="status">
        {t('loading')}
      </p>
      <div className="step-skeleton" aria-hidden="true">
        {titled && <span className="skeleton" data-size="title" />}
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
    </>
  );
}
