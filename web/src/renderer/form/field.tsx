/** RJSF templates: label above, hint, control, error; groups of fields. Ids and classes equal those of the server's first HTML. */
import type { FieldTemplateProps, ObjectFieldTemplateProps, WidgetProps } from '@rjsf/utils';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { t } from '../../ui/words';
import type { Group as FieldGroup } from './arrange';
import { fieldId, toPointer } from './pointer';

/** Widgets of several controls: a fieldset with a legend instead of a label. */
const GROUPS = new Set(['choice', 'toggle', 'checkboxes', 'date', 'slots', 'upload']);

export function Field({
  fieldPathId,
  label,
  required,
  rawErrors,
  rawDescription,
  schema,
  uiSchema,
  hidden,
  children,
}: FieldTemplateProps) {
  if (hidden) return <>{children}</>;
  // `rows` of a list, not of a text of several lines
  if (schema.type === 'object' || (schema.type === 'array' && uiSchema?.['ui:options']?.rows)) return <>{children}</>;
  const pointer = toPointer(fieldPathId.path);
  const id = fieldId(pointer);
  const widget = String(uiSchema?.['ui:widget'] ?? 'text');
  const hint = uiSchema?.['ui:options']?.hint ?? rawDescription;
  const error = rawErrors?.[0];
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined;
  const words = (
    <>
      {label}
      {!required && !uiSchema?.['ui:options']?.unmarked && <span className="field-optional"> {t('optional')}</span>}
    </>
  );
  const hintLine = hint ? (
    <p className="field-hint" id={`${id}-hint`}>
      {hint}
    </p>
  ) : null;
  const errorLine = error ? (
    <p className="field-error" id={`${id}-error`}>
      <span className="sr">{t('error')} </span>
      {error}
    </p>
  ) : null;

  if (GROUPS.has(widget)) {
    return (
      <fieldset
        className="field"
        id={id}
        data-widget={widget}
        data-pointer={pointer}
        data-invalid={error ? true : undefined}
        aria-describedby={described}
      >
        <legend className="field-label">{words}</legend>
        {hintLine}
        {children}
        {errorLine}
      </fieldset>
    );
  }
  return (
    <div
      className="field"
      data-widget={widget}
      data-pointer={pointer}
      data-half={uiSchema?.['ui:options']?.half || undefined}
      data-invalid={error ? true : undefined}
    >
      {widget !== 'consent' && (
        <label className="field-label" htmlFor={id}>
          {words}
        </label>
      )}
      {widget !== 'consent' && hintLine}
      {children}
      {widget === 'consent' && hintLine}
      {errorLine}
    </div>
  );
}

export function ObjectFields({ title, description, properties, uiSchema, fieldPathId }: ObjectFieldTemplateProps) {
  const shown = new Map(
    properties.filter((property) => !property.hidden).map((property) => [property.name, property.content]),
  );
  const hidden = properties.filter((property) => property.hidden).map((property) => property.content);
  const groups = (uiSchema?.['ui:groups'] ?? []) as FieldGroup[];
  const body = (
    <>
      {groups.map((group, index) => (
        <Group key={group.fields[0] ?? index} {...group}>
          {group.fields.map((name) => shown.get(name))}
        </Group>
      ))}
      {hidden}
    </>
  );
  if (fieldPathId.path.length === 0) return body;
  return (
    <fieldset className="group">
      {title && <legend className="group-title">{title}</legend>}
      {description && <p className="field-hint">{description}</p>}
      {body}
    </fieldset>
  );
}

function Group({ children, ...group }: Pick<FieldGroup, 'title' | 'collapsed' | 'answered'> & { children: ReactNode }) {
  // a title that says the answers is there from the first or never: what is open does not go away under the fingers
  const first = useRef(group.title);
  const title = group.answered ? first.current && (group.title ?? first.current) : group.title;
  const { collapsed } = group;
  if (!title) return <>{children}</>;
  if (collapsed) return <Folded title={title}>{children}</Folded>;
  return (
    <fieldset className="group">
      <legend className="group-title">{title}</legend>
      {children}
    </fieldset>
  );
}

/** Closed until somebody opens it, or one of its answers is wrong. */
function Folded({ title, children }: { title: string; children: ReactNode }) {
  const ref = useRef<HTMLDetailsElement>(null);
  useLayoutEffect(() => {
    const details = ref.current!;
    if (details.querySelector('[data-invalid]')) details.open = true;
  });
  return (
    <details className="group" ref={ref}>
      <summary className="group-title">{title}</summary>
      {children}
    </details>
  );
}

/** The attributes that tie a control to its hint and its error. */
export function tied({ id, required, rawErrors, schema, options }: WidgetProps) {
  const hint = options.hint ?? schema.description;
  const invalid = Boolean(rawErrors?.length);
  return {
    'aria-describedby': [hint && `${id}-hint`, invalid && `${id}-error`].filter(Boolean).join(' ') || undefined,
    'aria-invalid': invalid || undefined,
    'aria-required': required || undefined,
  } as const;
}

export const nameOf = (props: WidgetProps): string => props.htmlName ?? props.name;
