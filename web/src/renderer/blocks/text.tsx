import { Block } from '../../ui/block';
import { Paragraphs } from '../paragraphs';
import type { TextBlock } from './types';

export const TextView = ({ title, text, size = 'body' }: TextBlock) => (
  <Block kind="text" title={title}>
    <Paragraphs text={text} className="text" size={size} />
  </Block>
);
