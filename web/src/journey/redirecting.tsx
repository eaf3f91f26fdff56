/** On the way to a partner's page: it goes by itself once; who comes back finds the way on. A GET is a link, a POST a form. */
import { type ReactNode, useEffect, useRef } from 'react';
import type { Redirect } from '../contract/api';
import { safeUrl } from '../routes';
import { t } from '../ui/words';

export function Redirecting({ redirect, once }: { redirect: Redirect; once: string }) {
  const ref = useRef<HTMLFormElement>(null);
  const url = safeUrl(redirect.url);
  const fields = Object.entries(redirect.fields ?? {});
  const href = url && redirect.method !== 'POST' ? withQuery(url, fields) : undefined;
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
      if (href) window.location.assign(href);
      else ref.current?.requestSubmit();
    }, 900);
    return () => clearTimeout(soon);
  }, [once, url, href]);
  const label = redirect.label ?? t('continue');
  const around = (way: ReactNode) => (
    <>
      <div className="wait-mark" aria-hidden="true" />
      <p className="wait-text">{t('taking_you')}</p>
      {way}
      <p className="wait-keep">{t('keep_open')}</p>
    </>
  );
  return (
    <div className="step-body">
      {href ? (
        <div className="card wait">
          {around(
            <a className="button" data-style="primary" href={href}>
              {label}
            </a>,
          )}
        </div>
      ) : (
        <form ref={ref} className="card wait" action={url} method="post">
          {fields.map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
          {around(
            <button className="button" data-style="primary" type="submit" disabled={!url}>
              {label}
            </button>,
          )}
        </form>
      )}
    </div>
  );
}

function withQuery(url: string, fields: [name: string, value: string][]): string {
  if (fields.length === 0) return url;
  const address = new URL(url, window.location.href);
  for (const [name, value] of fields) address.searchParams.append(name, value);
  return address.href;
}
