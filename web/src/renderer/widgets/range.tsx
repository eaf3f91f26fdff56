import type { WidgetProps } from '@rjsf/utils';
import { brief, grouped, money } from '../../ui/format';
import { t } from '../../ui/words';
import { nameOf, tied } from '../form/field';
import { uiOf } from './ui';

/**
 * A value between two ends: a slider with its value above, steps from `step` or `multipleOf`, and buttons for one step less or more;
 * or, `typed`, with a control above in which the value can be typed, also beyond the slider's end.
 */
export function RangeWidget(props: WidgetProps) {
  const { id, value, onChange, schema, disabled, readonly, label } = props;
  const { unit, step = schema.multipleOf ?? 1, typed, slider, prefix = '', suffix = '' } = uiOf(props);
  const [min, max] = [schema.minimum ?? 0, slider ?? schema.maximum ?? 100];
  const isMoney = unit === 'money' || unit === 'rupees';
  const words = (amount: number, asMoney = money): string => {
    if (isMoney) return asMoney(unit === 'rupees' ? amount * 100 : amount);
    if (unit === 'percent') return `${amount}%`;
    return `${prefix}${grouped(amount)}${suffix}`;
  };
  const now = typeof value === 'number' ? value : Number(schema.default ?? min);
  const Typed = props.registry.widgets[isMoney ? 'money' : 'number']!;
  const set = (amount: number) => onChange(Math.min(max, Math.max(min, amount)));
  return (
    <div className="range">
      {typed ? (
        <Typed {...props} />
      ) : (
        <div className="range-line">
          <button
            type="button"
            className="icon-button"
            aria-label={t('less', { what: label })}
            disabled={disabled || readonly || now <= min}
            onClick={() => set(now - step)}
          >
            <span aria-hidden="true">−</span>
          </button>
          <output className="range-value" id={`${id}-value`} htmlFor={id}>
            {words(now)}
          </output>
          <button
            type="button"
            className="icon-button"
            aria-label={t('more', { what: label })}
            disabled={disabled || readonly || now >= max}
            onClick={() => set(now + step)}
          >
            <span aria-hidden="true">+</span>
          </button>
        </div>
      )}
      <input
        className="range-input"
        type="range"
        {...(typed ? { 'aria-label': label } : { id, name: nameOf(props), ...tied(props) })}
        min={min}
        max={max}
        step={step}
        value={Math.min(max, Math.max(min, now))}
        disabled={disabled || readonly}
        aria-valuetext={words(now)}
        onChange={(event) => set(Number(event.target.value))}
      />
      <div className="range-ends">
        <span>{words(min, brief)}</span>
        <span>{words(max, brief)}</span>
      </div>
    </div>
  );
}

export const example = {
  name: 'range',
  schema: {
    type: 'integer',
    title: 'Covered value',
    minimum: 90_000_00,
    maximum: 1_10_000_00,
    multipleOf: 1_000_00,
    'x-ui': { widget: 'range', unit: 'money' },
  },
};
