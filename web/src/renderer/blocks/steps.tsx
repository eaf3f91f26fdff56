import type { Block as AnyBlock, StepsBlock } from '../../contract/blocks';
import { Block } from '../../ui/block';
import { Paragraphs } from '../paragraphs';

export const StepsView = ({ title, items }: StepsBlock) => (
  <Block kind="steps" title={title}>
    <ol className="steps">
      {items.map((item) => (
        <li key={item.title}>
          <h3>{item.title}</h3>
          {item.text && <Paragraphs text={item.text} />}
        </li>
      ))}
    </ol>
  </Block>
);

export const example: AnyBlock = {
  block: 'steps',
  title: 'How it works',
  items: [{ title: 'Tell us what you send', text: 'Two questions.' }, { title: 'Choose a courier' }, { title: 'Done' }],
};
