/** What blocks may do: send an event, go to an answer, download. The journey (or the gallery) supplies it. */
import { createContext, useContext } from 'react';
import type { Data } from '../api/open';

export interface Actions {
  /** `shown` is the price in paise that stands beside what was pressed */
  send: (event: string, data?: Data, shown?: number) => void;
  change: (step: string, pointer?: string) => void;
  documentUrl: (document: string) => string;
  /** the journey that files belong to */
  journey?: string;
  /** the event being sent now, so that its button can say so */
  sending?: { event: string; data?: Data };
  say: (text: string) => void;
}

/** The server's clock in milliseconds, as far as this page knows it: a wrong clock on the phone shifts no deadline. */
export const ClockContext = createContext<() => number>(() => Date.now());
export const useClock = () => useContext(ClockContext);

/** The step of the journey that stands in a page, as the server draws it. */
export const DrawnPlace = createContext('');

/** The same of a calculator. */
export const DrawnCalculator = createContext('');

export const ActionsContext = createContext<Actions>({
  send: () => undefined,
  change: () => undefined,
  documentUrl: (document) => `#${document}`,
  say: () => undefined,
});
export const useActions = () => useContext(ActionsContext);
