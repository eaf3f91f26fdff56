/** So long a call waits for its answer (R7-01, R9-45). */
const ANSWER_MS = 30_000;

/** `fetch` that gives up: whose answer takes longer is as one who was not reached. */
export async function ask(url: string, request: RequestInit): Promise<Response> {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), ANSWER_MS);
  request.signal?.addEventListener('abort', () => end.abort());
  try {
    return await fetch(url, { ...request, signal: end.signal });
  } finally {
    clearTimeout(timer);
  }
}
