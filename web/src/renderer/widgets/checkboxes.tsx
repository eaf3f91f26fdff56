import type { WidgetProps } from '@rjsf/utils';
import { nameOf } from '../form/field';
import { OptionWords } from './choice';
import { uiOf } from './ui';

/** Any number out of a list; the answer is an array in the list's order. */
export function CheckboxesWidget(props: WidgetProps) {
  const { id, value, onChange, options, disabled, readonly } = props;
  const chosen: unknown[] = Array.isArray(value) ? value : [];
  const all = options.enumOptions ?? [];
  return (
    <div className="choices" data-columns={uiOf(props).columns}>
      {all.map((option, index) => (
        <label className="choice" key={String(option.value)} htmlFor={`${id}-${index}`}>
          <input
            type="checkbox"
            id={`${id}-${index}`}
            name={nameOf(props)}
            value={String(option.value)}
            checked={chosen.includes(option.value)}
            disabled={disabled || readonly}
            onChange={(event) =>
              onChange(
                all
                  .map((each) => each.value)
                  .filter((each) => (each === option.value ? event.target.checked : chosen.includes(each))),
              )
            }
          />
          <OptionWords option={option} />
        </label>
      ))}
    </div>
  );
}

export const example = {
  name: 'checkboxes',
  schema: {
    type: 'array',
    title: 'Extras',
    uniqueItems: true,
    items: {
      oneOf: [
        { const: 'photo', title: 'Photo on delivery' },
        { const: 'sunday', title: 'Sunday delivery', description: 'Where the courier works on Sundays' },
      ],
    },
    'x-ui': { widget: 'checkboxes' },
  },
};
