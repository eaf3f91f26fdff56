import { createElement, type ReactNode } from 'react';
import type { Block as AnyBlock, Prose, ProseBlock } from '../../contract/blocks';
import { safeUrl } from '../../routes';
import { Block } from '../../ui/block';

/** A part of words in Markdown, which the server has read: an element of a closed list, never markup of a value. */
const draw = (part: Prose, key: number): ReactNode => {
  if (typeof part === 'string') return part;
  const { is, of, href } = part;
  const element = createElement(is, { key, href: href && safeUrl(href) }, of.map(draw));
  // it scrolls sideways by itself where it is too wide
  return is === 'table' ? createElement('div', { key, className: 'table-scroll', tabIndex: 0 }, element) : element;
};

export const ProseView = ({ title, text, size }: ProseBlock) => (
  <Block kind="text" title={title}>
    <div className="text prose" data-size={size}>
      {text.map(draw)}
    </div>
  </Block>
);

export const example: AnyBlock = {
  block: 'prose',
  title: 'How it works',
  text: [
    {
      is: 'p',
      of: ['We pay ', { is: 'strong', of: ['at once'] }, '. See ', { is: 'a', href: '/terms', of: ['the terms'] }, '.'],
    },
    {
      is: 'ul',
      of: [
        { is: 'li', of: ['By road'] },
        { is: 'li', of: ['By air'] },
      ],
    },
    {
      is: 'table',
      of: [
        {
          is: 'thead',
          of: [
            {
              is: 'tr',
              of: [
                { is: 'th', of: ['Weight'] },
                { is: 'th', of: ['Price'] },
              ],
            },
          ],
        },
        {
          is: 'tbody',
          of: [
            {
              is: 'tr',
              of: [
                { is: 'td', of: ['1 kg'] },
                { is: 'td', of: ['₹80'] },
              ],
            },
          ],
        },
      ],
    },
  ],
};
