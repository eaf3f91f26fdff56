/** Lists: of plain values, where a widget draws the whole of it, and of objects, drawn row by row. */
import { type FieldProps, optionsList, toFieldPathId, type WidgetProps } from '@rjsf/utils';
import { type ComponentType, useContext, useRef } from 'react';
import type { Data, Schema } from '../../api/open';
import { Button } from '../../ui/button';
import { t } from '../../ui/words';
import { fieldsOf } from './answers';
import type { Row } from './arrange';
import { RowNumbers } from './context';
import { fieldId, toPointer } from './pointer';
import { rowNumber } from './rows';

export function ListField(props: FieldProps) {
  return props.uiSchema?.['ui:options']?.rows ? <Rows {...props} /> : <Values {...props} />;
}

function Values(props: FieldProps) {
  const {
    schema,
    uiSchema,
    fieldPathId,
    formData,
    registry,
    name,
    required = false,
    disabled = false,
    readonly = false,
    rawErrors,
    onChange,
  } = props;
  const Widget = registry.widgets[String(uiSchema?.['ui:widget'] ?? 'checkboxes')] as ComponentType<WidgetProps>;
  const enumOptions = optionsList((schema.items ?? {}) as Schema, uiSchema);
  return (
    <Widget
      id={fieldPathId.$id}
      name={name}
      htmlName={fieldPathId.name}
      label={schema.title ?? name}
      schema={schema}
      uiSchema={uiSchema}
      options={{ ...(uiSchema?.['ui:options'] as object), enumOptions }}
      registry={registry}
      value={formData}
      required={required}
      disabled={disabled}
      readonly={readonly}
      rawErrors={rawErrors}
      onChange={(value) => onChange(value, fieldPathId.path)}
      onBlur={() => undefined}
      onFocus={() => undefined}
    />
  );
}

interface RowOptions {
  rows: Row[];
  /** rows that people add: what one holds, and how many there may be */
  added?: { schema: Schema; minItems?: number; maxItems?: number };
  add?: string;
  remove?: string;
  hint?: string;
}

function Rows(props: FieldProps) {
  const { schema, uiSchema, fieldPathId, formData, registry, name, errorSchema, rawErrors, onChange } = props;
  const { rows, added, add = 'Add', remove = 'Remove', hint } = uiSchema?.['ui:options'] as unknown as RowOptions;
  const SchemaField = registry.fields.SchemaField as ComponentType<FieldProps>;
  const data: Data[] = Array.isArray(formData) ? formData : [];
  const pointer = toPointer(fieldPathId.path);
  const id = fieldId(pointer);
  const list = useRef<HTMLFieldSetElement>(null);
  const nextKey = useNextKey(name, data);
  const error = rawErrors?.[0];

  const addRow = () => {
    if (!added) return;
    onChange([...data, { key: nextKey(), ...defaults(added.schema) }], fieldPathId.path);
    focusSoon(list, `[data-pointer="${pointer}/${data.length}"] :is(input, select, textarea)`);
  };
  const removeRow = (index: number) => {
    onChange(
      data.filter((_, i) => i !== index),
      fieldPathId.path,
    );
    focusSoon(list, '[data-add]');
  };
  return (
    <fieldset
      className="group rows"
      id={id}
      ref={list}
      data-pointer={pointer}
      data-invalid={error ? true : undefined}
      aria-describedby={[hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined}
    >
      {schema.title && <legend className="group-title">{schema.title}</legend>}
      {(hint ?? schema.description) && (
        <p className="field-hint" id={`${id}-hint`}>
          {hint ?? schema.description}
        </p>
      )}
      {rows.map((row, i) => (
        <div className="row" key={String(data[i]?.key ?? i)} data-pointer={`${pointer}/${i}`}>
          <SchemaField
            {...props}
            name={String(i)}
            required
            schema={row.schema}
            uiSchema={row.ui}
            formData={data[i] ?? {}}
            errorSchema={(errorSchema as Record<number, typeof errorSchema> | undefined)?.[i]}
            rawErrors={undefined}
            fieldPathId={toFieldPathId(i, registry.globalFormOptions, fieldPathId.path)}
          />
          {added && rows.length > (added.minItems ?? 0) && (
            <Button look="link" onClick={() => removeRow(i)}>
              {remove}
              <span className="sr"> {row.schema.title}</span>
            </Button>
          )}
        </div>
      ))}
      {added && rows.length < (added.maxItems ?? Number.POSITIVE_INFINITY) && (
        <p data-add>
          <Button look="secondary" onClick={addRow}>
            {add}
          </Button>
        </p>
      )}
      {error && (
        <p className="field-error" id={`${id}-error`}>
          <span className="sr">{t('error')} </span>
          {error}
        </p>
      )}
    </fieldset>
  );
}

/** `r4` after `r3`, also when that one was taken away again, here or in an answer before. */
function useNextKey(name: string, data: Data[]): () => string {
  const before = useContext(RowNumbers)[name] ?? 0;
  const highest = useRef(0);
  highest.current = Math.max(highest.current, before, ...data.map((row) => rowNumber(row.key) ?? 0));
  return () => `r${highest.current + 1}`;
}

const defaults = (schema: Schema): Data =>
  Object.fromEntries(fieldsOf(schema).flatMap(([name, rule]) => ('default' in rule ? [[name, rule.default]] : [])));

/** Once the rows are drawn: into what was added, or to what remains. */
function focusSoon(list: { current: HTMLElement | null }, selector: string) {
  setTimeout(() => {
    const found = list.current?.querySelector<HTMLElement>(selector);
    (found?.matches('[data-add]') ? found.querySelector('button') : found)?.focus();
  }, 0);
}

const member = (key: string, title: string): Schema => ({
  type: 'object',
  title,
  'x-row': key,
  required: ['insured'],
  properties: {
    insured: { type: 'boolean', title: 'To be insured?', 'x-ui': { widget: 'toggle' } },
    age: { type: 'integer', title: 'Age', 'x-ui': { widget: 'number', show: { insured: true } } },
  },
});

export const example = {
  name: 'members',
  schema: {
    type: 'array',
    title: 'Who travels with the parcel?',
    'x-key': 'key',
    prefixItems: [member('self', 'Asha'), member('son', 'Ravi')],
  },
};
