import type { WidgetProps } from '@rjsf/utils';
import { t } from '../../ui/words';
import { useAnswers, useRow } from '../form/context';
import { nameOf, tied } from '../form/field';
import { uiOf } from './ui';

/** One of many, with the browser's own list; of a list that another answer narrows, what is left. */
export function SelectWidget(props: WidgetProps) {
  const { id, value, onChange, options, disabled, readonly, placeholder } = props;
  const { source, row, among = '' } = uiOf(props);
  const { key = '' } = useAnswers(row ? { key: row } : undefined);
  const left = useRow(source, key)?.[among];
  const all = (options.enumOptions ?? []).filter(
    ({ value }) => left === undefined || `${left}`.split(' ').includes(`${value}`),
  );
  return (
    <div className="control select">
      <select
        className="input"
        id={id}
        name={nameOf(props)}
        autoComplete={uiOf(props).autocomplete}
        disabled={disabled || readonly}
        {...tied(props)}
        value={value === undefined ? '' : String(value)}
        onChange={(event) => onChange(all.find((option) => String(option.value) === event.target.value)?.value)}
      >
        <option value="">{placeholder || t('choose')}</option>
        {all.map((option) => (
          <option key={String(option.value)} value={String(option.value)}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
}

export const example = {
  name: 'select',
  schema: {
    type: 'string',
    title: 'Region',
    oneOf: ['North', 'South', 'East', 'West', 'Islands'].map((title) => ({ const: title.toLowerCase(), title })),
    'x-ui': { widget: 'select' },
  },
};
