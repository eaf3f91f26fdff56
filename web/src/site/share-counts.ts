/** How often a page was passed on, beside each way of doing so. Nobody waits for it, and without an answer nothing stands there. */
import { t } from '../ui/words';

interface Counted {
  counts: { way: string; count: number }[];
}

const PATIENCE_MS = 4_000;

export async function tellCounts(list: HTMLElement): Promise<void> {
  const address = `${list.dataset.counts}?path=${encodeURIComponent(location.pathname)}`;
  const answer = await fetch(address, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => undefined);
  const told = answer?.ok && ((await answer.json().catch(() => undefined)) as Counted | undefined);
  if (!told) return;
  for (const { way, count } of told.counts)
    if (count > 0) list.querySelector(`[data-way="${way}"]`)?.append(` ${t('shared_times', { n: count })}`);
}
