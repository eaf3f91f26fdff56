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

const never = () => () => {};

/** Whether this stands as the server drew it: so until the app has taken it over. */
export const useDrawn = (): boolean =>
  useSyncExternalStore(
    never,
    () => false,
    () => true,
  );

export const WIDE = '(min-width: 60rem)';
