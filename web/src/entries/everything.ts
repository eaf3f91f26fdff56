/** All parts at once, for what draws without waiting. */
import * as further from '../journey/further';
import { parts } from '../journey/parts';
import * as compare from '../renderer/blocks/compare';
import * as content from '../renderer/blocks/content';
import * as events from '../renderer/blocks/events';
import * as landing from '../renderer/blocks/landing';
import * as options from '../renderer/blocks/options';
import * as form from '../renderer/form/part';
import * as widgets from '../renderer/widgets/further';
import * as lookup from '../renderer/widgets/lookup';
import * as otp from '../renderer/widgets/otp';
import * as slots from '../renderer/widgets/slots';
import * as upload from '../renderer/widgets/upload';

const all: { [Name in keyof typeof parts]: (typeof parts)[Name]['here'] & object } = {
  form,
  landing,
  content,
  events,
  options,
  compare,
  widgets,
  lookup,
  otp,
  slots,
  upload,
  further,
};
for (const [name, part] of Object.entries(parts)) part.here = all[name as keyof typeof parts] as never;
