/** A form whose answers stand in the page's address: what follows from them is asked for while somebody types. */
import { useEffect, useRef, useState } from 'react';
import { hydrateRoot } from 'react-dom/client';
import type { Data } from '../api/open';
import type { FieldProblem, FormView } from '../contract/api';
import type { Block, CalculatorBlock } from '../contract/blocks';
import { partsOfForm } from '../journey/parts';
import { Blocks, partsOf } from '../renderer/blocks';
import { check } from '../renderer/form/check';
import { StepForm } from '../renderer/form/form';
import { Button } from '../ui/button';
import { t } from '../ui/words';

/** So long after the last change the page asks. */
const PAUSE_MS = 300;

interface Answer {
  results: Block[];
  errors: FieldProblem[];
}

/** Takes over what the server has drawn. */
export async function start(block: CalculatorBlock): Promise<void> {
  const element = document.querySelector<HTMLElement>('.calculator');
  if (!element) return;
  const form = block.form as unknown as FormView;
  await Promise.all([...partsOf(block.results), ...partsOfForm(form.schema)].map((part) => part.load()));
  hydrateRoot(element, <Calculator {...block} />);
}

export function Calculator({ form: given, results: first, errors: wrong, to = '', submit }: CalculatorBlock) {
  const form = given as unknown as FormView;
  const [data, setData] = useState<Data>(form.data);
  const [{ results, errors }, setAnswer] = useState<Answer>({
    results: first,
    errors: (wrong ?? []) as FieldProblem[],
  });
  const [state, setState] = useState<'here' | 'asking' | 'failed'>('here');
  const asked = useRef(queryOf(form.data));
  const [serial, setSerial] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `serial` asks once more what failed
  useEffect(() => {
    const query = queryOf(data);
    if ((query === asked.current && state !== 'failed') || check(form.schema, data).length > 0) return;
    const call = new AbortController();
    const timer = setTimeout(async () => {
      setState('asking');
      try {
        const reply = await fetch(`${to}?${query}`, {
          headers: { accept: 'application/json' },
          signal: call.signal,
        });
        if (!reply.ok) throw new Error(`${reply.status}`);
        const answer = (await reply.json()) as Answer;
        await Promise.all(partsOf(answer.results).map((part) => part.load()));
        if (call.signal.aborted) return;
        asked.current = query;
        history.replaceState(history.state, '', `${to}?${query}${location.hash}`);
        setAnswer(answer);
        setState('here');
      } catch {
        if (!call.signal.aborted) setState('failed');
      }
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      call.abort();
    };
  }, [data, form.schema, to, serial]);

  const isOld = state !== 'here' || queryOf(data) !== asked.current;
  return (
    <div className="calculator-in">
      <StepForm
        form={form}
        data={data}
        problems={errors}
        onChange={setData}
        onSubmit={() => setSerial((count) => count + 1)}
        action={to}
        method="get"
      >
        <div className="form-actions">
          <Button type="submit" look="secondary">
            {submit}
          </Button>
        </div>
      </StepForm>
      <div
        className="calculator-results"
        aria-live="polite"
        aria-busy={state === 'asking'}
        data-old={isOld || undefined}
      >
        {state === 'failed' && <p role="alert">{t('went_wrong')}</p>}
        <Blocks blocks={results} />
      </div>
    </div>
  );
}

/** Answers as an address has them: single values, in the order of their names. */
const queryOf = (data: Data): string =>
  Object.entries(data)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map((pair) => pair.map((part) => encodeURIComponent(String(part))).join('='))
    .join('&');
