import { useLayoutEffect, useRef } from 'react';
import type { Option } from '../../contract/blocks';
import { safeUrl } from '../../routes';

/** The provider's logo, or a mark in its colour and a shape of its own with its initials; its name stands beside it, always. */
export function Logo({ provider }: { provider: Option['provider'] }) {
  const ref = useRef<HTMLElement>(null);
  const source = safeUrl(provider.logo);
  const colour = /^#[0-9a-f]{6}$/i.test(provider.colour ?? '') ? provider.colour! : undefined;
  // set here and not in the markup, where the page's policy allows no style
  useLayoutEffect(() => {
    if (ref.current && colour) ref.current.style.background = colour;
  }, [colour]);
  if (source) return <img className="logo" src={source} alt="" width={72} height={40} loading="lazy" />;
  return (
    <span className="logo" aria-hidden="true">
      <i ref={ref} data-mark={markOf(provider.name)} />
      {initials(provider.short ?? provider.name)}
    </span>
  );
}

/** One of eight shapes, for a name always the same. */
export const markOf = (name: string): number => (name.length + name.charCodeAt(0)) % 8;

/** HDFC ERGO → HE, Digit → D, New India → NI. */
export const initials = (name: string): string =>
  name
    .split(/[\s-]+/)
    .map((word) => word[0] ?? '')
    .join('')
    .slice(0, 2)
    .toUpperCase();
