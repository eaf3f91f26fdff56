import type { Block as AnyBlock, TrackerBlock } from '../../contract/blocks';
import { Block } from '../../ui/block';
import { date } from '../../ui/format';
import { t } from '../../ui/words';

/** The chain of what happens now, where it stands, what comes next, under which reference. */
export function TrackerView({ title, steps, next, reference }: TrackerBlock) {
  return (
    <Block kind="tracker" title={title}>
      {reference && (
        <p className="tracker-reference">
          {reference.label} <strong>{reference.value}</strong>
        </p>
      )}
      <ol className="tracker">
        {steps.map((step, at) => (
          <li
            key={`${at} ${step.title}`}
            data-state={step.state}
            aria-current={step.state === 'current' ? 'step' : undefined}
          >
            <span className="tracker-mark" aria-hidden="true" />
            <div>
              <p className="tracker-title">
                {step.title} <span className="sr">{t(`state_${step.state}`)}</span>
              </p>
              {step.text && <p className="tracker-text">{step.text}</p>}
              {step.at && <p className="tracker-at">{date(step.at)}</p>}
            </div>
          </li>
        ))}
      </ol>
      {next && (
        <p className="tracker-next">
          <strong>{t('next_is')}</strong> {next.text}
        </p>
      )}
    </Block>
  );
}

export const example: AnyBlock = {
  block: 'tracker',
  title: 'Where it is',
  reference: { label: 'Tracking number', value: 'PA-12-3456' },
  steps: [
    { title: 'Collected', state: 'done', at: '2026-11-21T10:02:00Z' },
    { title: 'On the way', state: 'current', text: 'Between Salem and Madurai' },
    { title: 'Customs', state: 'failed', text: 'A paper is missing' },
    { title: 'Delivered', state: 'todo' },
  ],
  next: { text: 'The driver calls before coming.' },
};
