/** Check your answers: few folded groups, each said in a line and with one way back; the one button stays in reach. */
import { Fragment, type ReactNode, useEffect, useState } from 'react';
import type { ReviewRow, ReviewSection } from '../contract/api';
import { Facts } from '../renderer/blocks/facts';
import { useActions } from '../renderer/context';
import { Button } from '../ui/button';
import { value as words } from '../ui/format';
import { Icon } from '../ui/icon';
import { t } from '../ui/words';
import type { StepPageProps } from './step-page';

interface Props extends Pick<StepPageProps, 'busy' | 'onSubmit' | 'timers' | 'view'> {
  sections: ReviewSection[];
  submit: string;
  hasForm: boolean;
  form: ReactNode;
}

export function Review({ sections, submit, hasForm, form, busy, onSubmit, timers, view }: Props) {
  const { change } = useActions();
  // what was checked is sent a moment after the press (R9-53): a second press of the same hand is none
  const [isPressed, setPressed] = useState(false);
  useEffect(() => {
    if (!isPressed) return;
    const timer = setTimeout(() => {
      setPressed(false);
      onSubmit({});
    }, timers?.checked);
    return () => clearTimeout(timer);
  }, [isPressed, onSubmit, timers]);
  return (
    <>
      <div className="review">
        {sections.map(({ title, step, changeable, rows, parts = [] }) => (
          <Fragment key={`${step} ${title}`}>
            {parts.length > 0 && <h2 className="review-list">{title}</h2>}
            {[...(rows.length > 0 ? [{ title, rows, pointer: undefined }] : []), ...parts].map((part) => (
              <Group key={part.pointer ?? ''} {...part} onChange={changeable && (() => change(step, part.pointer))} />
            ))}
          </Fragment>
        ))}
      </div>
      {hasForm
        ? form
        : view.step.events.some((event) => event.type === 'submit') && (
            <div className="form-actions stays">
              <Button look="primary" busy={busy || isPressed} onClick={() => setPressed(true)}>
                <Icon name="lock" small />
                {submit}
              </Button>
            </div>
          )}
    </>
  );
}

interface GroupProps {
  title: string;
  rows: ReviewRow[];
  onChange: false | (() => void);
}

/** What says something without its question; where nothing does, the questions with a yes, or that all was denied. */
function said(rows: ReviewRow[]): string {
  const telling = named(rows.filter((row) => typeof row.value !== 'boolean' && words(row.value) !== '—'));
  if (telling.length > 0)
    return telling
      .slice(0, 4)
      .map((row) => words(row.value))
      .join(' · ');
  const denied = rows.filter((row) => row.value === false);
  if (denied.length > 1 && denied.length === rows.length) return t('no_to_all', { n: denied.length });
  return rows
    .filter((row) => row.value === true || rows.length === 1)
    .map((row) => `${row.label} ${words(row.value)}`)
    .join(' · ');
}

const NAME = ['honorific-prefix', 'given-name', 'additional-name', 'family-name'];

/** The parts of a name are one name, in the order in which it is said. */
function named(rows: ReviewRow[]): ReviewRow[] {
  const parts = NAME.flatMap((part) => rows.filter((row) => row.autocomplete === part));
  const first = rows.find((row) => parts.includes(row));
  const whole = parts.map((row) => words(row.value)).join(' ');
  return rows.flatMap((row) => (row === first ? [{ ...row, value: whole }] : parts.includes(row) ? [] : [row]));
}

function Group({ title, rows, onChange }: GroupProps) {
  return (
    <div className="review-group">
      <details>
        <summary>
          <span>
            <span className="review-title">{title}</span>
            <span className="review-line">{said(rows)}</span>
          </span>
        </summary>
        <Facts items={rows.map((row) => ({ ...row, key: row.pointer }))} />
      </details>
      {onChange && (
        <button type="button" className="link-button review-edit" onClick={onChange}>
          {t('change')}
          <span className="sr"> {title}</span>
        </button>
      )}
    </div>
  );
}
