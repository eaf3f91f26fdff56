import type { WidgetProps } from '@rjsf/utils';
import { nameOf } from '../form/field';

/** An answer that is sent but not shown; also by a form that is posted before the scripts are there. */
export function HiddenWidget(props: WidgetProps) {
  const all: unknown[] = Array.isArray(props.value) ? props.value : [props.value];
  const told = all.filter((one) => one !== undefined && one !== null && typeof one !== 'object');
  return told.map((one) => <input key={String(one)} type="hidden" name={nameOf(props)} value={String(one)} />);
}

export const example = { name: 'hidden', schema: { type: 'string', 'x-ui': { widget: 'hidden' } } };
