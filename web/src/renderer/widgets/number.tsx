import type { WidgetProps } from '@rjsf/utils';
import { digits } from '../form/letters';
import { Input } from './input';
import { uiOf } from './ui';

/** A whole number (or a decimal one when the schema says `number`), typed with the phone's digits. */
export function NumberWidget(props: WidgetProps) {
  const { value, onChange, schema } = props;
  const decimal = schema.type === 'number';
  return (
    <Input
      widget={props}
      text={String(value ?? '')}
      onText={(text) => onChange(numberTyped(text, decimal))}
      prefix={uiOf(props).prefix}
      suffix={uiOf(props).suffix}
      inputMode={decimal ? 'decimal' : 'numeric'}
    />
  );
}

/** The number typed; text that is not yet one (`12.`) stays text until it is. */
export function numberTyped(text: string, decimal: boolean): number | string | undefined {
  const kept = digits(text)
    .replace(decimal ? /[^\d.]/g : /\D/g, '')
    .slice(0, 12);
  if (kept === '') return undefined;
  return kept.endsWith('.') || kept.split('.').length > 2 || (decimal && /\.\d*0$/.test(kept)) ? kept : Number(kept);
}

export const example = {
  name: 'number',
  schema: { type: 'integer', title: 'Weight', minimum: 1, maximum: 50, 'x-ui': { widget: 'number', suffix: 'kg' } },
};
