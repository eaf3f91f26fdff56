/** The parts of the renderer: what is drawn together comes together. */
import { Part } from './part';

export const parts = {
  form: new Part('renderer/form/part.ts', () => import('./form/part')),
  /** blocks of first pages */
  landing: new Part('renderer/blocks/landing.ts', () => import('./blocks/landing')),
  /** what pages put forward now and then */
  content: new Part('renderer/blocks/content.ts', () => import('./blocks/content')),
  /** blocks of steps that somebody has begun */
  events: new Part('renderer/blocks/events.ts', () => import('./blocks/events')),
  options: new Part('renderer/blocks/options.tsx', () => import('./blocks/options')),
  compare: new Part('renderer/blocks/compare.tsx', () => import('./blocks/compare')),
  widgets: new Part('renderer/widgets/further.ts', () => import('./widgets/further')),
  lookup: new Part('renderer/widgets/lookup.tsx', () => import('./widgets/lookup')),
  otp: new Part('renderer/widgets/otp.tsx', () => import('./widgets/otp')),
  upload: new Part('renderer/widgets/upload.tsx', () => import('./widgets/upload')),
  slots: new Part('renderer/widgets/slots.tsx', () => import('./widgets/slots')),
};
