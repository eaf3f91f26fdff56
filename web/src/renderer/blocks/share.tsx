import type { Block as AnyBlock, ShareBlock } from '../../contract/blocks';
import { Block } from '../../ui/block';
import { t } from '../../ui/words';

/** Ways to pass the page on: plain links, which tell nobody anything before they are pressed. */
export function ShareView({ title, text = '', url }: ShareBlock) {
  if (!url) return null;
  const [words, address] = [encodeURIComponent(text), encodeURIComponent(url)];
  const ways = [
    ['WhatsApp', `https://wa.me/?text=${words}%20${address}`],
    ['X', `https://x.com/intent/post?text=${words}&url=${address}`],
    ['Facebook', `https://www.facebook.com/sharer/sharer.php?u=${address}`],
    [t('email'), `mailto:?subject=${words}&body=${address}`],
  ];
  return (
    <Block kind="share" title={title ?? t('share')}>
      <ul className="links">
        {ways.map(([name, href]) => (
          <li key={name}>
            <a href={href} {...(href?.startsWith('https') ? { target: '_blank', rel: 'noopener' } : {})}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </Block>
  );
}

export const example: AnyBlock = {
  block: 'share',
  text: 'Parcels, compared',
  url: 'https://parcels.example/help',
};
