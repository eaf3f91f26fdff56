import type { Block as AnyBlock, NoticeBlock } from '../../contract/blocks';
import { Block } from '../../ui/block';
import { Notice } from '../../ui/notice';
import { Paragraphs } from '../paragraphs';

export const NoticeView = ({ title, text, tone }: NoticeBlock) => (
  <Block kind="notice">
    <Notice tone={tone} title={title}>
      <Paragraphs text={text} />
    </Notice>
  </Block>
);

export const example: AnyBlock = {
  block: 'notice',
  tone: 'warning',
  title: 'Monsoon',
  text: 'Couriers may be a day late this week.',
};
