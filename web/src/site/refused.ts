/** A browser that keeps no cookies is told at once, with other ways: nothing of what is begun could be found again. */
import { t } from '../ui/words';
import type { Help } from './boot';
import { ways } from './help';

/** Says so above the page. */
export function tell(help: Help = {}): void {
  const box = document.createElement('div');
  box.className = 'notice refused';
  box.dataset.tone = 'warning';
  box.setAttribute('role', 'alert');
  const body = document.createElement('div');
  body.className = 'notice-body';
  const why = document.createElement('p');
  why.textContent = t('cookies_needed');
  body.append(why, ways(help));
  box.append(body);
  document.getElementById('main')?.prepend(box);
}
