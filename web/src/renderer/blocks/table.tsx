import type { Block as AnyBlock, TableBlock } from '../../contract/blocks';
import { Block } from '../../ui/block';
import { t } from '../../ui/words';
import { isMoney, Shown } from '../value';
import { PagerLinks } from './pager';

/** A table that scrolls sideways by itself where it is too wide. */
export const TableView = ({ title, columns, rows, pager, style }: TableBlock) => (
  <Block kind="table" title={title}>
    <div className="table-scroll" tabIndex={0} role="region" aria-label={title ?? 'Table'}>
      <table>
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
                <td key={at} data-align={columns[at]?.align ?? (isMoney(cell) ? 'right' : undefined)}>
                  <Shown value={cell} />
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

export const example: AnyBlock = {
  block: 'table',
  title: 'Prices by weight',
  columns: [{ title: 'Weight' }, { title: 'By road' }, { title: 'By air', align: 'right' }],
  rows: [
    ['up to 1 kg', { paise: 80_00 }, { paise: 160_00 }],
    ['up to 5 kg', { paise: 120_00 }, { paise: 340_00 }],
  ],
};
