import type { EnumOptionsType, WidgetProps } from '@rjsf/utils';
import { nameOf, tied } from '../form/field';
import { uiOf } from './ui';

/** One of a few, as cards. Any kind of constant: the answer keeps its type. */
export function ChoiceWidget(props: WidgetProps) {
  return <Choices {...props} />;
}

export function Choices({ look = '', ...props }: WidgetProps & { look?: string }) {
  const { id, value, onChange, options, disabled, readonly } = props;
  const { 'aria-invalid': invalid, 'aria-required': required } = tied(props);
  const shape = look === '' && inOneRow(options.enumOptions ?? []) ? 'segments' : undefined;
  return (
    <div className={`choices ${look}`.trim()} data-columns={uiOf(props).columns} data-look={shape}>
      {(options.enumOptions ?? []).map((option, index) => (
        <label className="choice" key={String(option.value)} htmlFor={`${id}-${index}`}>
          <input
            type="radio"
            id={`${id}-${index}`}
            name={nameOf(props)}
            value={String(option.value)}
            checked={option.value === value}
            aria-invalid={invalid}
            required={required}
            disabled={disabled || readonly}
            onChange={() => onChange(option.value)}
          />
          <OptionWords option={option} />
        </label>
      ))}
    </div>
  );
}

/** What takes room: a matra stands above, below or within its letter. */
const letters = (text: string): number => text.replace(/\p{M}/gu, '').length;

/** Two to four answers of a word or two stand beside each other as segments. */
const inOneRow = (all: EnumOptionsType[]): boolean =>
  all.length > 1 &&
  all.length < 5 &&
  all.every((one) => letters(one.label) <= 18 && !one.schema?.description) &&
  all.reduce((sum, one) => sum + letters(one.label), 0) <= (all.length < 4 ? 30 : 18);

export function OptionWords({ option }: { option: EnumOptionsType }) {
  return (
    <span className="choice-body">
      <span className="choice-title">{option.label}</span>
      {option.schema?.description && <span className="choice-text">{option.schema.description}</span>}
    </span>
  );
}

export const example = {
  name: 'choice',
  schema: {
    type: 'string',
    title: 'How fast should it go?',
    oneOf: [
      { const: 'surface', title: 'By road', description: '4 to 6 days' },
      { const: 'air', title: 'By air', description: '1 to 2 days' },
    ],
    'x-ui': { widget: 'choice' },
  },
};
