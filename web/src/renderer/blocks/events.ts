export { ActionsView } from './actions';
export { BreakupView } from './breakup';
export { DocumentsView } from './documents';
export { SealView } from './seal';
export { TrackerView } from './tracker';
