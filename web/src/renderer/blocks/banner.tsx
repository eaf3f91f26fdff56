import type { Block as AnyBlock, BannerBlock } from '../../contract/blocks';
import { safeUrl } from '../../routes';
import { Block } from '../../ui/block';
import { Paragraphs } from '../paragraphs';

/** One thing that a page puts forward, with one way on. */
export const BannerView = ({ title, text, image, label, href, tone }: BannerBlock) => (
  <Block kind="banner">
    <div className="banner-card" data-tone={tone}>
      <div>
        {title && <h2>{title}</h2>}
        {text && <Paragraphs text={text} />}
        {label && safeUrl(href) && (
          <a className={tone === 'plain' ? 'hero-source' : 'button'} data-style="solid" href={safeUrl(href)}>
            {label}
          </a>
        )}
      </div>
      {image && <img src={safeUrl(image)} alt="" width={240} height={140} loading="lazy" />}
    </div>
  </Block>
);

export const example: AnyBlock = {
  block: 'banner',
  title: 'Send two, pay for one',
  text: 'Until the end of the month, by road.',
  label: 'See how',
  href: '/two',
};
