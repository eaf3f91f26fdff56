/** Offers to go on with what was begun in this browser, or by who is logged in; what was had of it is opened. Nothing of the page moves. */
import { ask } from '../api/ask';
import type { JourneySummary } from '../contract/api';
import { api, safeUrl } from '../routes';
import { t } from '../ui/words';
import { bar, button } from './bar';

/** The request that is offered: the one changed last of those that wait for somebody, else of those that are done. */
export function offered(mine: JourneySummary[], workflow?: string): JourneySummary | undefined {
  const known = mine
    .filter((one) => one.about.title && (!workflow || one.workflow === workflow))
    .sort((one, other) => other.updated_at.localeCompare(one.updated_at));
  return known.find((one) => one.waits_for !== 'nobody') ?? known[0];
}

export async function offer(workflow?: string): Promise<void> {
  const answer = await ask(`${api.journeys()}?status=active`, { credentials: 'same-origin' }).catch(() => undefined);
  const found = answer?.ok ? offered((await answer.json()) as JourneySummary[], workflow) : undefined;
  // meanwhile something may have begun here
  if (!found || document.body.hasAttribute('data-begun')) return;
  const { title, mark, text } = found.about;
  const name = document.createElement('strong');
  name.textContent = [title, mark.replace(/-/g, ' ')].filter(Boolean).join(' · ');
  const how = document.createElement('span');
  how.textContent = text || found.step_title;
  const link = document.createElement('a');
  link.className = 'button small';
  link.dataset.style = 'solid';
  link.href = safeUrl(found.url) ?? '/';
  link.textContent = t(found.waits_for === 'nobody' ? 'open_it' : 'go_on');
  const close = button('icon-button', '×', () => box.remove());
  close.ariaLabel = t('close');
  const box = bar(t('begun_aside'), link, close);
  box.dataset.go = '';
  box.querySelector('p')?.replaceChildren(name, how);
}
