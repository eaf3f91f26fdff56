import { useSyncExternalStore } from 'react';

/** Whether a media query holds now. Where there is no window to ask (tests), it does not. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const list = window.matchMedia?.(query);
      list?.addEventListener('change', changed);
      return () => list?.removeEventListener('change', changed);
    },
    () => window.matchMedia?.(query).matches ?? false,
    () => false,
  );
}

export const WIDE = '(min-width: 60rem)';
