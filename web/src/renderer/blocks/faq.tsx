import { Block } from '../../ui/block';
import { Paragraphs } from '../paragraphs';
import type { FaqBlock } from './types';

export const FaqView = ({ title, items }: FaqBlock) => (
  <Block kind="faq" title={title}>
    {items.map((item) => (
      <details className="faq" key={item.question}>
        <summary>{item.question}</summary>
        <Paragraphs text={item.answer} />
      </details>
    ))}
  </Block>
);
