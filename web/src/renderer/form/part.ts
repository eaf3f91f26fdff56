/** What a step with a form needs: how it is drawn, checked, and taken over from the server's drawing. */
export { completeAnswers } from './check';
export { StepForm } from './form';
export { typedBefore } from './typed';
