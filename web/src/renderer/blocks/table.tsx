import type { TableBlock } from '../../api/types';
import { isMoney, Shown } from '../value';

/** A table that scrolls sideways by itself where it is too wide. */
export function TableView({ title, columns, rows }: TableBlock) {
  return (
    <div className="table-frame" tabIndex={0} role="region" aria-label={title ?? 'Table'}>
      <table className="table">
        {title && <caption>{title}</caption>}
        <thead>
          <tr>
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
              {row.map((cell, at) =>
                at === 0 ? (
                  <th key={at} scope="row" data-align={columns[at]?.align}>
                    <Shown value={cell} />
                  </th>
                ) : (
                  <td key={at} data-align={columns[at]?.align ?? (isMoney(cell) ? 'right' : undefined)}>
                    <Shown value={cell} />
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
