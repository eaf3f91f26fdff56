import type { FaqBlock } from '../../api/types';
import { Paragraphs } from '../paragraphs';

export const FaqView = ({ title, items }: FaqBlock) => (
  <section className="faq">
    {title && <h2>{title}</h2>}
    {items.map((item) => (
      <details key={item.question}>
        <summary>{item.question}</summary>
        <div>
          <Paragraphs text={item.answer} />
        </div>
      </details>
    ))}
  </section>
);
