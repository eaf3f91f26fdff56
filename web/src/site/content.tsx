/** Pages that are no step. */

import type { Block } from '../contract/blocks';
import { Blocks } from '../renderer/blocks';

export function Content({ title, blocks }: { title: string; blocks: Block[] }) {
  const [first] = blocks;
  return (
    <div className="page">
      {first?.block !== 'hero' && <h1>{title}</h1>}
      <Blocks blocks={first?.block === 'hero' ? [{ ...first, level: 'h1' }, ...blocks.slice(1)] : blocks} />
    </div>
  );
}
