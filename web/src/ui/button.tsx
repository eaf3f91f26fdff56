import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Spinner } from './spinner';

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** primary: the one action of the screen; solid: a strong one that is not the way on */
  look?: 'primary' | 'secondary' | 'solid' | 'link' | 'danger';
  busy?: boolean;
  children: ReactNode;
}

/** A busy button keeps its place, its width and the focus; it only stops working. */
export function Button({ look = 'secondary', busy = false, type = 'button', children, onClick, ...rest }: Props) {
  return (
    <button
      {...rest}
      type={type}
      className={look === 'link' ? 'link-button' : 'button'}
      data-style={look}
      aria-disabled={busy || rest.disabled || undefined}
      data-busy={busy || undefined}
      onClick={(event) => (busy ? event.preventDefault() : onClick?.(event))}
    >
      {children}
      {busy && <Spinner />}
    </button>
  );
}
