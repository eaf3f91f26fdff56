/** Check your answers: every answer with its way back to the question, then the one button. */
import type { ReactNode } from 'react';
import type { ReviewPart, ReviewSection } from '../api/types';
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
      {sections.map((section) => {
        const changeAt = (pointer?: string) =>
          section.changeable === false ? undefined : () => change(section.step, pointer);
        return (
          <Block key={`${section.step} ${section.title}`} kind="facts" title={section.title}>
            {section.rows.length > 0 && (
              <Facts
                items={section.rows.map((row) => ({ ...row, key: row.pointer, onChange: changeAt(row.pointer) }))}
              />
            )}
            {section.parts?.map((part) => (
              <Part key={part.pointer} part={part} onChange={changeAt(part.pointer)} />
            ))}
          </Block>
        );
      })}
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

/** One row of a list, changed as a whole. */
function Part({ part, onChange }: { part: ReviewPart; onChange?: () => void }) {
  return (
    <section className="facts-part" aria-label={part.title}>
      <header className="facts-part-head">
        <h3>{part.title}</h3>
        {onChange && (
          <Button look="link" onClick={onChange}>
            Change<span className="sr"> {part.title}</span>
          </Button>
        )}
      </header>
      <Facts items={part.rows.map((row) => ({ ...row, key: row.pointer }))} />
    </section>
  );
}
