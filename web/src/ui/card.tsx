import type { ReactNode } from 'react';

export function Card({
  title,
  level = 2,
  className = '',
  children,
}: {
  title?: ReactNode;
  level?: 2 | 3;
  className?: string;
  children: ReactNode;
}) {
  const Heading = `h${level}` as const;
  return (
    <section className={`card ${className}`.trim()}>
      {title && <Heading className="card-title">{title}</Heading>}
      {children}
    </section>
  );
}
