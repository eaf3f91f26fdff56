import type { Block as AnyBlock, TextBlock } from '../../contract/blocks';
import { Block } from '../../ui/block';
import { Paragraphs } from '../paragraphs';
import { drawProse } from '../prose';

export const TextView = ({ title, text, size = 'body' }: TextBlock) => (
  <Block kind="text" title={title}>
    {typeof text === 'string' ? (
      <Paragraphs text={text} className="text" size={size} />
    ) : (
      <div className="text prose" data-size={size}>
        {text.map(drawProse)}
      </div>
    )}
  </Block>
);

export const example: AnyBlock = {
  block: 'text',
  title: 'What is covered',
  size: 'lead',
  text: 'Loss and damage on the way, from door to door.\n\nNot covered: what was broken before.',
};
