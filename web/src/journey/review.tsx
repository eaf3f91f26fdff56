/** Check your answers: every answer with its way back to the question, then the one button. */
import type { ReactNode } from 'react';
import type { ReviewSection } from '../api/types';
import { useActions } from '../renderer/context';
import { Shown } from '../renderer/value';
import { Button } from '../ui/button';
import { Card } from '../ui/card';
import type { StepPageProps } from './step-page';

interface Props extends Pick<StepPageProps, 'busy' | 'onSubmit' | 'view'> {
  sections: ReviewSection[];
  submit?: string;
  hasForm: boolean;
  form: ReactNode;
}

export function Review({ sections, submit, hasForm, form, busy, onSubmit, view }: Props) {
  const { change } = useActions();
  return (
    <>
      {sections.map((section) => (
        <Card key={section.step} className="facts-card" title={section.title}>
          <dl className="facts">
            {section.rows.map((row) => (
              <div className="fact" key={row.pointer ?? row.label}>
                <dt>{row.label}</dt>
                <dd>
                  <Shown value={row.value} />
                </dd>
                {section.changeable !== false && (
                  <dd className="fact-change">
                    <button type="button" className="link-button" onClick={() => change(section.step, row.pointer)}>
                      Change<span className="sr"> {row.label}</span>
                    </button>
                  </dd>
                )}
              </div>
            ))}
          </dl>
        </Card>
      ))}
      {hasForm
        ? form
        : view.step.events.some((event) => event.type === 'submit') && (
            <div className="form-actions">
              <Button look="primary" busy={busy} onClick={() => onSubmit({})}>
                {submit ?? 'Confirm and continue'}
              </Button>
            </div>
          )}
    </>
  );
}
