import type { Block as AnyBlock, ReviewsBlock } from '../../contract/blocks';
import { Block } from '../../ui/block';
import { t } from '../../ui/words';
import { Paragraphs } from '../paragraphs';

const BEST = 5;

/** What customers say, each with its stars; above them all of them together. */
export const ReviewsView = ({ title, rating, note, items }: ReviewsBlock) => (
  <Block kind="reviews" title={title}>
    {(rating || note) && (
      <p className="rating">
        {rating && (
          <>
            <strong>{rating}</strong> <Stars rating={rating} />{' '}
          </>
        )}
        <small>{note}</small>
      </p>
    )}
    <ul className="cards">
      {items.map((item) => (
        <li key={item.title + item.text}>
          <Stars rating={item.rating} />
          <Paragraphs text={item.text} />
          <p>
            <strong>{item.title}</strong> {item.note && <small>{item.note}</small>}
          </p>
        </li>
      ))}
    </ul>
  </Block>
);

function Stars({ rating }: { rating: number }) {
  const full = Math.max(0, Math.min(BEST, Math.round(rating)));
  return (
    <span className="stars">
      <span aria-hidden="true">{'★'.repeat(full) + '☆'.repeat(BEST - full)}</span>
      <span className="sr">{t('stars', { n: rating, all: BEST })}</span>
    </span>
  );
}

export const example: AnyBlock = {
  block: 'reviews',
  title: 'What people say',
  rating: 4.6,
  note: '1,204 ratings',
  items: [
    { title: 'Asha', note: 'Pune', rating: 5, text: 'Collected within the hour.' },
    { title: 'Ravi', note: 'Delhi', rating: 3, text: 'A day late, but unbroken.' },
  ],
};
