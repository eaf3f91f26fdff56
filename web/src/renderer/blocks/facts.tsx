import { Block } from '../../ui/block';
import { useActions } from '../context';
import { Shown } from '../value';
import type { Fact, FactsBlock } from './types';

export function FactsView({ title, items }: FactsBlock) {
  const { change } = useActions();
  return (
    <Block kind="facts" title={title}>
      <Facts
        items={items.map((item) => ({ ...item, onChange: item.change ? () => change(item.change!.step) : undefined }))}
      />
    </Block>
  );
}

/** Label and value in rows, each with a way to change it where there is one. */
export function Facts({ items }: { items: (Fact & { key?: string; onChange?: () => void })[] }) {
  return (
    <dl className="facts">
      {items.map((item) => (
        <div key={item.key ?? item.label}>
          <dt>{item.label}</dt>
          <dd>
            <Shown value={item.value} />
            {item.hint && <small>{item.hint}</small>}
          </dd>
          {item.onChange && (
            <dd className="fact-change">
              <button type="button" className="link-button" onClick={item.onChange}>
                Change<span className="sr"> {item.label}</span>
              </button>
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}
