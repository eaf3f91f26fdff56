import type { WidgetProps } from '@rjsf/utils';
import { type NormaliseStep, normaliseTyped } from '../form/normalise';
import { Input } from './input';

/** One line of text. Harmless normalising happens while typing, the rest on leaving. */
export function TextWidget(props: WidgetProps) {
  const { schema, value, onChange, options } = props;
  const steps = (schema as { 'x-normalise'?: NormaliseStep[] })['x-normalise'];
  return (
    <Input
      widget={props}
      text={value === undefined || value === null ? '' : String(value)}
      onText={(text) => onChange(normaliseTyped(steps, text) || undefined)}
      prefix={options.prefix as string}
      suffix={options.suffix as string}
      type={schema.format === 'email' ? 'email' : 'text'}
      autoCapitalize={(options.autocapitalize as string) ?? (steps?.includes('upper') ? 'characters' : undefined)}
      spellCheck={false}
    />
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
