/** All widgets by the name that `widget` in `x-ui` gives them. One file each; a file ends with an example for the gallery and the tests. */
import type { WidgetProps } from '@rjsf/utils';
import type { ComponentType } from 'react';
import type { WidgetName } from '../../contract/blocks';
import { CheckboxesWidget } from './checkboxes';
import { ChoiceWidget } from './choice';
import { ConsentWidget } from './consent';
import { DateWidget } from './date';
import { HiddenWidget } from './hidden';
import { later } from './later';
import { MobileWidget } from './mobile';
import { NumberWidget } from './number';
import { SelectWidget } from './select';
import { TextWidget } from './text';
import { TextareaWidget } from './textarea';
import { ToggleWidget } from './toggle';

const named: Record<Exclude<WidgetName, keyof typeof later>, ComponentType<WidgetProps>> = {
  text: TextWidget,
  textarea: TextareaWidget,
  mobile: MobileWidget,
  number: NumberWidget,
  date: DateWidget,
  choice: ChoiceWidget,
  toggle: ToggleWidget,
  select: SelectWidget,
  checkboxes: CheckboxesWidget,
  consent: ConsentWidget,
  hidden: HiddenWidget,
};

export const widgets = {
  ...named,
  // what RJSF falls back to by type
  TextWidget,
  SelectWidget,
  CheckboxWidget: ConsentWidget,
  CheckboxesWidget,
  HiddenWidget,
};
// RJSF reads the map with every new schema, when what its form needs has come
for (const [name, { get }] of Object.entries(later)) Object.defineProperty(widgets, name, { enumerable: true, get });
