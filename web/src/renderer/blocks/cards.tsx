import type { Block as AnyBlock, CardsBlock } from '../../contract/blocks';
import { safeUrl } from '../../routes';
import { Block } from '../../ui/block';
import { Icon } from '../../ui/icon';
import { Paragraphs } from '../paragraphs';
import { Logo } from './logo';
import { PagerLinks } from './pager';

/** Short things side by side, each with an icon or a drawing; one with an address is a way in. */
export const CardsView = ({ title, items, pager }: CardsBlock) => (
  <Block kind="cards" title={title}>
    <ul className="cards">
      {items.map((item) => {
        const href = safeUrl(item.href);
        // below the block's heading, or in its place
        const Title = title ? 'h3' : 'h2';
        return (
          <li key={item.title}>
            {item.image ? (
              <img src={safeUrl(item.image)} alt="" width={400} height={170} loading="lazy" />
            ) : item.provider ? (
              <Logo provider={{ ...item, name: item.provider }} />
            ) : (
              item.icon && <Icon name={item.icon} />
            )}
            <Title>{href ? <a href={href}>{item.title}</a> : item.title}</Title>
            <Paragraphs text={item.text} />
          </li>
        );
      })}
    </ul>
    <PagerLinks pager={pager} />
  </Block>
);

export const example: AnyBlock = {
  block: 'cards',
  title: 'Why here',
  items: [
    { title: 'Prices side by side', text: 'Every courier, line by line.' },
    { title: 'No paper', text: 'The label comes by e-mail.' },
  ],
};
