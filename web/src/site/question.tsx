/** A page that asks before something is done. Drawn by the server only, so nothing here listens. */
import type { Block } from '../contract/blocks';
import { Blocks } from '../renderer/blocks';
import { HeroView } from '../renderer/blocks/hero';

/** Its way on is a button, which posts to the address of the page itself. */
export function Question({ title, blocks, submit }: { title: string; blocks: Block[]; submit: string }) {
  const [first, ...rest] = blocks;
  const button = (
    <form method="post">
      <button className="button" data-style="primary" type="submit">
        {submit}
      </button>
    </form>
  );
  if (first?.block === 'hero')
    return (
      <div className="page">
        <HeroView {...first} level="h1">
          {button}
        </HeroView>
        <Blocks blocks={rest} />
      </div>
    );
  return (
    <div className="page">
      <h1>{title}</h1>
      <Blocks blocks={blocks} />
      {button}
    </div>
  );
}
