import type { BreakupBlock, BreakupLine } from '../../api/types';
import { Card } from '../../ui/card';
import { Shown } from '../value';

export const BreakupView = ({ title, lines }: BreakupBlock) => (
  <Card title={title} className="breakup-card">
    <BreakupLines lines={lines} />
  </Card>
);

/** How a price is made up: every line to the paisa, so that it can be added up by hand. */
export function BreakupLines({ lines }: { lines: BreakupLine[] }) {
  return (
    <dl className="breakup">
      {lines.map((line, index) => (
        <div className="breakup-line" data-kind={line.kind ?? 'line'} key={index}>
          <dt>
            {line.label}
            {line.detail && <small>{line.detail}</small>}
          </dt>
          <dd>
            <Shown value={line.value} paisa />
          </dd>
        </div>
      ))}
    </dl>
  );
}
