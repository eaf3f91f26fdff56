import type { Block as AnyBlock, ThingsBlock } from '../../contract/blocks';
import { safeUrl } from '../../routes';
import { Block } from '../../ui/block';
import { Plate } from '../../ui/plate';
import { Shown } from '../value';
import { ActionsView } from './actions';
import { Logo } from './logo';

/** What somebody has or has begun: whose it is and how it stands, its figures, and the ways on from it. */
export const ThingsView = ({ title, items }: ThingsBlock) => {
  // below the block's heading, or in its place
  const Title = title ? 'h3' : 'h2';
  return (
    <Block kind="things" title={title}>
      <ul className="things">
        {items.map(({ facts = [], links = [], actions = [], ...item }) => (
          <li key={`${item.title} ${item.mark} ${links[0]?.href}`}>
            <div className="thing-head">
              {item.provider && <Logo provider={{ ...item, name: item.provider }} />}
              <div>
                <Title>{item.title}</Title>
                {item.mark && <Plate text={item.mark} />}
              </div>
              {item.badge && (
                <span className="tag" data-tone="plain">
                  {item.badge}
                </span>
              )}
            </div>
            {item.text && <p>{item.text}</p>}
            {facts.length > 0 && (
              <dl>
                {facts.map(({ label, value }) => (
                  <div key={label}>
                    <dt>{label}</dt>
                    <dd>
                      <Shown value={value} />
                    </dd>
                  </div>
                ))}
              </dl>
            )}
            <div className="thing-ways">
              {links.map(({ label, href }, index) => (
                <a
                  key={label}
                  className="button small"
                  data-style={index === 0 ? 'solid' : undefined}
                  href={safeUrl(href)}
                >
                  {label}
                </a>
              ))}
              <ActionsView items={actions} />
            </div>
          </li>
        ))}
      </ul>
    </Block>
  );
};

export const example: AnyBlock = {
  block: 'things',
  title: 'Your parcels',
  items: [
    {
      title: 'A box of books',
      mark: 'DL-3-CAB-1234',
      provider: 'Blue Courier',
      badge: 'On its way',
      facts: [
        { label: 'From', value: 'Pune' },
        { label: 'Price', value: { paise: 12_000 } },
      ],
      links: [{ label: 'Track it', href: '/parcels/1' }],
      actions: [{ label: 'Send another', event: 'again' }],
    },
  ],
};
