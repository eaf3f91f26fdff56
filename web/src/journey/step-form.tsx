/** The step's form with its button; or, when the form says `ui:submit: change`, a form that sends itself a moment after a valid change. */
import { useEffect, useRef } from 'react';
import type { FormView } from '../api/types';
import { check } from '../renderer/form/check';
import { askedData, effectiveSchema } from '../renderer/form/effective';
import { StepForm } from '../renderer/form/form';
import { normaliseData } from '../renderer/form/normalise';
import { Button } from '../ui/button';
import { equal } from '../ui/equal';
import type { StepPageProps } from './step-page';

const AUTOMATIC_MS = 600;

export function StepFormCard({ form, data, problems, busy, today, bare, ...props }: StepPageProps & { form: FormView; today: string; bare?: boolean }) {
  const automatic = form.ui?.['ui:submit'] === 'change';
  useAutomatic(automatic, { form, data, today, busy, onSubmit: props.onSubmit });
  const inner = (
    <>
      {form.title && <h2 className="card-title">{form.title}</h2>}
      {form.intro && <p className="field-hint">{form.intro}</p>}
      <StepForm form={form} data={data} today={today} problems={problems} onChange={props.onType} onSubmit={(answers) => !busy && props.onSubmit(answers)}>
        {automatic ? (
          <p className="form-status" role="status">
            {busy ? 'Updating…' : ''}
          </p>
        ) : (
          <div className="form-actions">
            <Button type="submit" look="primary" busy={busy}>
              {form.submit ?? 'Continue'}
            </Button>
          </div>
        )}
      </StepForm>
    </>
  );
  return bare ? inner : <div className="card step-card">{inner}</div>;
}

/** Sends valid answers that differ from those last sent, once the person pauses. */
function useAutomatic(
  on: boolean,
  { form, data, today, busy, onSubmit }: Pick<StepPageProps, 'data' | 'busy' | 'onSubmit'> & { form: FormView; today: string },
) {
  const sent = useRef(form.data ?? {});
  const latest = useRef(onSubmit);
  latest.current = onSubmit;
  useEffect(() => {
    if (!on || busy || equal(sent.current, data)) return;
    const soon = setTimeout(() => {
      const flat = effectiveSchema(form.schema, form.ui, data);
      const answers = askedData(flat, normaliseData(flat, data));
      if (check(form, flat, answers, today).length > 0) return;
      sent.current = data;
      latest.current(answers);
    }, AUTOMATIC_MS);
    return () => clearTimeout(soon);
  }, [on, busy, data, form, today]);
}
