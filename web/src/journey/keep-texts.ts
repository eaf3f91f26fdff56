/** Keeps what is drawn here true, whatever others make of it; how that is done comes while nothing waits for it. */
export function keepTexts(root: Node): () => void {
  let end: (() => void) | undefined;
  let over = false;
  import('../ui/true-texts').then(
    ({ keepTrue }) => {
      if (!over) end = keepTrue(root);
    },
    () => 0, // nobody may ever change the page
  );
  return () => {
    over = true;
    end?.();
  };
}
