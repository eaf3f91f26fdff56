import type { Block as AnyBlock, CountdownBlock } from '../../contract/blocks';
import { Block } from '../../ui/block';
import { value } from '../../ui/format';
import { Pause } from './slider';

/** A day by which something ends. Scripts count down to it, and take it away once it has passed. */
export const CountdownView = ({ title, text, until }: CountdownBlock) => (
  <Block kind="countdown" title={title}>
    <p className="countdown" data-moves="countdown" data-until={until}>
      <span>{text}</span>{' '}
      <strong className="figures" role="timer" aria-live="off">
        {value(until.length === 10 ? until : { time: until })}
      </strong>{' '}
      <Pause />
    </p>
  </Block>
);

export const example: AnyBlock = {
  block: 'countdown',
  title: 'Before the festival',
  text: 'Sent in time until',
  until: '2126-11-21',
};
