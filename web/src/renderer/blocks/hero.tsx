import type { ReactNode } from 'react';
import type { HeroBlock } from '../../api/types';

/** The promise at the top of a first page. Its title is the page's, so it is not said twice. */
export const HeroView = ({ text, points }: HeroBlock & { form?: ReactNode }) => (
  <section className="hero">
    {text && <p className="lead">{text}</p>}
    {points && points.length > 0 && (
      <ul className="hero-points">
        {points.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
    )}
  </section>
);
