/** The same request was changed in another window: both versions side by side; the person decides. */
import type { Value } from '../api/open';
import type { Difference, StepView } from '../contract/api';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { value as words } from '../ui/format';
import { t } from '../ui/words';
import { labelOf } from './views';

interface Props {
  mine: StepView;
  theirs: StepView;
  difference: Difference[];
  onKeepMine: () => void;
  onTakeTheirs: () => void;
}

export function Conflict({ mine, theirs, difference, onKeepMine, onTakeTheirs }: Props) {
  const sameStep = mine.step.id === theirs.step.id;
  return (
    <Dialog
      title={t('conflict')}
      onClose={onTakeTheirs}
      actions={
        <>
          {sameStep && (
            <Button look="primary" onClick={onKeepMine}>
              {t('use_mine')}
            </Button>
          )}
          <Button look={sameStep ? 'secondary' : 'primary'} onClick={onTakeTheirs}>
            {sameStep ? t('use_other') : t('go_to', { step: theirs.step.title })}
          </Button>
        </>
      }
    >
      <p>{sameStep ? t('conflict_same') : t('conflict_moved', { step: theirs.step.title })}</p>
      {difference.length > 0 && (
        <div className="table-scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">{t('answer')}</th>
                <th scope="col">{t('yours')}</th>
                <th scope="col">{t('the_other')}</th>
              </tr>
            </thead>
            <tbody>
              {difference.map((one) => (
                <tr key={one.pointer}>
                  <th scope="row">{labelOf(mine.step.form?.schema, one.pointer)}</th>
                  <td>{told(one.yours)}</td>
                  <td>{told(one.theirs)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Dialog>
  );
}

function told(answer: unknown): string {
  if (answer === true) return t('yes');
  if (answer === false) return t('no');
  if (Array.isArray(answer)) return answer.map(told).join(', ') || '—';
  return typeof answer === 'object' && answer !== null && !('paise' in answer) ? '…' : words(answer as Value);
}
