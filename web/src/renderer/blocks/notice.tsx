import type { NoticeBlock } from '../../api/types';
import { Notice } from '../../ui/notice';
import { Paragraphs } from '../paragraphs';

export const NoticeView = ({ title, text, tone }: NoticeBlock) => (
  <Notice tone={tone} title={title}>
    <Paragraphs text={text} />
  </Notice>
);
