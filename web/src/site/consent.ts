/** Whether visits may be counted: asked once, and nothing is loaded before a yes. */
import { t } from '../ui/words';
import { bar, button } from './bar';

const PLACE = 'visit-counted';

/** Runs once the visitor has agreed, now or on an earlier page; a storage that forgets is never asked. */
export function agreed(run: () => void): void {
  try {
    const said = localStorage.getItem(PLACE);
    if (said === 'yes') run();
    // one question at a time
    if (said || document.querySelector('.begun')) return;
  } catch {
    return;
  }
  const answer = (word: 'yes' | 'no') => () => {
    localStorage.setItem(PLACE, word);
    box.remove();
    if (word === 'yes') run();
  };
  const box = bar(
    t('count_visit'),
    button('button small', t('count_yes'), answer('yes')),
    button('link-button', t('count_no'), answer('no')),
  );
}
