import { type RefObject, useLayoutEffect } from 'react';

/** Keeps it off what is to be pressed, as long as it floats. How that is done comes with the first that does. */
export function useClear(ref: RefObject<HTMLElement | null>, floats: boolean): void {
  useLayoutEffect(() => {
    const floating = ref.current;
    if (!floats || !floating) return;
    let end: (() => void) | undefined;
    let over = false;
    import('../ui/clear').then(
      ({ keepClear }) => {
        if (!over) end = keepClear(floating);
      },
      () => 0, // it floats where it did
    );
    return () => {
      over = true;
      end?.();
    };
  });
}
