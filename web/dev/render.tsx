/** Draws a step to HTML as the server would: what React takes over. Also the reference for the server's own template. */
import { renderToStaticMarkup } from 'react-dom/server';
import type { StepView } from '../src/contract/api';
import { StepPage } from '../src/journey/step-page';

const nothing = () => undefined;

export function render(view: StepView): string {
  return renderToStaticMarkup(
    <StepPage
      view={view}
      data={view.step.form?.data ?? {}}
      problems={[]}
      busy={false}
      onType={nothing}
      onSubmit={nothing}
      onBack={nothing}
    />,
  );
}
