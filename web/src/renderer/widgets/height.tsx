import type { WidgetProps } from '@rjsf/utils';
import { useState } from 'react';
import { t } from '../../ui/words';
import { digits } from '../form/letters';
import { Input } from './input';

/** A height typed in centimetres, or in feet and inches (5'7, 5 ft 7 in), said beside it in the other; the answer is hundredths of a centimetre. */
export function HeightWidget(props: WidgetProps) {
  const { value, onChange } = props;
  const [typed, setTyped] = useState('');
  const own = heightTyped(typed) === value ? typed : typeof value === 'number' ? String(value / 100) : (value ?? '');
  return (
    <Input
      widget={props}
      text={String(own)}
      onText={(text) => {
        setTyped(text.slice(0, 12));
        onChange(heightTyped(text.slice(0, 12)));
      }}
      suffix={typeof value === 'number' ? otherwise(String(own), value) : t('height_units')}
      maxLength={undefined}
    />
  );
}

function otherwise(typed: string, hundredths: number): string {
  const inches = Math.round(hundredths / 254);
  return FEET.test(typed.trim())
    ? t('height_cm', { cm: Math.round(hundredths / 100) })
    : t('height_ft', { ft: Math.floor(inches / 12), in: inches % 12 });
}

const FEET = /^(\d)\s*(?:'|’|ft|feet|foot)\s*(?:(\d{1,2}(?:\.\d)?)\s*(?:"|”|''|in|inch|inches)?)?$/i;

/** Hundredths of a centimetre; what is no height yet stays text. */
export function heightTyped(text: string): number | string | undefined {
  const words = digits(text).trim();
  if (words === '') return undefined;
  const feet = FEET.exec(words);
  if (feet) return Math.round((Number(feet[1]) * 12 + Number(feet[2] ?? 0)) * 254);
  const metric = /^(\d{2,3}(?:\.\d)?)\s*(?:cm)?$/i.exec(words);
  return metric ? Math.round(Number(metric[1]) * 100) : text;
}

export const example = {
  name: 'height',
  schema: { type: 'integer', title: 'Height', minimum: 5_000, maximum: 25_000, 'x-ui': { widget: 'height' } },
};
