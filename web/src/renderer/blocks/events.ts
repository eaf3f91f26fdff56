export { ActionsView } from './actions';
export { BreakupView } from './breakup';
export { DocumentsView } from './documents';
export { SealView } from './seal';
export { ThingsView } from './things';
export { TrackerView } from './tracker';
