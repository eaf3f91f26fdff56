import type { WidgetProps } from '@rjsf/utils';
import { grouped, spoken } from '../../ui/format';
import { Input } from './input';

/** An amount typed in rupees with Indian grouping; the answer is paise (or rupees when `unit` says so). */
export function MoneyWidget(props: WidgetProps) {
  const { value, onChange, options } = props;
  const unit = options.unit === 'rupees' ? 1 : 100;
  const words = typeof value === 'number' ? spoken(value / unit) : undefined;
  return (
    <>
      <Input
        widget={props}
        text={typeof value === 'number' ? grouped(value / unit) : String(value ?? '')}
        onText={(text) => {
          const digits = text.replace(/\..*$/, '').replace(/\D/g, '').slice(0, 11);
          onChange(digits === '' ? undefined : Number(digits) * unit);
        }}
        prefix="₹"
        inputMode="numeric"
        maxLength={undefined}
      />
      {words && <p className="field-hint">{words}</p>}
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
