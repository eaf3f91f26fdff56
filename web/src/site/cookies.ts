/** Cookies for whoever counts visits: nothing personal, nothing that opens anything. */

const DAYS = 30;

/** For thirty days unless said otherwise (R9-61). */
export function setCookie(name: string, value: string, days = DAYS): void {
  // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store
  document.cookie = `${name}=${encodeURIComponent(value)}; Max-Age=${days * 86_400}; Path=/; Secure; SameSite=Lax`;
}

const PROBE = 'kept';

/** Whether this browser keeps cookies as the server sets them: without them it finds nobody's request again. */
export function keepsCookies(): boolean {
  try {
    setCookie(PROBE, '1');
    const isKept = navigator.cookieEnabled && has(PROBE);
    setCookie(PROBE, '', 0);
    return isKept;
  } catch {
    // a page that may not have any says so by an error
    return false;
  }
}

const has = (name: string) => document.cookie.split('; ').some((one) => one.startsWith(`${name}=`));

/** On which page somebody began, and on what kind of screen (R3-15). */
export function noteVisit(): void {
  if (!has('originTemplateName')) setCookie('originTemplateName', location.pathname);
  setCookie('pwa_source', matchMedia('(min-width: 48rem)').matches ? 'isDesktop' : 'isMobile');
}
