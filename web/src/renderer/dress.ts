/** Brings the sheet of a part that few steps need; the head of a page that begins with it names it already. Nothing: it is there. */
export const dress = (sheet: string): Promise<unknown> | undefined =>
  typeof document === 'undefined' || document.querySelector(`link[href="${sheet}"]`)
    ? undefined
    : new Promise((done) => {
        const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: sheet });
        link.onload = link.onerror = done;
        document.head.append(link);
      });
