import type { ReactNode } from 'react';
import type { Tone } from '../api/open';
import { Icon } from './icon';
import { t } from './words';

const ICONS = { info: 'info', success: 'check', warning: 'bell', error: 'warning', plain: 'info' } as const;

/** A message in a tone. An error speaks at once (`alert`), the rest waits for a pause. */
export function Notice({
  tone = 'info',
  title,
  children,
  live = false,
  onClose,
}: {
  tone?: Tone;
  title?: string;
  children?: ReactNode;
  live?: boolean;
  onClose?: () => void;
}) {
  return (
    <div className="notice" data-tone={tone} role={live ? (tone === 'error' ? 'alert' : 'status') : undefined}>
      <Icon name={ICONS[tone]} />
      <div className="notice-body">
        {title && <strong>{title}</strong>}
        {typeof children === 'string' ? <p>{children}</p> : children}
      </div>
      {onClose && (
        <button type="button" className="icon-button" aria-label={t('close_message')} onClick={onClose}>
          <Icon name="cross" small />
        </button>
      )}
    </div>
  );
}
