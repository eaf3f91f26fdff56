/** What widgets may know of the form around them, outside of RJSF so that a keystroke redraws one field only. */
import { createContext, type Dispatch, type SetStateAction, useContext, useEffect, useState } from 'react';
import type { Data } from '../../api/open';
import type { Rows } from '../../contract/api';
import { read } from './pointer';

export type Lookup = (name: string, query: Record<string, string>, signal?: AbortSignal) => Promise<Pick<Rows, 'rows'>>;

export const FormData = createContext<Data>({});
/** For each list that people add rows to, the highest number that a row ever had. */
export const RowNumbers = createContext<Record<string, number>>({});
/** What the form waits for before it can be sent, by field; what `comes` by itself sends it then. */
export interface Waiting {
  pointer: string;
  text: string;
  comes?: boolean;
}
export const Unsent = createContext<Dispatch<SetStateAction<Waiting[]>>>(() => undefined);
export const LookupContext = createContext<Lookup>(async () => ({ rows: [] }));

/** The values at some pointers of the form's answers, as texts; empty when not answered. */
export function useAnswers(filter: Record<string, string> | undefined): Record<string, string> {
  const data = useContext(FormData);
  return Object.fromEntries(
    Object.entries(filter ?? {}).map(([column, pointer]) => [column, String(read(data, pointer) ?? '')]),
  );
}

/** The row of reference data with this key, as soon as it is known; with an empty key nobody is asked. */
export function useRow(source: string | undefined, key: string): Rows['rows'][number] | undefined {
  const lookup = useContext(LookupContext);
  const [found, setFound] = useState<{ key: string; row?: Rows['rows'][number] }>();
  useEffect(() => {
    if (source && key)
      lookup(source, { key }).then(
        ({ rows }) => setFound({ key, row: rows[0] }),
        () => undefined,
      );
  }, [lookup, source, key]);
  return found?.key === key ? found.row : undefined;
}
