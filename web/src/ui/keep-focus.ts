/** What has the focus keeps it when it is drawn anew: as a page becomes the app's, or as an answer changes what is asked. */
export function keepFocus(root: HTMLElement): () => void {
  let last: Element | null = null;
  let step: string | undefined;
  const note = (at: Element | null) => {
    last = at;
    step = stepOf(at);
  };
  const over = new AbortController();
  note(root.contains(document.activeElement) ? document.activeElement : null);
  // before the app hears of it: what it has not taken over yet it keeps to itself
  root.addEventListener('focusin', ({ target }) => note(target as Element), { capture: true, signal: over.signal });
  // whoever presses elsewhere has left it
  addEventListener('pointerdown', ({ target }) => last !== target && note(null), {
    capture: true,
    signal: over.signal,
  });
  const changes = new MutationObserver((records) => {
    if (!last?.id || document.activeElement !== document.body) return;
    const isGone = records.some(({ removedNodes }) => [...removedNodes].some((one) => one.contains(last)));
    const again = isGone ? document.getElementById(last.id) : null;
    if (again && root.contains(again) && stepOf(again) === step) again.focus({ preventScroll: true });
  });
  changes.observe(root, { childList: true, subtree: true });
  return () => {
    over.abort();
    changes.disconnect();
  };
}

const stepOf = (at: Element | null): string | undefined => at?.closest<HTMLElement>('[data-step]')?.dataset.step;
