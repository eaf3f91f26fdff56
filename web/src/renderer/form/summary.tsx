import { useEffect, useRef } from 'react';
import { t } from '../../ui/words';
import type { FieldError } from './check';
import { fieldId, focusField } from './pointer';

/** All errors of a submit in one place: takes the focus when they come, each links to its field. */
export function ErrorSummary({ errors, serial }: { errors: Pick<FieldError, 'pointer' | 'text'>[]; serial: number }) {
  const ref = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus moves once a submit, not with each correction
  useEffect(() => {
    if (serial > 0 && errors.length > 0) {
      ref.current?.focus({ preventScroll: true });
      ref.current?.scrollIntoView?.({ block: 'center' });
    }
  }, [serial]);
  if (errors.length === 0) return null;
  return (
    <div className="error-summary" role="alert" tabIndex={-1} ref={ref} aria-labelledby="error-summary-title">
      <h2 id="error-summary-title">{t('check_answers', { n: errors.length })}</h2>
      <ul>
        {errors.map(({ pointer, text }) => (
          <li key={pointer}>
            <a
              href={`#${fieldId(pointer)}`}
              onClick={(event) => {
                event.preventDefault();
                focusField(pointer);
              }}
            >
              {text}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
