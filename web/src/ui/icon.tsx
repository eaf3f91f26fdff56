/** An icon of our set, always beside words that say the same. */
export const Icon = ({ name, small }: { name: string; small?: boolean }) => (
  <svg className={small ? 'icon small' : 'icon'} aria-hidden="true">
    <use href={`/icons.svg#${name}`} />
  </svg>
);
