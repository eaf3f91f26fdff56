import type { WidgetProps } from '@rjsf/utils';
import { Choices } from './choice';

/** Yes or no as two buttons side by side; nothing is chosen beforehand. */
export const ToggleWidget = (props: WidgetProps) => <Choices {...props} look="toggle" />;

export const example = {
  name: 'toggle',
  schema: { type: 'boolean', title: 'Is it fragile?', 'x-ui': { widget: 'toggle' } },
};
