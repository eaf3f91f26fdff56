/** Pages that are no step: content, and a question with one button. Drawn by the server only, so nothing here listens. */

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

export interface Question {
  text: string;
  label: string;
}

/** Its answer is posted to the address of the page itself. */
export const Confirm = ({ title, text, label }: Question & { title: string }) => (
  <div className="page narrow">
    <h1>{title}</h1>
    <form className="card confirm" method="post">
      <p>{text}</p>
      <button className="button" data-style="primary" type="submit">
        {label}
      </button>
    </form>
  </div>
);
