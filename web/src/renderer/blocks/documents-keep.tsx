import { useEffect, useState } from 'react';
import type { DocumentsBlock } from '../../contract/blocks';
import { Icon } from '../../ui/icon';
import { t } from '../../ui/words';
import { useActions } from '../context';
import { reminder } from './reminder';

/** What one does with a paper besides having it: passing it on, and remembering its day. */
export function Keep({
  title,
  url,
  remind,
  share,
}: { title: string; url: string } & Pick<DocumentsBlock, 'remind' | 'share'>) {
  return (
    <>
      <Share title={title} url={url} />
      {share?.url && (
        <li>
          <a
            className="button"
            href={`https://wa.me/?text=${encodeURIComponent(`${share.text} ${share.url}`)}`}
            target="_blank"
            rel="noopener"
          >
            <Icon name="share" />
            {t('send_whatsapp')}
          </a>
        </li>
      )}
      {remind && <Remind {...remind} />}
    </>
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
      if ((error as Error).name !== 'AbortError') say(t('not_sent'));
    }
  };
  return (
    <li>
      <button type="button" className="button" onClick={share}>
        <Icon name="share" />
        {t('send_copy')}
      </button>
    </li>
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
    <li>
      <a className="button" href={url} download="reminder.ics">
        <Icon name="bell" />
        {t('remind_me')}
      </a>
    </li>
  );
}
