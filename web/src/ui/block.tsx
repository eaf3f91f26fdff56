import type { ReactNode } from 'react';

interface Props {
  kind: string;
  title?: string;
  /** a look of its kind */
  look?: string;
  children: ReactNode;
}

/** The frame of a content block, styled by its `data-block`. */
export function Block({ kind, title, look, children }: Props) {
  return (
    <section className="block" data-block={kind} data-style={look}>
      {title && <h2 className="block-title">{title}</h2>}
      {children}
    </section>
  );
}
