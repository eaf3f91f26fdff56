import type { WidgetProps } from '@rjsf/utils';
import { useState } from 'react';
import { t } from '../../ui/words';
import { Input } from './input';
import { COUNTRIES, countryOf, dialled, leavesOut, mobileTyped, numberOf } from './mobile-typed';
import { uiOf } from './ui';

/** A mobile number with its country: digits only, a leading 0 or country dropped, also when a whole number is pasted. (R5-10, R5-11, R5-14) */
export function MobileWidget(props: WidgetProps) {
  const { id, value, onChange, disabled, readonly } = props;
  const known = String(value ?? '');
  const [note, setNote] = useState<string>();
  const type = (text: string) => {
    const next = mobileTyped(text, known);
    setNote(leavesOut(text, known, next) ? t('one_digit_more', { n: numberOf(known).length }) : undefined);
    onChange(next || undefined);
  };
  return (
    <Input
      widget={props}
      text={numberOf(known)}
      maxLength={undefined} // a number pasted with its prefix is longer at first
      onText={type}
      note={note}
      prefix={
        <select
          className="affix"
          id={`${id}-country`}
          aria-label={t('country_code')}
          disabled={disabled || readonly}
          value={countryOf(known)}
          onChange={(event) => onChange(dialled(event.target.value, numberOf(known)) || undefined)}
        >
          {COUNTRIES.map((country) => (
            <option key={country}>{country}</option>
          ))}
        </select>
      }
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
    pattern: '^([6-9][0-9]{9}|[+]9715[024568][0-9]{7})$',
    maxLength: 13,
    'x-messages': { pattern: 'Invalid mobile number.' },
    'x-ui': { widget: 'mobile', hint: 'We send a one-time password to it' },
  },
};
