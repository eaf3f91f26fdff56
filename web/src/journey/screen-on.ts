import { useEffect } from 'react';

/** Prices arrive and nobody touches anything: the screen stays on for so long (R9-49), while the page is looked at. */
export function useScreenOn(ms: number | undefined): void {
  useEffect(() => {
    if (!ms || !navigator.wakeLock) return;
    let lock: WakeLockSentinel | undefined;
    let isOver = false;
    const hold = async () => {
      if (isOver || document.visibilityState !== 'visible') return;
      try {
        lock = await navigator.wakeLock.request('screen');
        if (isOver) lock.release();
      } catch {
        // a phone that saves its battery says no
      }
    };
    const release = () => {
      isOver = true;
      lock?.release();
    };
    hold();
    document.addEventListener('visibilitychange', hold); // a hidden page loses it
    const timer = setTimeout(release, ms);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', hold);
      release();
    };
  }, [ms]);
}
