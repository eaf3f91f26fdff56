import { useContext } from 'react';
import type { Block as AnyBlock, JourneyBlock } from '../../contract/blocks';
import { Block } from '../../ui/block';
import { t } from '../../ui/words';
import { DrawnPlace } from '../context';

/** A journey's steps in a page; with a hash in a dialog. Its first step is drawn with the page, and works before any script does. */
export function JourneyView({ id, title, text, hash, items = [] }: JourneyBlock) {
  const drawn = useContext(DrawnPlace);
  // biome-ignore lint/security/noDangerouslySetInnerHtml: drawn by this same code
  const place = <div className="place" dangerouslySetInnerHTML={{ __html: drawn }} />;
  const words = (
    <>
      {title && <h2 className="block-title">{title}</h2>}
      {text && <p className="lead">{text}</p>}
    </>
  );
  if (!hash)
    return (
      <Block kind="journey" id={id}>
        {words}
        {place}
      </Block>
    );
  return (
    <dialog className="dialog" id={hash} data-block="journey" aria-label={title}>
      <div className="dialog-in">
        <form className="place-close" method="dialog">
          <button type="submit" className="icon-button" aria-label={t('close')}>
            <span aria-hidden="true">×</span>
          </button>
        </form>
        {items.length > 0 && (
          <ol className="place-steps">
            {items.map((item) => (
              <li key={item.title}>{item.title}</li>
            ))}
          </ol>
        )}
        <div className="dialog-body">
          {words}
          {place}
        </div>
      </div>
    </dialog>
  );
}

export const example: AnyBlock = { block: 'journey', title: 'Send a parcel', text: 'Two questions, then prices.' };
