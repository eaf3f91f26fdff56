import type { Pager } from '../../contract/blocks';
import { safeUrl } from '../../routes';

/** Which part of a long list this is, and the way to the others: plain links, the first without a number. */
export function PagerLinks({ pager }: { pager?: Pager }) {
  if (!pager || pager.pages < 2) return null;
  const { page, pages, href } = pager;
  const at = (number: number) => safeUrl(number === 1 ? href : `${href}?page=${number}`);
  return (
    <nav className="pager" aria-label="Pages">
      {page > 1 && (
        <a href={at(page - 1)} rel="prev">
          Previous
        </a>
      )}
      <span>
        Page {page} of {pages}
      </span>
      {page < pages && (
        <a href={at(page + 1)} rel="next">
          Next
        </a>
      )}
    </nav>
  );
}
