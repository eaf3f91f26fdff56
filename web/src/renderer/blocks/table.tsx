import type { Block as AnyBlock, TableBlock } from '../../contract/blocks';
import { Block } from '../../ui/block';
import { t } from '../../ui/words';
import { isMoney, Shown } from '../value';
import { PagerLinks } from './pager';

const amount = (value: TableBlock['rows'][number][number] | undefined): number =>
  typeof value === 'object' && value !== null && 'paise' in value ? Number(value.paise) : Number(value) || 0;

/** How large an amount is beside the largest of its column: for the eye alone, the figure stands above it. */
const Bar = ({ value, most }: { value: TableBlock['rows'][number][number] | undefined; most: number }) => (
  <svg className="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
    <rect width={Math.max(0, Math.round((100 * amount(value)) / most))} height="4" />
  </svg>
);

/** Tables of more columns are no tables on a phone: each row is a card. */
const COLUMNS_ON_PHONE = 4;

/** A table that scrolls sideways by itself where it is too wide. */
export function TableView({ title, columns, rows, pager, style }: TableBlock) {
  const most = columns.map(({ bar }, at) => (bar ? Math.max(1, ...rows.map((row) => amount(row[at]))) : 0));
  return (
    <Block kind="table" title={title}>
      <div className="table-scroll" tabIndex={0} role="region" aria-label={title ?? 'Table'}>
        <table data-wide={columns.length > COLUMNS_ON_PHONE || undefined}>
          <thead>
            <tr>
              {style === 'ranked' && <th scope="col">{t('place')}</th>}
              {columns.map((column) => (
                <th key={column.title} scope="col" data-align={column.align}>
                  {column.title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={index}>
                {style === 'ranked' && <td data-rank="">{(pager?.first ?? 0) + index + 1}</td>}
                {row.map((cell, at) => (
                  <td
                    key={at}
                    data-label={columns[at]?.title}
                    data-align={columns[at]?.align ?? (isMoney(cell) ? 'right' : undefined)}
                  >
                    <Shown value={cell} />
                    {most[at] ? <Bar value={cell} most={most[at]} /> : null}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <PagerLinks pager={pager} />
    </Block>
  );
}

export const example: AnyBlock = {
  block: 'table',
  title: 'Prices by weight',
  columns: [{ title: 'Weight' }, { title: 'By road' }, { title: 'By air', align: 'right', bar: true }],
  rows: [
    ['up to 1 kg', { paise: 80_00 }, { paise: 160_00 }],
    ['up to 5 kg', { paise: 120_00 }, { paise: 340_00 }],
  ],
};
