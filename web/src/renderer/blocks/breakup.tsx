import { Block } from '../../ui/block';
import { Shown } from '../value';
import type { BreakupBlock, BreakupLine } from './types';

export const BreakupView = ({ title, lines }: BreakupBlock) => (
  <Block kind="breakup" title={title}>
    <BreakupLines lines={lines} />
  </Block>
);

/** How a price is made up: every line to the paisa, so that it can be added up by hand. */
export function BreakupLines({ lines }: { lines: BreakupLine[] }) {
  return (
    <table className="breakup">
      <tbody>
        {lines.map((line, index) => (
          <tr data-kind={line.kind ?? 'line'} key={index}>
            <th scope="row">
              {line.label}
              {line.detail && <small>{line.detail}</small>}
            </th>
            <td>
              <Shown value={line.value} paisa />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
