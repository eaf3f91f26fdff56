/** Check your answers: few folded groups, each said in a line and with one way back; the one button stays in reach. */
import type { ReactNode } from 'react';
import type { ReviewSection } from '../contract/api';
import { Facts } from '../renderer/blocks/facts';
import { useActions } from '../renderer/context';
import { Button } from '../ui/button';
import { value as words } from '../ui/format';
import { Icon } from '../ui/icon';
import type { StepPageProps } from './step-page';

interface Props extends Pick<StepPageProps, 'busy' | 'onSubmit' | 'view'> {
  sections: ReviewSection[];
  submit: string;
  hasForm: boolean;
  form: ReactNode;
}

export function Review({ sections, submit, hasForm, form, busy, onSubmit, view }: Props) {
  const { change } = useActions();
  return (
    <>
      <div className="review">
        {sections.map((section) => (
          <div className="review-group" key={section.step}>
            <details>
              <summary>
                <span>
                  <span className="review-title">{section.title}</span>
                  <span className="review-line">
                    {section.rows
                      .slice(0, 4)
                      .map((row) => words(row.value))
                      .join(' · ')}
                  </span>
                </span>
              </summary>
              <Facts items={section.rows.map((row) => ({ ...row, key: row.pointer }))} />
            </details>
            {section.changeable !== false && (
              <button type="button" className="link-button review-edit" onClick={() => change(section.step)}>
                Change<span className="sr"> {section.title}</span>
              </button>
            )}
          </div>
        ))}
      </div>
      {hasForm
        ? form
        : view.step.events.some((event) => event.type === 'submit') && (
            <div className="form-actions stays">
              <Button look="primary" busy={busy} onClick={() => onSubmit({})}>
                <Icon name="lock" small />
                {submit}
              </Button>
            </div>
          )}
    </>
  );
}
