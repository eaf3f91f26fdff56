/** Pages that are no step: content, some with one button. Drawn by the server only, so nothing here listens. */

import type { Block } from '../contract/blocks';
import { Blocks } from '../renderer/blocks';

/** `submit`: a button below the first block, which posts to the address of the page itself. */
export function Content({ title, blocks, submit }: { title: string; blocks: Block[]; submit?: string }) {
  const [first, ...rest] = blocks;
  const isHero = first?.block === 'hero';
  const top = isHero ? [{ ...first, level: 'h1' as const }] : blocks.slice(0, 1);
  return (
    <div className="page">
      {!isHero && <h1>{title}</h1>}
      {submit ? (
        <>
          <Blocks blocks={top} />
          <form method="post">
            <button className="button" data-style="primary" type="submit">
              {submit}
            </button>
          </form>
          <Blocks blocks={rest} />
        </>
      ) : (
        <Blocks blocks={[...top, ...rest]} />
      )}
    </div>
  );
}
