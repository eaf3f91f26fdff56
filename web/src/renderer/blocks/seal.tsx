import type { Block as AnyBlock, SealBlock } from '../../contract/blocks';
import { Block } from '../../ui/block';

/** On the paper a code; on the page a link to what is behind it. */
export const SealView = ({ title, text, label, url }: SealBlock) => (
  <Block kind="seal" title={title}>
    <p>{text}</p>
    {url && (
      <p>
        <a href={url}>{label}</a>
      </p>
    )}
  </Block>
);

export const example: AnyBlock = {
  block: 'seal',
  title: 'Check this label',
  text: 'Whoever scans the code sees where the parcel goes, and nothing else.',
  label: 'See what they see',
  url: '/v/parcel',
};
