import type { WidgetProps } from '@rjsf/utils';
import { Input } from './input';
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

/**
 * A `+` that is being typed stays until its country is known; `+91` goes, for it stands before the field. An eleventh digit is not
 * taken; a longer text that was pasted stays as it is, to be refused: nobody's number is made of it.
 */
export function mobileTyped(text: string, before: string): string {
  const digits = text.replace(/\D/g, '').slice(0, 15);
  const plus = text.trim().startsWith('+');
  if (plus && !digits.startsWith('91')) return `+${digits}`;
  const bare = plus || digits.length === 12 ? digits.replace(/^91/, '') : digits;
  const number = bare.length <= 11 ? bare.replace(/^0+/, '') : bare;
  return number.length === 11 && number.startsWith(before) && before.length === 10 ? before : number;
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
