import type { HeroBlock } from '../../api/types';
import { safeUrl } from '../../routes';
import { Block } from '../../ui/block';

/** The promise at the top of a first page. */
export const HeroView = ({ title, text, points, image }: HeroBlock) => (
  <Block kind="hero">
    {title && <h2>{title}</h2>}
    {text && <p className="lead">{text}</p>}
    {points && points.length > 0 && (
      <ul className="points">
        {points.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
    )}
    {image && <img className="hero-scene" src={safeUrl(image)} alt="" />}
  </Block>
);
