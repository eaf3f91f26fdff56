import { Block } from '../../ui/block';
import { Paragraphs } from '../paragraphs';
import type { CardsBlock } from './types';

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
