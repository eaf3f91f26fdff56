import type { Block as AnyBlock, CoverageBlock } from '../../contract/blocks';
import { Block } from '../../ui/block';
import { Icon } from '../../ui/icon';
import { t } from '../../ui/words';
import { Shown } from '../value';

/** What is covered and what is not: two lists of one kind, several kinds side by side. Yes and no are said, not only drawn. */
export const CoverageView = (block: CoverageBlock) =>
  block.columns.length === 1 ? <Lists {...block} /> : <Kinds {...block} />;

const Lists = ({ title, items }: CoverageBlock) => {
  // below the block's heading, or in its place
  const Title = title ? 'h3' : 'h2';
  return (
    <Block kind="coverage" title={title} look="lists">
      <div className="coverage">
        {[true, false].map((yes) => {
          const own = items.filter(({ values: [cell] }) => (cell !== false) === yes);
          return (
            own.length > 0 && (
              <div key={String(yes)}>
                <Title>{t(yes ? 'covered' : 'not_covered')}</Title>
                <ul>
                  {own.map(({ label, values: [cell] }) => (
                    <li key={label} className="covered" data-yes={yes}>
                      <Icon name={yes ? 'check' : 'cross'} small />
                      <span>
                        {label}
                        {typeof cell !== 'boolean' && (
                          <>
                            {': '}
                            <Shown value={cell} />
                          </>
                        )}
                      </span>
                    </li>
                  ))}
                </ul>
              </div>
            )
          );
        })}
      </div>
    </Block>
  );
};

export const YesNo = ({ yes }: { yes: boolean }) => (
  <span className="covered" data-yes={yes}>
    <Icon name={yes ? 'check' : 'cross'} small />
    {t(yes ? 'yes' : 'no')}
  </span>
);

const Kinds = ({ title, columns, items }: CoverageBlock) => (
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
                <td key={at}>{typeof cell === 'boolean' ? <YesNo yes={cell} /> : <Shown value={cell} />}</td>
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
