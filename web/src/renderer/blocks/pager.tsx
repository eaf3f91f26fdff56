import type { Pager } from '../../contract/blocks';
import { safeUrl } from '../../routes';
import { t } from '../../ui/words';

/** Which part of a long list this is, and the way to the others: plain links, the first without a number. */
export function PagerLinks({ pager }: { pager?: Pager }) {
  if (!pager || pager.pages < 2) return null;
  const { page, pages, href } = pager;
  const at = (number: number) => safeUrl(number === 1 ? href : `${href}?page=${number}`);
  return (
    <nav className="pager" aria-label={t('pages')}>
      {page > 1 && (
        <a href={at(page - 1)} rel="prev">
          {t('previous')}
        </a>
      )}
      <span>{t('page_of', { n: page, all: pages })}</span>
      {page < pages && (
        <a href={at(page + 1)} rel="next">
          {t('next')}
        </a>
      )}
    </nav>
  );
}
