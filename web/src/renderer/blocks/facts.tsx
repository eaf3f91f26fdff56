import type { Block as AnyBlock, Fact, FactsBlock } from '../../contract/blocks';
import { safeUrl } from '../../routes';
import { Block } from '../../ui/block';
import { Plate } from '../../ui/plate';
import { t } from '../../ui/words';
import { useActions } from '../context';
import { Shown } from '../value';
import { Logo } from './logo';

const PLATES = { line: 'small', found: 'large', keep: 'large', plan: undefined, sign: undefined } as const;

export function FactsView({ title, items, style, image, note }: FactsBlock) {
  const { change } = useActions();
  const isWall = items.length > 1 && items.every((item) => item.kind === 'provider');
  return (
    <Block kind="facts" title={title} look={style}>
      {image && <img className="facts-scene" src={safeUrl(image)} alt="" />}
      {isWall ? (
        <ul className="wall">
          {items.map(({ label, value, short, colour }) => (
            <li key={label}>
              <Logo provider={{ name: String(value), short, colour }} />
              <span className="sr">{label}</span>
            </li>
          ))}
        </ul>
      ) : (
        <Facts
          plate={style && PLATES[style]}
          items={items.map((item) => ({
            ...item,
            onChange: item.change ? () => change(item.change!.step) : undefined,
          }))}
        />
      )}
      {note && <p className="facts-note">{note}</p>}
    </Block>
  );
}

/** A provider's mark and name. */
const Who = ({ name, short, colour }: { name: string } & Pick<Fact, 'short' | 'colour'>) => (
  <span className="option-who">
    <Logo provider={{ name, short, colour }} />
    <strong>{name}</strong>
  </span>
);

/** Label and value in rows, each with a way to change it where there is one. */
export function Facts({
  items,
  plate,
}: {
  items: (Fact & { key?: string; onChange?: () => void })[];
  plate?: 'small' | 'large';
}) {
  return (
    <dl className="facts">
      {items.map((item) => (
        <div key={item.key ?? item.label} data-kind={item.kind} data-marked={item.marked || undefined}>
          <dt>{item.label}</dt>
          <dd>
            {item.kind === 'plate' ? (
              <Plate text={String(item.value ?? '')} size={plate} />
            ) : item.kind === 'provider' ? (
              <Who {...item} name={String(item.value ?? '')} />
            ) : (
              <Shown value={item.value} />
            )}
            {item.hint && <small>{item.hint}</small>}
          </dd>
          {item.onChange && (
            <dd className="fact-change">
              <button type="button" className="link-button" onClick={item.onChange}>
                {t('change')}
                <span className="sr"> {item.label}</span>
              </button>
            </dd>
          )}
        </div>
      ))}
    </dl>
  );
}

export const example: AnyBlock = {
  block: 'facts',
  title: 'Your parcel',
  items: [
    { label: 'Weight', value: '2 kg', hint: 'As weighed at the counter', change: { step: 'parcel.size' } },
    { label: 'Value', value: { paise: 12_34_567 } },
    { label: 'Collected on', value: { date: '2026-11-23' } },
    { label: 'Delivered in time', value: { percent: 98 } },
    { label: 'Note', value: null },
  ],
};
