/** Errors of this page, told to the server in one batch a while after the first. What is known to be noise is left out. */
import type { Reports } from './boot';

/** the ways in which browsers say that a name does not exist */
const missing = [' is not defined', 'variable: '];

interface Report {
  message: string;
  source: string;
  stack: string;
}

/** Listens until the page ends; `send` gets each batch. */
export function collectErrors({ wait_ms, max, libraries }: Reports, send: (errors: Report[]) => void): void {
  let errors: Report[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (errors[0]) send(errors);
    errors = [];
  };
  const add = (message: string, source: string, error: unknown) => {
    if (
      errors.length >= max ||
      libraries.some((name) =>
        missing.some((words) => message.endsWith(words + name) || message.endsWith(name + words)),
      )
    )
      return;
    errors.push({ message, source, stack: String((error as Error | undefined)?.stack ?? '') });
    timer ??= setTimeout(flush, wait_ms);
  };
  const failed = (event: ErrorEvent) => {
    // an image that does not load says nothing
    if (event.message) add(event.message, `${event.filename}:${event.lineno}`, event.error);
  };
  const rejected = ({ reason }: PromiseRejectionEvent) =>
    add(String((reason as Error | undefined)?.message ?? reason), '', reason);

  addEventListener('error', failed);
  addEventListener('unhandledrejection', rejected);
  addEventListener('pagehide', flush);
}
