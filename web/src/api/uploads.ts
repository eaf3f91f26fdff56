/** The calls that files of a journey travel by. */
import type { NewUploadBody, Upload, UploadList } from '../contract/api';
import { api } from '../routes';
import { ask } from './ask';
import { problemOf, Refusal, Unreachable } from './client';

export const uploadsOf = (journey: string) => {
  const at = (...rest: string[]) => api.uploads(journey, ...rest);
  return {
    list: async () => (await call<UploadList>('GET', at())).uploads,
    begin: (file: NewUploadBody) =>
      call<Upload>('POST', at(), { body: JSON.stringify(file), headers: { 'content-type': 'application/json' } }),
    /** a part of it; the answer to the last one says what became of it */
    put: (id: string, part: Blob, from: number, size: number, signal: AbortSignal) =>
      call<Upload>('PUT', at(id), {
        body: part,
        headers: {
          'content-type': 'application/octet-stream',
          'content-range': `bytes ${from}-${from + part.size - 1}/${size}`,
        },
        signal,
      }),
    look: (id: string) => call<Upload>('GET', at(id)),
    remove: (id: string) => call<void>('DELETE', at(id)),
  };
};
export type UploadCalls = ReturnType<typeof uploadsOf>;

async function call<T>(method: string, url: string, more: RequestInit = {}): Promise<T> {
  let answer: Response;
  try {
    answer = await ask(url, {
      method,
      credentials: 'same-origin',
      ...more,
      headers: { accept: 'application/json', 'x-journey': '1', ...more.headers },
    });
  } catch (error) {
    throw new Unreachable(String(error));
  }
  if (answer.ok) return (answer.status === 204 ? undefined : await answer.json()) as T;
  const problem = await problemOf(answer);
  if (problem.code === 'sign_in') location.hash = 'login';
  throw new Refusal(problem);
}
