import type { ReactNode } from 'react';

interface Props {
  kind: string;
  /** an address with it as its hash opens the page here */
  id?: string;
  title?: string;
  /** a look of its kind */
  look?: string;
  children: ReactNode;
}

/** The frame of a content block, styled by its `data-block`. */
export function Block({ kind, id, title, look, children }: Props) {
  return (
    <section className="block" id={id} data-block={kind} data-style={look}>
      {title && <h2 className="block-title">{title}</h2>}
      {children}
    </section>
  );
}
