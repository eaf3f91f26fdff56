/** One file: its picture, what it is, how far it is, and what can be done with it. */
import type { ReactNode } from 'react';
import type { Upload } from '../../contract/api';
import { safeUrl } from '../../routes';
import { Button } from '../../ui/button';
import { t } from '../../ui/words';
import type { Item } from './upload-queue';

interface Props {
  name: string;
  picture?: string;
  /** what it is: its size, its pages */
  about?: string;
  state?: ReactNode;
  tone?: 'good' | 'bad';
  children?: ReactNode;
}

export const FileRow = ({ name, picture, about, state, tone, children }: Props) => (
  <li className="upload-file" data-tone={tone}>
    {picture ? <img className="upload-picture" src={picture} alt="" /> : <span className="upload-picture" />}
    <div className="upload-words">
      <p className="upload-name">{name}</p>
      <p className="upload-about">{[about, typeof state === 'string' && state].filter(Boolean).join(' · ')}</p>
      {typeof state === 'string' ? null : state}
    </div>
    <div className="upload-acts">{children}</div>
  </li>
);

export const Act = ({ of, onClick, children }: { of: string; onClick: () => void; children: ReactNode }) => (
  <Button look="link" onClick={onClick}>
    {children}
    <span className="sr"> {of}</span>
  </Button>
);

/** How far a file is, in words. */
export function told(item: Item): string {
  if (item.state === 'goes') return t('upload_sending', { share: share(item.sent, item.size) });
  if (item.state === 'refused' || item.state === 'failed') return item.reason ?? t('upload_failed');
  return t(item.state === 'stands' ? 'upload_stands' : item.state === 'waits' ? 'upload_waits' : 'upload_checks');
}

export const Progress = ({ item }: { item: Item }) => (
  <>
    {item.state !== 'refused' && item.state !== 'failed' && (
      <progress value={item.sent} max={Math.max(1, item.size)} aria-label={item.name} />
    )}
    <p className={item.state === 'refused' || item.state === 'failed' ? 'field-error' : 'upload-about'}>{told(item)}</p>
  </>
);

export const pictureOf = (upload: Upload | undefined): string | undefined => safeUrl(upload?.preview);

export function aboutOf(upload: Pick<Upload, 'size' | 'pages' | 'seconds'>): string {
  const { pages, seconds, size } = upload;
  return [pages && t('upload_pages', { n: pages }), seconds && t('seconds', { s: seconds }), weight(size)]
    .filter(Boolean)
    .join(' · ');
}

export const share = (sent: number, size: number): string => `${Math.floor((100 * sent) / Math.max(1, size))}%`;

function weight(bytes: number): string {
  const kilo = Math.max(1, Math.round(bytes / 1_000));
  return kilo < 1_000 ? `${kilo} KB` : `${(kilo / 1_000).toFixed(1)} MB`;
}
