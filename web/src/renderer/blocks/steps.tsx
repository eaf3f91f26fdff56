import { Block } from '../../ui/block';
import { Paragraphs } from '../paragraphs';
import type { StepsBlock } from './types';

export const StepsView = ({ title, items }: StepsBlock) => (
  <Block kind="steps" title={title}>
    <ol className="steps">
      {items.map((item) => (
        <li key={item.title}>
          <h3>{item.title}</h3>
          {item.text && <Paragraphs text={item.text} />}
        </li>
      ))}
    </ol>
  </Block>
);
