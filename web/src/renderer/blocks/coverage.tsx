import type { Block as AnyBlock, CoverageBlock } from '../../contract/blocks';
import { Block } from '../../ui/block';
import { Icon } from '../../ui/icon';
import { t } from '../../ui/words';
import { Shown } from '../value';

/** What is covered and what is not, kind beside kind: yes and no are said, not only drawn. */
export const CoverageView = ({ title, columns, items }: CoverageBlock) => (
  <Block kind="coverage" title={title}>
    <div className="table-scroll" tabIndex={0} role="region" aria-label={title ?? t('coverage')}>
      <table>
        <thead>
          <tr>
            <td />
            {columns.map((column) => (
              <th key={column.title} scope="col">
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.label}>
              <th scope="row">{item.label}</th>
              {item.values.map((cell, at) => (
                <td key={at}>
                  {typeof cell === 'boolean' ? (
                    <span className="covered" data-yes={cell}>
                      <Icon name={cell ? 'check' : 'cross'} small />
                      {t(cell ? 'yes' : 'no')}
                    </span>
                  ) : (
                    <Shown value={cell} />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </Block>
);

export const example: AnyBlock = {
  block: 'coverage',
  title: 'What is covered',
  columns: [{ title: 'By road' }, { title: 'By air' }],
  items: [
    { label: 'Loss', values: [true, true] },
    { label: 'Delay', values: [false, 'up to ₹500'] },
  ],
};
