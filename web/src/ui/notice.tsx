import type { ReactNode } from 'react';
import type { Tone } from '../api/open';

/** A message in a tone. An error speaks at once (`alert`), the rest waits for a pause. */
export function Notice({
  tone = 'info',
  title,
  children,
  live = false,
}: {
  tone?: Tone;
  title?: string;
  children?: ReactNode;
  live?: boolean;
}) {
  return (
    <div className="notice" data-tone={tone} role={live ? (tone === 'error' ? 'alert' : 'status') : undefined}>
      <div className="notice-body">
        {title && <strong>{title}</strong>}
        {typeof children === 'string' ? <p>{children}</p> : children}
      </div>
    </div>
  );
}
