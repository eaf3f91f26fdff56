export { ActionsView } from './actions';
export { DocumentsView } from './documents';
export { TrackerView } from './tracker';
