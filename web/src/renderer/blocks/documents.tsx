import type { Block as AnyBlock, DocumentsBlock } from '../../api/types';
import { Block } from '../../ui/block';
import { useActions } from '../context';

export function DocumentsView({ title, items }: DocumentsBlock) {
  const { documentUrl } = useActions();
  return (
    <Block kind="documents" title={title}>
      <ul className="documents">
        {items.map((item) => (
          <li key={item.document}>
            <a className="document" href={documentUrl(item.document)} download>
              <span className="document-mark" aria-hidden="true" />
              <span>
                <span className="document-title">{item.title}</span>
                {item.note && <small>{item.note}</small>}
              </span>
              <span className="document-get">Download</span>
            </a>
          </li>
        ))}
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
