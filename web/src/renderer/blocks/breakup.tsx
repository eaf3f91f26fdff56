import type { Block as AnyBlock, BreakupBlock, BreakupLine } from '../../contract/blocks';
import { Block } from '../../ui/block';
import { Shown } from '../value';

export const BreakupView = ({ title, lines, style }: BreakupBlock) => (
  <Block kind="breakup" title={title} look={style}>
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

export const example: AnyBlock = {
  block: 'breakup',
  title: 'Price',
  lines: [
    { label: 'Carriage', value: { paise: 84_75 } },
    { label: 'Cover', detail: '0.2% of the value', value: { paise: 24_69 } },
    { label: 'Discount', kind: 'discount', value: { paise: -10_00 } },
    { label: 'GST 18%', kind: 'tax', value: { paise: 17_90 } },
    { label: 'Total', kind: 'total', value: { paise: 117_34 } },
  ],
};
