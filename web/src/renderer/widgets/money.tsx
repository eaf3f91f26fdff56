import type { WidgetProps } from '@rjsf/utils';
import { grouped, spelled } from '../../ui/format';
import { digits as read } from '../form/letters';
import { Input } from './input';
import { uiOf } from './ui';

/** An amount typed in rupees with Indian grouping; the answer is paise (or rupees when `unit` says so). With `words` it is said in words too. */
export function MoneyWidget(props: WidgetProps) {
  const { value, onChange } = props;
  const unit = uiOf(props).unit === 'rupees' ? 1 : 100;
  const input = (
    <Input
      widget={props}
      text={typeof value === 'number' ? grouped(value / unit) : String(value ?? '')}
      onText={(text) => {
        const digits = read(text).replace(/\..*$/, '').replace(/\D/g, '').slice(0, 11);
        onChange(digits === '' ? undefined : Number(digits) * unit);
      }}
      prefix="₹"
      inputMode="numeric"
      maxLength={undefined}
    />
  );
  if (!uiOf(props).words) return input;
  return (
    <>
      {input}
      <small>{typeof value === 'number' && spelled((value * 100) / unit)}</small>
    </>
  );
}

export const example = {
  name: 'money',
  schema: {
    type: 'integer',
    title: 'Value of the goods',
    minimum: 100_00,
    maximum: 10_00_000_00,
    'x-ui': { widget: 'money' },
  },
};
