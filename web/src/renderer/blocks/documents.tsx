import { useEffect, useState } from 'react';
import type { Block as AnyBlock, DocumentsBlock } from '../../contract/blocks';
import { Block } from '../../ui/block';
import { Icon } from '../../ui/icon';
import { t } from '../../ui/words';
import { useActions } from '../context';
import { Keep } from './documents-keep';

/** Papers to keep: each is a download; where the device can, it is passed on as a file, and a day goes into the calendar. A page that is more than its papers is printed. */
export function DocumentsView({ title, items, style, remind, share }: DocumentsBlock) {
  const { documentUrl } = useActions();
  const main = style === 'main';
  // the server draws none of it: what a device can do with a paper only the device knows
  const [here, setHere] = useState(false);
  useEffect(() => setHere(true), []);
  return (
    <Block kind="documents" title={title} look={style}>
      <ul className="documents">
        {items.map((item, index) => (
          <li key={item.document}>
            <a
              className={main ? 'button' : 'document'}
              data-style={main && index === 0 ? 'primary' : undefined}
              href={documentUrl(item.document)}
              download
            >
              {main ? <Icon name="download" /> : <span className="document-mark" aria-hidden="true" />}
              <span>
                <span className="document-title">{item.title}</span>
                {item.note && <small>{item.note}</small>}
              </span>
              {!main && <span className="document-get">{t('download')}</span>}
            </a>
          </li>
        ))}
        {here && items[0] && (
          <Keep title={items[0].title} url={documentUrl(items[0].document)} remind={remind} share={share} />
        )}
        {!main && (
          <li>
            <button type="button" className="button" onClick={() => window.print()}>
              <Icon name="paper" />
              {t('print')}
            </button>
          </li>
        )}
      </ul>
    </Block>
  );
}

export const example: AnyBlock = {
  block: 'documents',
  title: 'Papers',
  items: [
    { title: 'Label', document: 'label', note: 'PDF, 40 KB' },
    { title: 'Invoice', document: 'invoice' },
  ],
};
