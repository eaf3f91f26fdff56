/** A page of the person who is logged in: what is hers, and a form about it. */
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { Data } from '../api/open';
import type { FieldProblem } from '../contract/api';
import { partsOf } from '../renderer/blocks';
import { type Actions, ActionsContext } from '../renderer/context';
import { StepForm } from '../renderer/form/form';
import { Button } from '../ui/button';
import { t } from '../ui/words';
import type { Own } from './boot';
import { Content } from './content';
import { greet, keep, keepName, post, type Refused } from './person';

/** Draws it once its parts are here. */
export async function draw(app: HTMLElement, own: Own): Promise<void> {
  await Promise.all(partsOf(own.blocks).map((part) => part.load()));
  createRoot(app).render(<OwnPage {...own} />);
  void greet(true);
}

function OwnPage({ asks, on = {}, ...content }: Own) {
  const [sending, setSending] = useState<Actions['sending']>();
  const [said, say] = useState('');
  const send = async (event: string, data: Data = {}) => {
    setSending({ event, data });
    say('');
    try {
      const { data: led } = await post<{ data?: { url?: string } }>(on[event] ?? '', data);
      if (led?.url) location.assign(led.url);
      else location.reload();
    } catch (refused) {
      say((refused as Refused).problem?.errors?.[0]?.text ?? t('went_wrong'));
      setSending(undefined);
    }
  };
  const actions: Actions = { send, sending, say, change: () => undefined, documentUrl: (document) => `#${document}` };
  return (
    <ActionsContext.Provider value={actions}>
      <Content {...content} />
      <p role="status">{said}</p>
      {asks && <OwnForm {...asks} />}
    </ActionsContext.Provider>
  );
}

function OwnForm({ form, to }: NonNullable<Own['asks']>) {
  const [data, setData] = useState<Data>(form.data);
  const [problems, setProblems] = useState<FieldProblem[]>([]);
  const [said, setSaid] = useState('');
  const [busy, setBusy] = useState(false);
  const save = async (answers: Data) => {
    setBusy(true);
    setSaid('');
    try {
      const { data: kept } = await post<{ data: { token?: string; firstName?: string; url?: string } }>(to, answers);
      if (kept.token) keep(kept.token, kept.firstName ?? '');
      else if (kept.firstName) keepName(kept.firstName);
      location.assign(kept.url ?? '/dashboard');
    } catch (refused) {
      const { problem } = refused as Refused;
      if (problem?.errors?.length) setProblems(problem.errors);
      else setSaid(t('went_wrong'));
      setBusy(false);
    }
  };
  return (
    <div className="page">
      <div className="card step-card own-form">
        <StepForm form={form} data={data} problems={problems} onChange={setData} onSubmit={save}>
          <div className="form-actions">
            <Button type="submit" look="primary" busy={busy}>
              {form.submit}
            </Button>
          </div>
          <p className="form-status" role="status">
            {said}
          </p>
        </StepForm>
      </div>
    </div>
  );
}
