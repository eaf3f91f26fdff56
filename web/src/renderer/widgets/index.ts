/** All widgets by the name that `widget` in `x-ui` gives them. One file each; a file ends with an example for the gallery and the tests. */
import type { WidgetProps } from '@rjsf/utils';
import type { ComponentType } from 'react';
import type { WidgetName } from '../../contract/blocks';
import { CheckboxesWidget } from './checkboxes';
import { ChoiceWidget } from './choice';
import { ConsentWidget } from './consent';
import { DateWidget } from './date';
import { HeightWidget } from './height';
import { HiddenWidget } from './hidden';
import { LookupWidget } from './lookup';
import { MobileWidget } from './mobile';
import { MoneyWidget } from './money';
import { NumberWidget } from './number';
import { OtpWidget } from './otp';
import { RangeWidget } from './range';
import { SelectWidget } from './select';
import { SlotsWidget } from './slots';
import { TextWidget } from './text';
import { TextareaWidget } from './textarea';
import { ToggleWidget } from './toggle';
import { UploadWidget } from './upload';

const named: Record<WidgetName, ComponentType<WidgetProps>> = {
  text: TextWidget,
  textarea: TextareaWidget,
  mobile: MobileWidget,
  otp: OtpWidget,
  number: NumberWidget,
  height: HeightWidget,
  date: DateWidget,
  choice: ChoiceWidget,
  toggle: ToggleWidget,
  select: SelectWidget,
  checkboxes: CheckboxesWidget,
  consent: ConsentWidget,
  money: MoneyWidget,
  range: RangeWidget,
  lookup: LookupWidget,
  hidden: HiddenWidget,
  upload: UploadWidget,
  slots: SlotsWidget,
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
