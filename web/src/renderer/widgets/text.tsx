import type { WidgetProps } from '@rjsf/utils';
import { safeUrl } from '../../routes';
import { useRow } from '../form/context';
import { normaliseTyped } from '../form/normalise';
import { Input } from './input';
import { stepsOf, useNote } from './note';
import { uiOf } from './ui';

/** One line of text. Harmless normalising happens while typing, the rest on leaving. `look: plate` is typed on a number plate. */
export function TextWidget(props: WidgetProps) {
  const { schema, value, onChange, options } = props;
  const steps = stepsOf(props);
  const note = useNote(steps);
  const text = value === undefined || value === null ? '' : String(value);
  const plate = options.look === 'plate';
  const { source, tells } = uiOf(props);
  const row = useRow(tells && source, text.length < (schema.minLength ?? 1) ? '' : text);
  const control = (
    <Input
      widget={props}
      frame={plate ? 'plate plate-input' : undefined}
      text={plate ? text.replace(/-/g, ' ') : text}
      onText={(typed) => {
        note.see(typed);
        onChange(normaliseTyped(steps, typed) || undefined);
      }}
      note={note.text ?? (row && tells?.map((column) => row[column]).join(', '))}
      prefix={options.prefix as string}
      suffix={options.suffix as string}
      type={schema.format === 'email' ? 'email' : 'text'}
      autoCapitalize={(options.autocapitalize as string) ?? (steps?.includes('upper') ? 'characters' : undefined)}
      spellCheck={false}
    />
  );
  const scene = safeUrl(options.scene as string | undefined);
  if (!scene) return control;
  return (
    <div className="plate-scene">
      <img src={scene} alt="" width={440} height={322} />
      {control}
    </div>
  );
}

export const example = {
  name: 'text',
  schema: {
    type: 'string',
    title: 'Full name',
    maxLength: 60,
    'x-normalise': [{ keep: '[A-Za-z ]' }, 'collapse', 'trim'],
    'x-ui': { widget: 'text', hint: 'As on your identity card', autocomplete: 'name' },
  },
};
