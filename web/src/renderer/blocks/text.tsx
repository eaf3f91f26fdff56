import type { TextBlock } from '../../api/types';
import { Paragraphs } from '../paragraphs';

export function TextView({ title, text, size = 'body' }: TextBlock) {
  return (
    <section className="block-text" data-size={size}>
      {title && <h2>{title}</h2>}
      <Paragraphs text={text} />
    </section>
  );
}
