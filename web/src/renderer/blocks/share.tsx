import type { Block as AnyBlock, ShareBlock } from '../../contract/blocks';
import { Block } from '../../ui/block';
import { t } from '../../ui/words';

/** Ways to pass the page on: plain links, which tell nobody anything before they are pressed. */
export function ShareView({ title, text = '', counts, url }: ShareBlock) {
  if (!url) return null;
  const [words, address] = [encodeURIComponent(text), encodeURIComponent(url)];
  const ways = [
    ['whatsapp', 'WhatsApp', `https://wa.me/?text=${words}%20${address}`],
    ['x', 'X', `https://x.com/intent/post?text=${words}&url=${address}`],
    ['facebook', 'Facebook', `https://www.facebook.com/sharer/sharer.php?u=${address}`],
    ['email', t('email'), `mailto:?subject=${words}&body=${address}`],
  ];
  return (
    <Block kind="share" title={title ?? t('share')}>
      <ul className="links" data-counts={counts}>
        {ways.map(([way, name, href]) => (
          <li key={way} data-way={way}>
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
