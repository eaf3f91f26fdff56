import type { WidgetProps } from '@rjsf/utils';
import { nameOf, tied } from '../form/field';
import { normaliseTyped } from '../form/normalise';
import { Note } from './input';
import { stepsOf, useNote } from './note';
import { useTyping } from './typing';

/** Several lines of text. */
export function TextareaWidget(props: WidgetProps) {
  const { id, value, onChange, disabled, readonly, schema, options, placeholder } = props;
  const steps = stepsOf(props);
  const note = useNote(steps);
  const typing = useTyping<HTMLTextAreaElement>({
    text: String(value ?? ''),
    onText: (typed) => {
      note.see(typed);
      onChange(normaliseTyped(steps, typed) || undefined);
    },
    onComposed: (raw) => onChange(raw || undefined),
  });
  return (
    <>
      <div className="control">
        <textarea
          className="input"
          id={id}
          name={nameOf(props)}
          rows={Number(options.rows ?? 3)}
          maxLength={steps ? undefined : schema.maxLength}
          autoComplete={options.autocomplete as string | undefined}
          placeholder={placeholder || undefined}
          disabled={disabled}
          readOnly={readonly}
          {...tied(props)}
          {...typing}
        />
      </div>
      <Note>{note.text}</Note>
    </>
  );
}

export const example = {
  name: 'textarea',
  schema: { type: 'string', title: 'Note for the driver', maxLength: 200, 'x-ui': { widget: 'textarea', rows: 4 } },
};
