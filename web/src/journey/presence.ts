/**
 * Says that somebody is here: every half minute while the person does something, until nothing was done for a while, and
 * again as soon as something is. A hidden page says nothing. How often and how long is the server's to say.
 */
/** Of a person: a page scrolls by itself too, as what stands above changes. */
const SIGNS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

export interface Pace {
  every_ms: number;
  idle_ms: number;
}

/** Calls `ping` at that pace; it answers false when there is nobody to tell any more. The result ends it. */
export function keepPresence({ every_ms, idle_ms }: Pace, ping: () => Promise<boolean>): () => void {
  let active = Date.now();
  let pinged = active;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let over = false;

  const next = () => {
    timer = setTimeout(tick, Math.max(0, pinged + every_ms - Date.now()));
  };
  const rest = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const tick = () => {
    rest();
    if (over || document.visibilityState === 'hidden' || Date.now() - active >= idle_ms) return;
    pinged = Date.now();
    ping().then((wanted) => {
      if (!wanted) end();
    });
    next();
  };
  const acted = () => {
    active = Date.now();
    if (timer === undefined && !over && document.visibilityState !== 'hidden') next();
  };
  const shown = () => (document.visibilityState === 'hidden' ? rest() : acted());
  const end = () => {
    over = true;
    rest();
    for (const sign of SIGNS) window.removeEventListener(sign, acted);
    document.removeEventListener('visibilitychange', shown);
  };

  for (const sign of SIGNS) window.addEventListener(sign, acted, { passive: true });
  document.addEventListener('visibilitychange', shown);
  if (document.visibilityState !== 'hidden') next();
  return end;
}
