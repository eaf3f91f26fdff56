import type { ReactNode } from 'react';

/** The frame of a content block: the same markup as in the server's pages, styled by its `data-block`. */
export function Block({ kind, title, children }: { kind: string; title?: string; children: ReactNode }) {
  return (
    <section className="block" data-block={kind}>
      {title && <h2 className="block-title">{title}</h2>}
      {children}
    </section>
  );
}
