import type { WidgetProps } from '@rjsf/utils';
import { Input } from './input';
import { mobileTyped } from './mobile-typed';
import { uiOf } from './ui';

/** A ten-digit mobile number: digits only, a leading 0 or +91 dropped, also when a whole number is pasted. (R5-10, R5-11) */
export function MobileWidget(props: WidgetProps) {
  const { value, onChange } = props;
  return (
    <Input
      widget={props}
      text={String(value ?? '')}
      maxLength={undefined} // a number pasted with its prefix is longer at first
      onText={(text) => onChange(mobileTyped(text, String(value ?? '')) || undefined)}
      prefix={uiOf(props).prefix ?? '+91'}
      type="tel"
      inputMode="numeric"
      autoComplete={uiOf(props).autocomplete ?? 'tel-national'}
    />
  );
}

export const example = {
  name: 'mobile',
  schema: {
    type: 'string',
    title: 'Mobile number',
    pattern: '^[6-9][0-9]{9}$',
    maxLength: 10,
    'x-messages': { pattern: 'Invalid mobile number.' },
    'x-ui': { widget: 'mobile', hint: 'We send a one-time password to it' },
  },
};
