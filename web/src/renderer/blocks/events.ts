export { ActionsView } from './actions';
export { DocumentsView } from './documents';
export { SealView } from './seal';
export { TrackerView } from './tracker';
