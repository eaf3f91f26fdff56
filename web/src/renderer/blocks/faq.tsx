import type { Block as AnyBlock, FaqBlock } from '../../contract/blocks';
import { Block } from '../../ui/block';
import { t } from '../../ui/words';
import { Paragraphs } from '../paragraphs';

/** How many questions stand open to see; the others are on the page too, folded. */
const SHOWN = 5;

export const FaqView = ({ title, items }: FaqBlock) => (
  <Block kind="faq" title={title}>
    <Questions items={items.slice(0, SHOWN)} />
    {items.length > SHOWN && (
      <details className="faq-more">
        <summary>{t('more_questions', { n: items.length - SHOWN })}</summary>
        <Questions items={items.slice(SHOWN)} />
      </details>
    )}
  </Block>
);

const Questions = ({ items }: Pick<FaqBlock, 'items'>) =>
  items.map((item) => (
    <details className="faq" key={item.question}>
      <summary>{item.question}</summary>
      <Paragraphs text={item.answer} />
    </details>
  ));

export const example: AnyBlock = {
  block: 'faq',
  title: 'Questions',
  items: [
    { question: 'When is it collected?', answer: 'On the next working day.\n\nOn the islands a day later.' },
    { question: 'May I send glass?', answer: 'Yes, when it is packed as the courier says.' },
    { question: 'And books?', answer: 'Of course.' },
    { question: 'Who signs?', answer: 'Whoever opens the door.' },
    { question: 'Is it insured?', answer: 'Up to the value that you gave.' },
    { question: 'May I send plants?', answer: 'Not in winter.' },
  ],
};
