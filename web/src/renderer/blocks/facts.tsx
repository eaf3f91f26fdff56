import type { FactsBlock } from '../../api/types';
import { Card } from '../../ui/card';
import { useActions } from '../context';
import { Shown } from '../value';

/** Label and value in rows, each with a way to change it where there is one. */
export function FactsView({ title, items }: FactsBlock) {
  const { change } = useActions();
  return (
    <Card title={title} className="facts-card">
      <dl className="facts">
        {items.map((item) => (
          <div className="fact" key={item.label}>
            <dt>{item.label}</dt>
            <dd>
              <Shown value={item.value} />
              {item.hint && <small>{item.hint}</small>}
            </dd>
            {item.change && (
              <dd className="fact-change">
                <button type="button" className="link-button" onClick={() => change(item.change!.step)}>
                  Change<span className="sr"> {item.label}</span>
                </button>
              </dd>
            )}
          </div>
        ))}
      </dl>
    </Card>
  );
}
