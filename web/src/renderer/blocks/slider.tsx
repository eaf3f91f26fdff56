import type { Block as AnyBlock, SliderBlock } from '../../contract/blocks';
import { safeUrl } from '../../routes';
import { Block } from '../../ui/block';
import { t } from '../../ui/words';
import { Paragraphs } from '../paragraphs';

/**
 * Cards in a row that is scrolled sideways. Scripts turn it by themselves every `every_ms` and show the buttons; pressed, touched or
 * left by the eye it rests.
 */
export const SliderView = ({ title, items, every_ms }: SliderBlock) => (
  <Block kind="slider" title={title}>
    <div data-moves="slider" data-every={every_ms}>
      <ul className="slides" tabIndex={0} aria-label={title}>
        {items.map((item) => {
          const href = safeUrl(item.href);
          return (
            <li key={item.title}>
              {item.image && <img src={safeUrl(item.image)} alt="" width={400} height={170} loading="lazy" />}
              <h3>{href ? <a href={href}>{item.title}</a> : item.title}</h3>
              <Paragraphs text={item.text} />
            </li>
          );
        })}
      </ul>
      <Pause />
    </div>
  </Block>
);

/** What moves by itself can be paused and goes on when asked; where scripts do not run nothing moves. */
export const Pause = () => (
  <button className="button moves-pause" type="button" hidden>
    {t('pause')}
  </button>
);

export const example: AnyBlock = {
  block: 'slider',
  title: 'This month',
  every_ms: 4_500,
  items: [
    { title: 'Books travel cheaper', text: 'Up to 5 kg by road.', href: '/books' },
    { title: 'Glass', text: 'Packed by us, insured by us.' },
    { title: 'Across the sea', text: 'Andaman in four days.' },
  ],
};
