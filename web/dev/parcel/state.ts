import type { Data } from '../../src/api/open.ts';
import type { Message } from '../../src/contract/api.ts';

export interface Parcel {
  id: string | null;
  revision: number;
  seq: number;
  at: string;
  data: Record<string, Data>;
  /** how many couriers have answered, of COURIERS */
  answered: number;
  stale: boolean;
  messages: Message[];
  picked?: string;
  moment: number;
}

export const begin = (): Parcel => ({
  id: null,
  revision: 0,
  seq: 0,
  at: 'start',
  data: {},
  answered: 0,
  stale: false,
  messages: [],
  moment: 0,
});
