/** On the way to a partner's page: the form goes by itself once; who comes back finds the button. */
import { useEffect, useRef } from 'react';
import type { Redirect } from '../contract/api';
import { safeUrl } from '../routes';
import { t } from '../ui/words';

export function Redirecting({ redirect, once }: { redirect: Redirect; once: string }) {
  const ref = useRef<HTMLFormElement>(null);
  const url = safeUrl(redirect.url);
  useEffect(() => {
    const place = `left:${once}`;
    let went = false;
    try {
      went = sessionStorage.getItem(place) !== null;
    } catch {
      // without storage it goes every time
    }
    if (went || !url) return;
    const soon = setTimeout(() => {
      try {
        sessionStorage.setItem(place, '1');
      } catch {
        // as above
      }
      ref.current?.requestSubmit();
    }, 900);
    return () => clearTimeout(soon);
  }, [once, url]);
  const method = redirect.method ?? 'GET';
  // a GET form drops the query of its address: it travels as fields
  const query = method === 'GET' && url ? [...new URL(url, 'http://here').searchParams] : [];
  return (
    <div className="step-body">
      <form ref={ref} className="card wait" action={url} method={method}>
        <div className="wait-mark" aria-hidden="true" />
        {[...query, ...Object.entries(redirect.fields ?? {})].map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <p className="wait-text">{t('taking_you')}</p>
        <button className="button" data-style="primary" type="submit" disabled={!url}>
          {redirect.label ?? t('continue')}
        </button>
        <p className="wait-keep">{t('keep_open')}</p>
      </form>
    </div>
  );
}
