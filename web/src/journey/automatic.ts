/** A form with `submit: change` in its `x-ui` sends itself a moment after a valid change, wherever it is drawn (a sheet may be closed meanwhile). */
import { useEffect, useRef } from 'react';
import type { Data } from '../api/open';
import type { FormView } from '../contract/api';
import { parts } from '../renderer/parts';
import { equal } from '../ui/equal';
import { sendsItself } from './views';

const PAUSE_MS = 600;

export function useAutomatic(
  form: FormView | null | undefined,
  data: Data,
  busy: boolean,
  onSubmit: (answers: Data) => void,
) {
  const sent = useRef<Data>(undefined);
  const submit = useRef(onSubmit);
  submit.current = onSubmit;
  useEffect(() => {
    if (!form || !sendsItself(form) || busy || equal(form.data ?? {}, data) || equal(sent.current, data)) return;
    const soon = setTimeout(() => {
      const answers = parts.form.here?.completeAnswers(form.schema, data);
      if (!answers) return;
      sent.current = data;
      submit.current(answers);
    }, PAUSE_MS);
    return () => clearTimeout(soon);
  }, [form, data, busy]);
}
