import type { WidgetProps } from '@rjsf/utils';
import { Input } from './input';

/** A one-time password: the phone may fill it in, it may be pasted, six digits and no more. (R5-17, R5-18) */
export function OtpWidget(props: WidgetProps) {
  const { value, onChange, schema } = props;
  const length = schema.maxLength ?? 6;
  return (
    <Input
      widget={props}
      className="input-otp"
      text={String(value ?? '')}
      onText={(text) => onChange(text.replace(/\D/g, '').slice(0, length) || undefined)}
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={undefined}
    />
  );
}

export const example = {
  name: 'otp',
  schema: {
    type: 'string',
    title: 'One-time password',
    minLength: 6,
    maxLength: 6,
    pattern: '^[0-9]{6}$',
    'x-secret': true,
    'x-ui': { widget: 'otp', hint: 'Six digits, sent to 98••• ••210' },
  },
};
