/** Whether what is typed is safe. Seen by all, spoken only when it is not. */
export function Saved({ state }: { state?: 'saving' | 'saved' | 'unsaved' }) {
  const words = { saving: 'Saving…', saved: 'Saved', unsaved: 'Not saved yet' };
  if (!state) return null;
  return (
    <p className="saved" data-state={state} role={state === 'unsaved' ? 'status' : undefined}>
      {words[state]}
    </p>
  );
}
