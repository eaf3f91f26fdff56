/** Where something may float over a page without standing on what is to be pressed. */

/** Between what floats and what it leaves free. */
const GAP = 12;
/** What nothing may stand on. */
const ACTIONS = '.button[data-style="primary"]';

interface Box {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

/**
 * The lowest place in a view for a box of this height that covers none of the others; where there is none the lowest of all.
 * What is returned is how far its lower edge is above the view's.
 */
export function freePlace(
  view: { top: number; height: number },
  box: Pick<Box, 'left' | 'right'> & { height: number },
  others: Box[],
): number {
  const beside = others.filter((one) => one.left < box.right && one.right > box.left);
  let bottom = view.height - GAP;
  for (const one of [...beside].sort((a, b) => b.bottom - a.bottom)) {
    if (one.bottom + GAP > bottom - box.height && one.top - GAP < bottom) bottom = one.top - GAP;
  }
  return bottom - box.height < view.top ? GAP : view.height - bottom;
}

/**
 * Keeps what floats off the primary actions of the page, and where there is room off what `also` selects, also while it is scrolled;
 * the result ends it.
 */
export function keepClear(floating: HTMLElement, also = ''): () => void {
  let next = 0;
  const place = () => {
    const { left, right, height } = floating.getBoundingClientRect();
    const header = document.querySelector('.site-header')?.getBoundingClientRect().bottom ?? 0;
    const above = (selected: string) => {
      const others = [...document.querySelectorAll(selected)]
        .filter((one) => !floating.contains(one) && one.checkVisibility?.() !== false)
        .map((one) => one.getBoundingClientRect())
        .filter(({ top, bottom }) => bottom > 0 && top < innerHeight);
      return freePlace({ top: Math.max(0, header), height: innerHeight }, { left, right, height }, others);
    };
    const best = above(ACTIONS + also);
    const up = best > GAP ? best : above(ACTIONS);
    floating.style.setProperty('--up', `${up}px`);
  };
  const soon = () => {
    cancelAnimationFrame(next);
    next = requestAnimationFrame(place);
  };
  place();
  const over = new AbortController();
  for (const sign of ['scroll', 'resize']) addEventListener(sign, soon, { passive: true, signal: over.signal });
  // an error, a field that appears: what is to be pressed moves
  const grown = new ResizeObserver(soon);
  grown.observe(document.body);
  return () => {
    cancelAnimationFrame(next);
    grown.disconnect();
    over.abort();
  };
}
