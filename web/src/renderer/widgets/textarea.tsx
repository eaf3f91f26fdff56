import type { WidgetProps } from '@rjsf/utils';
import { nameOf, tied } from '../form/field';

/** Several lines of text. */
export function TextareaWidget(props: WidgetProps) {
  const { id, value, onChange, disabled, readonly, schema, options, placeholder } = props;
  return (
    <div className="control">
      <textarea
        className="input"
        id={id}
        name={nameOf(props)}
        rows={Number(options.rows ?? 3)}
        maxLength={'x-normalise' in schema ? undefined : schema.maxLength}
        autoComplete={options.autocomplete as string | undefined}
        placeholder={placeholder || undefined}
        disabled={disabled}
        readOnly={readonly}
        {...tied(props)}
        value={value ?? ''}
        onChange={(event) => onChange(event.target.value || undefined)}
      />
    </div>
  );
}

export const example = {
  name: 'textarea',
  schema: { type: 'string', title: 'Note for the driver', maxLength: 200, 'x-ui': { widget: 'textarea' } },
};
