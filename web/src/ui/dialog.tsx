import { type ReactNode, useEffect, useId, useRef } from 'react';
import { t } from './words';

interface Props {
  title: string;
  wide?: boolean;
  onClose: () => void;
  children: ReactNode;
  actions?: ReactNode;
}

/** A modal dialog on a desk, a sheet from below on a phone. The browser keeps and returns the focus; Escape and the backdrop close it. */
export function Dialog({ title, wide, onClose, children, actions }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement as HTMLElement | null;
    if (dialog && !dialog.open) {
      if (dialog.showModal) dialog.showModal();
      else dialog.setAttribute('open', '');
    }
    document.documentElement.dataset.modal = 'open';
    return () => {
      delete document.documentElement.dataset.modal;
      before?.focus?.({ preventScroll: true });
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes through onCancel
    <dialog
      ref={ref}
      className="dialog"
      data-wide={wide || undefined}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === ref.current && onClose()}
    >
      <div className="dialog-in">
        <header className="dialog-head">
          <h2 id={id}>{title}</h2>
          <button type="button" className="icon-button" aria-label={t('close')} onClick={onClose}>
            <span aria-hidden="true">×</span>
          </button>
        </header>
        <div className="dialog-body">{children}</div>
        {actions && <footer className="dialog-actions">{actions}</footer>}
      </div>
    </dialog>
  );
}
