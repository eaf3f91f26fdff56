import type { Block as AnyBlock, CardsBlock } from '../../api/types';
import { Block } from '../../ui/block';
import { Paragraphs } from '../paragraphs';

export const CardsView = ({ title, items }: CardsBlock) => (
  <Block kind="cards" title={title}>
    <ul className="cards">
      {items.map((item) => (
        <li key={item.title}>
          <h3>{item.title}</h3>
          <Paragraphs text={item.text} />
        </li>
      ))}
    </ul>
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
