import { useEffect, useState } from 'react';
import type { DocumentsBlock } from '../../api/types';
import { Block } from '../../ui/block';
import { Icon } from '../../ui/icon';
import { useActions } from '../context';
import { reminder } from './reminder';

/** Papers to keep: each is a download; where the device can, it is passed on as a file, and a day goes into the calendar. */
export function DocumentsView({ title, items, style, remind }: DocumentsBlock) {
  const { documentUrl } = useActions();
  const main = style === 'main';
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
              {!main && <span className="document-get">Download</span>}
            </a>
          </li>
        ))}
        {items[0] && (
          <li>
            <Share title={items[0].title} url={documentUrl(items[0].document)} />
          </li>
        )}
        {remind && (
          <li>
            <Remind {...remind} />
          </li>
        )}
      </ul>
    </Block>
  );
}

/** Passes the file itself on (to WhatsApp, to a mail): the page's address would open for nobody else. */
function Share({ title, url }: { title: string; url: string }) {
  const { say } = useActions();
  const [able, setAble] = useState(false);
  useEffect(() => {
    const probe = () => new File([''], 'a.pdf', { type: 'application/pdf' });
    setAble(typeof navigator.canShare === 'function' && navigator.canShare({ files: [probe()] }));
  }, []);
  if (!able) return null;
  const share = async () => {
    try {
      const bytes = await (await fetch(url)).blob();
      const file = new File([bytes], `${title.replace(/[^\w-]+/g, '-')}.pdf`, { type: 'application/pdf' });
      await navigator.share({ files: [file], title });
    } catch (error) {
      if ((error as Error).name !== 'AbortError') say('It could not be sent. Please download it instead.');
    }
  };
  return (
    <button type="button" className="button" onClick={share}>
      <Icon name="share" />
      Send a copy
    </button>
  );
}

/** A calendar file, made here: opening it adds the day with a reminder two weeks before. */
function Remind({ title, date }: { title: string; date: string }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([reminder(title, date)], { type: 'text/calendar' }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [title, date]);
  return (
    <a className="button" href={url} download="reminder.ics">
      <Icon name="bell" />
      Remind me
    </a>
  );
}
