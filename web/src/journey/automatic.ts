/** A form with `ui:submit: change` sends itself a moment after a valid change, wherever it is drawn (a sheet may be closed meanwhile). */
import { useEffect, useRef } from 'react';
import type { Data } from '../api/open';
import type { FormView } from '../contract/api';
import { check } from '../renderer/form/check';
import { askedData, effectiveSchema } from '../renderer/form/effective';
import { normaliseData } from '../renderer/form/normalise';
import { equal } from '../ui/equal';

const PAUSE_MS = 600;

export const sendsItself = (form: FormView | null | undefined): boolean => form?.ui?.['ui:submit'] === 'change';

/** The answers as they would be sent, when nothing is missing or wrong. */
export function completeAnswers(form: FormView, data: Data, today: string): Data | undefined {
  const flat = effectiveSchema(form.schema, form.ui, data);
  const answers = askedData(flat, normaliseData(flat, data));
  return check(flat, answers, today).length === 0 ? answers : undefined;
}

export function useAutomatic(
  form: FormView | null | undefined,
  data: Data,
  today: string,
  busy: boolean,
  onSubmit: (answers: Data) => void,
) {
  const sent = useRef<Data>(undefined);
  const submit = useRef(onSubmit);
  submit.current = onSubmit;
  useEffect(() => {
    if (!form || !sendsItself(form) || busy || equal(form.data ?? {}, data) || equal(sent.current, data)) return;
    const soon = setTimeout(() => {
      const answers = completeAnswers(form, data, today);
      if (!answers) return;
      sent.current = data;
      submit.current(answers);
    }, PAUSE_MS);
    return () => clearTimeout(soon);
  }, [form, data, today, busy]);
}
