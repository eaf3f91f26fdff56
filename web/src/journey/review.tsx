/** Check your answers: every answer with its way back to the question, then the one button. */
import type { ReactNode } from 'react';
import type { ReviewSection } from '../contract/api';
import { Facts } from '../renderer/blocks/facts';
import { useActions } from '../renderer/context';
import { Block } from '../ui/block';
import { Button } from '../ui/button';
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
      {sections.map((section) => (
        <Block key={section.step} kind="facts" title={section.title}>
          <Facts
            items={section.rows.map((row) => ({
              ...row,
              key: row.pointer,
              onChange: section.changeable === false ? undefined : () => change(section.step, row.pointer),
            }))}
          />
        </Block>
      ))}
      {hasForm
        ? form
        : view.step.events.some((event) => event.type === 'submit') && (
            <div className="form-actions">
              <Button look="primary" busy={busy} onClick={() => onSubmit({})}>
                {submit}
              </Button>
            </div>
          )}
    </>
  );
}
