/**
 * A form: drawn by RJSF with our templates and widgets, checked here. The parent owns the answers and sends them.
 * Errors show beside a field after it was left, and all of them after a submit, several with a summary above (R9-32); the server's
 * merge into the same.
 */
import Form from '@rjsf/core/lib/components/Form.js';
import type { ErrorSchema, RegistryFieldsType, RegistryWidgetsType, TemplatesType, ValidatorType } from '@rjsf/utils';
import {
  type ComponentProps,
  createContext,
  type FocusEvent,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { Data, Schema } from '../../api/open';
import type { FieldProblem, FormView } from '../../contract/api';
import { equal } from '../../ui/equal';
import { t } from '../../ui/words';
import { widgets as registry } from '../widgets';
import { afterPointer } from './after-pointer';
import { drawn } from './arrange';
import { answersOf, check, type FieldError } from './check';
import { FormData, RowNumbers, Unsent, type Waiting } from './context';
import { Field, ObjectFields } from './field';
import { ListField } from './list-field';
import { normalise } from './normalise';
import { changed, focusField, isMap, read, toPath } from './pointer';
import { rowSchema } from './rows';
import { ErrorSummary } from './summary';

interface Props {
  form: FormView;
  data: Data;
  /** errors of the last answer of the server; a new array is a new answer */
  problems?: FieldProblem[];
  onChange: (data: Data) => void;
  onSubmit: (data: Data) => void;
  children?: ReactNode;
  domId?: string;
  /** where it is sent before the scripts are there, when that is not this page */
  action?: string;
  method?: 'get' | 'post';
}

/** What is shown of an error. */
type Told = Pick<FieldError, 'pointer' | 'text'>;

/** So many errors have a summary; a single one has its field in focus and no more (R9-32). */
const SUMMARY_MIN = 2;
const NOTHING: FieldProblem[] = [];
const NO_ROWS: Record<string, number> = {};

export function StepForm({
  form,
  data,
  problems = NOTHING,
  onChange,
  onSubmit,
  children,
  domId = 'form',
  action,
  method = 'post',
}: Props) {
  const { schema } = form;
  const answers = useMemo(() => answersOf(schema, data), [schema, data]);
  const shape = useStable(useMemo(() => drawn(schema, answers), [schema, answers]));
  const [unsent, setUnsent] = useState<Waiting[]>([]);
  // the answers that were sent while files were on their way: they go when these have come
  const [wanted, setWanted] = useState<Data>();
  const errorsOf = useCallback(
    (given: Data): Told[] => [...check(schema, given).filter(isNone(unsent)), ...unsent],
    [schema, unsent],
  );
  const errors = useMemo(() => errorsOf(answers), [errorsOf, answers]);

  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const known = useRef(problems);
  const [refused, setRefused] = useState<{ problems: FieldProblem[]; data: Data; serial: number; summary: boolean }>({
    problems,
    data,
    serial: problems.length > 0 ? 1 : 0,
    summary: problems.length >= SUMMARY_MIN,
  });
  const latest = useRef(data);
  const told = useRef(new Set<string>());
  const edited = useRef(new Set<string>());
  const waiting = useRef(new Set<() => void>());
  useEffect(() => {
    const calls = waiting.current;
    return () => {
      for (const callOff of calls) callOff();
    };
  }, []);
  // an answer that changes from outside (cleared, corrected by the server) is as good as untouched
  useEffect(() => {
    const moved = changed(latest.current, data);
    latest.current = data;
    if (moved.length === 0) return;
    for (const pointer of moved) edited.current.delete(pointer);
    setLeft((before) => new Set([...before].filter((pointer) => !isWithin(pointer, moved))));
  }, [data]);

  useEffect(() => {
    if (problems.length > 0 && problems !== known.current)
      setRefused((before) => ({
        problems,
        data: latest.current,
        serial: before.serial + 1,
        summary: problems.length >= SUMMARY_MIN,
      }));
    // what the server no longer says is settled
    else if (problems.length === 0 && known.current.length > 0) setRefused((before) => ({ ...before, problems }));
    known.current = problems;
  }, [problems]);

  const shown = useStable(useMemo(() => merge(errors, left, refused, data), [errors, left, refused, data]));
  const extraErrors = useMemo(() => toErrorSchema(shown), [shown]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus moves once a submit, not with each correction
  useEffect(() => {
    if (refused.serial > 0 && !refused.summary && shown[0]) focusField(shown[0].pointer);
  }, [refused.serial]);

  const change = (next: Data) => {
    const moved = changed(latest.current, next);
    if (moved.length === 0) return;
    latest.current = next;
    // whoever goes on answering sends it themselves
    if (moved.some((pointer) => !unsent.some((one) => one.comes && pointer.startsWith(one.pointer))))
      setWanted(undefined);
    for (const pointer of moved) edited.current.add(pointer);
    const displayed = new Set(shown.map((error) => error.pointer));
    setLeft(
      (before) =>
        new Set(
          [...before].filter(
            (pointer) => !isWithin(pointer, moved) || (moved.includes(pointer) && displayed.has(pointer)),
          ),
        ),
    );
    onChange(next);
  };

  /** Which field was filled, once and never what with, where the form `tells` of it (R5-43). */
  const tell = (pointer: string) => {
    const to = (schema as Schema)['x-ui']?.tells;
    if (!to || told.current.has(pointer)) return;
    told.current.add(pointer);
    const headers = { 'content-type': 'application/json', 'x-journey': '1' };
    void fetch(to, {
      method: 'POST',
      keepalive: true,
      headers,
      body: JSON.stringify({ field: pointer.slice(1) }),
    }).catch(() => undefined);
  };

  const blur = (event: FocusEvent) => {
    const field = (event.target as HTMLElement).closest?.<HTMLElement>('[data-pointer]');
    if (!field || (event.relatedTarget instanceof Node && field.contains(event.relatedTarget))) return;
    const pointer = field.dataset.pointer ?? '';
    const callOff = afterPointer(() => {
      waiting.current.delete(callOff);
      const tidied = tidy(schema, latest.current, pointer);
      if (tidied !== latest.current) {
        latest.current = tidied;
        onChange(tidied);
      }
      if (read(latest.current, pointer) !== undefined) tell(pointer);
      // an empty field that was only passed through is not an error yet; submit tells
      if (read(latest.current, pointer) !== undefined || edited.current.has(pointer))
        setLeft((before) => new Set([...before, pointer]));
    });
    waiting.current.add(callOff);
  };

  const submit = () => {
    const sent = answersOf(schema, latest.current);
    const found = errorsOf(sent);
    setLeft(new Set(found.map((error) => error.pointer)));
    setRefused((before) => ({
      problems: [],
      data: latest.current,
      serial: before.serial + (found.length > 0 ? 1 : 0),
      summary: found.length >= SUMMARY_MIN,
    }));
    const isComing = ({ pointer }: Told) => unsent.some((one) => one.comes && one.pointer === pointer);
    setWanted(found.length > 0 && found.every(isComing) ? latest.current : undefined);
    if (found.length === 0) onSubmit(sent);
  };
  const isOver = wanted !== undefined && !unsent.some((one) => one.comes);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the last of them is no longer on its way
  useEffect(() => {
    if (!isOver) return;
    setWanted(undefined);
    // a file that was cancelled or refused has not come
    if (changed(wanted, latest.current).length > 0) submit();
  }, [isOver]);

  return (
    <Unsent.Provider value={setUnsent}>
      <FormData.Provider value={data}>
        <RowNumbers.Provider value={form.rows ?? NO_ROWS}>
          {refused.summary && <ErrorSummary errors={shown} serial={refused.serial} />}
          <Leaving.Provider value={blur}>
            <Form
              className="form"
              tagName={FormElement}
              autoComplete="on"
              id={domId}
              method={method}
              action={action}
              idPrefix="f"
              idSeparator="-"
              nameGenerator={(path) => path.join('.')}
              schema={shape.schema}
              uiSchema={shape.ui}
              formData={data}
              validator={UNASKED}
              templates={TEMPLATES}
              widgets={registry as unknown as RegistryWidgetsType}
              fields={FIELDS}
              translateString={yesOrNo}
              extraErrors={extraErrors}
              noValidate
              noHtml5Validate
              showErrorList={false}
              experimental_defaultFormStateBehavior={DEFAULTS}
              onChange={({ formData }) => change(formData ?? {})}
              onSubmit={submit}
            >
              {children ?? <></>}
            </Form>
          </Leaving.Provider>
        </RowNumbers.Provider>
      </FormData.Provider>
    </Unsent.Provider>
  );
}

/** The `<form>` itself listens to fields being left, so that it needs no frame around it. */
const Leaving = createContext<(event: FocusEvent) => void>(() => undefined);
const FormElement = (props: ComponentProps<'form'>) => <form {...props} onBlur={useContext(Leaving)} />;

const TEMPLATES = {
  FieldTemplate: Field,
  ObjectFieldTemplate: ObjectFields,
  ...silent(),
} as unknown as Partial<TemplatesType>;
const FIELDS = { ArrayField: ListField } as unknown as RegistryFieldsType;
const DEFAULTS = {
  constAsDefaults: 'never',
  requiredBooleanDefault: 'skip',
  emptyObjectFields: 'skipDefaults',
} as const;

/** What RJSF says by itself: the answers of a boolean without titles. */
const yesOrNo = (words: string): string => (words === 'Yes' ? t('yes') : words === 'No' ? t('no') : words);

/** Field draws description, help and errors itself. */
function silent() {
  const nothing = () => null;
  return {
    DescriptionFieldTemplate: nothing,
    FieldHelpTemplate: nothing,
    FieldErrorTemplate: nothing,
    TitleFieldTemplate: nothing,
    ErrorListTemplate: nothing,
  };
}

/** The server's errors of values that were not touched since, and our own of fields that were left; one a field. */
function merge(
  errors: Told[],
  left: ReadonlySet<string>,
  refused: { problems: FieldProblem[]; data: Data },
  data: Data,
): Told[] {
  const theirs = refused.problems.filter((problem) =>
    equal(read(refused.data, problem.pointer), read(data, problem.pointer)),
  );
  const own = errors.filter(
    (error) => left.has(error.pointer) && !theirs.some((problem) => problem.pointer === error.pointer),
  );
  return [...theirs.map(({ pointer, text }) => ({ pointer, text })), ...own];
}

function toErrorSchema(errors: Told[]): ErrorSchema {
  const out: Record<string, unknown> = {};
  for (const { pointer, text } of errors) {
    let at = out;
    for (const part of toPath(pointer)) {
      at[part] ??= {};
      at = at[part] as Record<string, unknown>;
    }
    at.__errors = [text];
  }
  return out as ErrorSchema;
}

const isNone =
  (of: Told[]) =>
  (one: Told): boolean =>
    of.every(({ pointer }) => pointer !== one.pointer);

/** The answers with one text normalised: what leaving its field does. The same object when nothing changes. */
function tidy(schema: Schema, data: Data, pointer: string): Data {
  const path = toPath(pointer);
  const value = read(data, pointer);
  const rule = path.reduce<Schema | undefined>(
    (at, part) => at?.properties?.[part] ?? (at && rowSchema(at, Number(part))),
    schema,
  );
  if (typeof value !== 'string' || !rule?.['x-normalise']) return data;
  const text = normalise(rule['x-normalise'], value);
  return text === value ? data : (put(data, path, text === '' ? undefined : text) as Data);
}

function put(at: unknown, [first, ...rest]: string[], value: unknown): unknown {
  if (first === undefined) return value;
  if (Array.isArray(at)) return at.map((item, i) => (String(i) === first ? put(item, rest, value) : item));
  const map = isMap(at) ? at : {};
  return { ...map, [first]: put(map[first], rest, value) };
}

/** One of the places that changed, or inside of one: rows that moved took their errors with them. */
const isWithin = (pointer: string, moved: string[]): boolean =>
  moved.some((one) => pointer === one || pointer.startsWith(`${one}/`));

/** RJSF asks nothing of a validator here: errors are found by `check`, and what it draws has no alternatives. */
const UNASKED: ValidatorType = {
  isValid: () => true,
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  rawValidation: () => ({ errors: [] }),
};

/** Keeps the first of equal objects, so that RJSF sees a new schema only when something changed. */
function useStable<T>(value: T): T {
  const kept = useRef(value);
  if (!equal(kept.current, value)) kept.current = value;
  return kept.current;
}
