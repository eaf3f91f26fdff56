/** Pages that are no step. */

import type { Block } from '../contract/blocks';
import { Blocks } from '../renderer/blocks';

export function Content({ title, blocks }: { title: string; blocks: Block[] }) {
  const [first, second, ...rest] = blocks;
  if (first?.block !== 'hero')
    return (
      <div className="page">
        <h1>{title}</h1>
        <Blocks blocks={blocks} />
      </div>
    );
  // a question comes between the promise and what speaks for it, in the document too: nothing is painted where it will not stay
  const asks = second?.block === 'journey' && !second.hash;
  const { title: promise, text, ...proof } = first;
  return (
    <div className="page" data-landing={asks || undefined}>
      <Blocks
        blocks={
          asks
            ? [
                { block: 'hero', title: promise, text, level: 'h1' },
                second,
                ...(Object.keys(proof).length > 1 ? [proof] : []),
                ...rest,
              ]
            : [{ ...first, level: 'h1' }, ...blocks.slice(1)]
        }
      />
    </div>
  );
}
