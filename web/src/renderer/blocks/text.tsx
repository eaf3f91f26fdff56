import type { Block as AnyBlock, TextBlock } from '../../contract/blocks';
import { Block } from '../../ui/block';
import { Paragraphs } from '../paragraphs';

export const TextView = ({ title, text, size = 'body' }: TextBlock) => (
  <Block kind="text" title={title}>
    <Paragraphs text={text} className="text" size={size} />
  </Block>
);

export const example: AnyBlock = {
  block: 'text',
  title: 'What is covered',
  size: 'lead',
  text: 'Loss and damage on the way, from door to door.\n\nNot covered: what was broken before.',
};
