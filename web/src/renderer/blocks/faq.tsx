import { Block } from '../../ui/block';
import { Paragraphs } from '../paragraphs';
import type { Block as AnyBlock, FaqBlock } from './types';

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

export const example: AnyBlock = {
  block: 'faq',
  title: 'Questions',
  items: [
    { question: 'When is it collected?', answer: 'On the next working day.\n\nOn the islands a day later.' },
    { question: 'May I send glass?', answer: 'Yes, when it is packed as the courier says.' },
  ],
};
