/** Every address this app calls or shows is built here. */

const API = '/api/v1';
const part = encodeURIComponent;

export const api = {
  journeys: () => `${API}/journeys`,
  journey: (id: string, path?: string) =>
    `${API}/journeys/${part(id)}${path === undefined ? '' : `?path=${part(path)}`}`,
  events: (id: string) => `${API}/journeys/${part(id)}/events`,
  draft: (id: string) => `${API}/journeys/${part(id)}/draft`,
  presence: (id: string) => `${API}/journeys/${part(id)}/presence`,
  document: (id: string, document: string) => `${API}/journeys/${part(id)}/documents/${part(document)}`,
  /** files of a journey: all of them, or one (its bytes, its preview) */
  uploads: (id: string, ...rest: string[]) => [`${API}/journeys/${part(id)}/uploads`, ...rest].join('/'),
  start: (workflow: string) => `${API}/workflows/${workflow.split('/').map(part).join('/')}/start`,
  master: (name: string, query: Record<string, string>) => `${API}/master/${part(name)}?${new URLSearchParams(query)}`,
};

/** Path of a step within its workflow (`quotes`), out of a page address; undefined when the address is elsewhere. */
export function stepPath(base: string, pathname: string): string | undefined {
  if (pathname === base || pathname === `${base}/`) return '';
  return pathname.startsWith(`${base}/`) ? pathname.slice(base.length + 1).replace(/\/$/, '') : undefined;
}

/** An address that may stand in `href`: http, https, tel, mailto, or within this site. Anything else becomes undefined. */
export function safeUrl(url: string | null | undefined): string | undefined {
  if (!url) return undefined;
  if (/^(\/(?![/\\])|#|\?)/.test(url)) return url;
  return /^(https?:\/\/|tel:|mailto:)/i.test(url) ? url : undefined;
}
