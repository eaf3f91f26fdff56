import type { ReactNode } from 'react';
import type { Block as AnyBlock, HeroBlock } from '../../contract/blocks';
import { safeUrl } from '../../routes';
import { Block } from '../../ui/block';
import { Shown } from '../value';
import { Ways } from './links';

/** The promise at the top of a first page; on a content page it is the page's heading. */
export const HeroView = ({
  title,
  text,
  points,
  note,
  source,
  image,
  links,
  level: Title = 'h2',
  children,
}: HeroBlock & { children?: ReactNode }) => (
  <Block kind="hero" look={image ? 'scene' : undefined}>
    {title && <Title>{title}</Title>}
    {text && <p className="lead">{text}</p>}
    {points && points.length > 0 && (
      <ul className="points">
        {points.map((point, index) => (
          <li key={index}>
            <Shown value={point} />
          </li>
        ))}
      </ul>
    )}
    {source && (
      <a className="hero-source" href={safeUrl(source.href)}>
        {source.label}
      </a>
    )}
    {note && (
      <p>
        <small>{note}</small>
      </p>
    )}
    {links && <Ways items={links} main />}
    {children}
    {image && <img className="hero-scene" src={safeUrl(image)} alt="" />}
  </Block>
);

export const example: AnyBlock = {
  block: 'hero',
  title: 'Your parcel, insured in three minutes',
  text: 'One form, prices of twelve couriers.',
  points: ['Collected at your door', { text: 'Claims settled in a week' }],
  source: { label: 'Sample figures: what each one counts', href: '/figures' },
  note: 'Counted over all parcels of the last year.',
};
