import { t } from '../ui/words';

/** Whether what is typed is safe. Seen by all, spoken only when it is not. */
export function Saved({ state }: { state?: 'saving' | 'saved' | 'unsaved' }) {
  if (!state) return null;
  return (
    <p className="saved" data-state={state} role={state === 'unsaved' ? 'status' : undefined}>
      {t(state)}
    </p>
  );
}
