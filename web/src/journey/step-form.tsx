/** The step's form with its button; without one when the form sends itself (see automatic.ts). */
import type { FormView } from '../contract/api';
import { parts } from '../renderer/parts';
import { Button } from '../ui/button';
import { t } from '../ui/words';
import type { StepPageProps } from './step-page';
import { sendsItself } from './views';

export function StepFormCard({
  form,
  data,
  problems,
  busy,
  bare,
  ...props
}: StepPageProps & { form: FormView; bare?: boolean }) {
  const { StepForm } = parts.form.here ?? {};
  const automatic = sendsItself(form);
  if (!StepForm) return null;
  const inner = (
    <>
      <StepForm
        form={form}
        data={data}
        problems={problems}
        action={props.within && props.view.journey.base}
        onChange={props.onType}
        onSubmit={(answers) => !busy && props.onSubmit(answers)}
      >
        {automatic ? (
          <p className="form-status" role="status">
            {busy ? t('updating') : ''}
          </p>
        ) : (
          <div className="form-actions">
            <Button type="submit" look="primary" busy={busy}>
              {form.submit}
            </Button>
          </div>
        )}
      </StepForm>
    </>
  );
  return bare ? inner : <div className="card step-card">{inner}</div>;
}
