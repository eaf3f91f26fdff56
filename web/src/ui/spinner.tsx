export const Spinner = () => <span className="spinner" aria-hidden="true" />;

export function Loading({ text }: { text: string }) {
  return (
    <p className="loading">
      <Spinner />
      {text}
    </p>
  );
}
