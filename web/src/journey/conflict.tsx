/** The same request was changed in another window: both versions side by side; the person decides. */
import type { Value } from '../api/open';
import type { Difference, StepView } from '../contract/api';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { value as words } from '../ui/format';
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
      title="Changed in another window"
      onClose={onTakeTheirs}
      actions={
        <>
          {sameStep && (
            <Button look="primary" onClick={onKeepMine}>
              Use my answers
            </Button>
          )}
          <Button look={sameStep ? 'secondary' : 'primary'} onClick={onTakeTheirs}>
            {sameStep ? 'Use the other answers' : `Go to “${theirs.step.title}”`}
          </Button>
        </>
      }
    >
      <p>
        {sameStep
          ? 'Since you opened this page, it was answered elsewhere. Nothing was overwritten.'
          : `Since you opened this page, your request moved on to “${theirs.step.title}”. What you sent here was not used.`}
      </p>
      {difference.length > 0 && (
        <div className="table-scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Answer</th>
                <th scope="col">Yours</th>
                <th scope="col">The other</th>
              </tr>
            </thead>
            <tbody>
              {difference.map((one) => (
                <tr key={one.pointer}>
                  <th scope="row">{labelOf(mine.step.form?.schema, one.pointer)}</th>
                  <td>{said(one.yours)}</td>
                  <td>{said(one.theirs)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Dialog>
  );
}

function said(answer: unknown): string {
  if (answer === true) return 'Yes';
  if (answer === false) return 'No';
  if (Array.isArray(answer)) return answer.map(said).join(', ') || '—';
  return typeof answer === 'object' && answer !== null && !('paise' in answer) ? '…' : words(answer as Value);
}
