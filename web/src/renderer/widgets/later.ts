/** Widgets that come when a form has them. */
import type { WidgetProps } from '@rjsf/utils';
import type { ComponentType } from 'react';
import type { WidgetName } from '../../contract/blocks';
import { type From, from } from '../part';
import { parts } from '../parts';

export const later = {
  otp: from(parts.otp, (part) => part.OtpWidget),
  lookup: from(parts.lookup, (part) => part.LookupWidget),
  slots: from(parts.slots, (part) => part.SlotsWidget),
  height: from(parts.widgets, (part) => part.HeightWidget),
  money: from(parts.widgets, (part) => part.MoneyWidget),
  range: from(parts.widgets, (part) => part.RangeWidget),
  upload: from(parts.upload, (part) => part.UploadWidget),
} satisfies { [Name in WidgetName]?: From<ComponentType<WidgetProps>> };
