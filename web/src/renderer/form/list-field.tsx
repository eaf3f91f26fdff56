/** An array whose items come from a list: one widget for the whole of it. (Lists of objects are not part of the form dialect.) */
import { type FieldProps, optionsList, type WidgetProps } from '@rjsf/utils';
import type { ComponentType } from 'react';
import type { Schema } from '../../api/open';

export function ListField(props: FieldProps) {
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
