/**
 * Files on their way to the server, one after the other, in parts. It outlives the fields that show it: whoever goes back and comes
 * again finds it going on. A line that breaks costs the part that was under way; without a line it waits.
 */
import { Refusal } from '../../api/client';
import { type UploadCalls, uploadsOf } from '../../api/uploads';
import type { Upload } from '../../contract/api';

export interface Item {
  key: string;
  /** the field that it was chosen for */
  field: string;
  kind: string;
  name: string;
  size: number;
  /** the id of the file whose place it takes */
  replaces?: string;
  state: 'waits' | 'goes' | 'stands' | 'checks' | 'ready' | 'refused' | 'failed';
  /** bytes that the server has */
  sent: number;
  reason?: string;
  /** a small picture of it, drawn here */
  picture?: string;
  /** as the server has it */
  upload?: Upload;
  /** absent when the page was loaded anew meanwhile */
  file?: Blob;
}

export interface Chosen {
  field: string;
  kind: string;
  file: File;
  name?: string;
  replaces?: string;
}

export interface Shown {
  items: readonly Item[];
  /** what the server has by id; nothing until it was asked */
  known?: ReadonlyMap<string, Upload>;
}

const AGAIN_MS = [1_000, 2_000, 4_000, 8_000, 15_000];
const LOOK_MS = 1_500;
/** On a line that breaks parts get smaller, down to this. */
const PART_MIN = 16 * 1024;

let keys = 0;

export class Queue {
  #shown: Shown = { items: [] };
  #heard = new Set<() => void>();
  #under = new Map<string, AbortController>();
  #busy = false;
  readonly #calls: UploadCalls;

  constructor(calls: UploadCalls) {
    this.#calls = calls;
  }

  readonly subscribe = (hear: () => void): (() => void) => {
    this.#heard.add(hear);
    return () => void this.#heard.delete(hear);
  };
  readonly shown = (): Shown => this.#shown;

  /** What the server has; what this tab began before the page was loaded anew is shown again. */
  async load(): Promise<void> {
    if (this.#shown.known) return;
    const found = await this.#calls.list().catch(() => undefined);
    if (!found || this.#shown.known) return;
    const own = new Set(this.#shown.items.map(({ upload }) => upload?.id));
    const back = found.flatMap((upload): Item[] => {
      const field = own.has(upload.id) ? null : memory.of(upload.id);
      if (!field || upload.status === 'receiving' || upload.status === 'replaced') return [];
      return [{ ...asItem(upload, field), state: upload.status === 'refused' ? 'refused' : 'checks' }];
    });
    this.#show({ known: new Map(found.map((one) => [one.id, one])), items: [...this.#shown.items, ...back] });
    for (const item of back) if (item.state === 'checks') this.#watch(item.key);
  }

  add(chosen: Chosen[]): void {
    const items = chosen.map(({ file, name = file.name, ...to }): Item => {
      const key = String(++keys);
      void pictureOf(file).then((picture) => picture && this.#set(key, { picture }));
      return { ...to, key, name, size: file.size, file, state: 'waits', sent: 0 };
    });
    this.#show({ items: [...this.#shown.items, ...items] });
    void this.#next();
  }

  /** Sends it once more from its beginning. */
  again(key: string): void {
    const item = this.#of(key);
    if (!item?.file) return;
    if (item.upload) this.#remove(item.upload.id);
    this.#set(key, { state: 'waits', sent: 0, upload: undefined, reason: undefined });
    void this.#next();
  }

  /** Takes it away, wherever it is. */
  drop(key: string): void {
    const { upload } = this.#of(key) ?? {};
    this.#under.get(key)?.abort();
    this.#show({ items: this.#shown.items.filter((item) => item.key !== key) });
    if (upload) this.#remove(upload.id);
  }

  /** Takes away a file that the server has. */
  forget(id: string): void {
    this.#known((known) => known.delete(id));
    this.#remove(id);
  }

  /** It has arrived, and its field holds it from now on. */
  settle(key: string): void {
    const { upload } = this.#of(key) ?? {};
    if (!upload) return;
    memory.drop(upload.id);
    this.#show({ items: this.#shown.items.filter((item) => item.key !== key) });
    this.#known((known) => known.set(upload.id, upload));
  }

  /** Nobody looks at this field any more: what was refused there is no news the next time. */
  leave(field: string): void {
    const items = this.#shown.items.filter(
      (item) => item.field !== field || !['refused', 'failed'].includes(item.state),
    );
    if (items.length < this.#shown.items.length) this.#show({ items });
  }

  async #next(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    for (let item = this.#first(); item; item = this.#first()) await this.#send(item.key);
    this.#busy = false;
  }

  #first = (): Item | undefined => this.#shown.items.find(({ state }) => state === 'waits');

  async #send(key: string): Promise<void> {
    const end = new AbortController();
    this.#under.set(key, end);
    let tries = 0;
    let isAnew = false;
    let part = Number.POSITIVE_INFINITY;
    for (let item = this.#of(key); item; item = this.#of(key)) {
      try {
        let upload = await this.#open(item, tries > 0);
        while (upload.status === 'receiving') {
          const { received: from = 0, chunk_bytes = PART_MIN } = upload;
          this.#set(key, { state: 'goes', upload, sent: from });
          const bytes = item.file!.slice(from, Math.min(from + Math.min(part, chunk_bytes), item.size));
          upload = await this.#calls.put(upload.id, bytes, from, item.size, end.signal);
          if (upload.status === 'receiving' && upload.received === from) throw new Error('nothing arrives');
          tries = 0;
          part *= 2;
        }
        this.#set(key, { state: 'checks', upload, sent: item.size });
        this.#watch(key, upload);
        break;
      } catch (error) {
        if (end.signal.aborted) break;
        if (error instanceof Refusal && isOver(error)) {
          if (error.problem.status === 404 && this.#of(key)?.upload && !isAnew) {
            // what the server does not know any more begins anew, once
            isAnew = true;
            this.#set(key, { upload: undefined, sent: 0 });
            continue;
          }
          this.#refuse(key, error);
          break;
        }
        this.#set(key, { state: 'stands' });
        part = Math.max(PART_MIN, Math.min(part, item.upload?.chunk_bytes ?? PART_MIN) / 2);
        const wait = error instanceof Refusal ? error.problem.retry_after_s : undefined;
        await line(wait ? wait * 1_000 : AGAIN_MS[Math.min(tries, AGAIN_MS.length - 1)]!, end.signal);
        tries++;
      }
    }
    this.#under.delete(key);
  }

  /** The server's half of it: how much it has, or a new one. */
  async #open(item: Item, isAgain: boolean): Promise<Upload> {
    if (item.upload) return isAgain ? this.#calls.look(item.upload.id) : item.upload;
    // an answer that was lost, or a page that was loaded anew: the server has a part of it
    const listed = isAgain ? await this.#calls.list() : [...(this.#shown.known?.values() ?? [])];
    const own = new Set(this.#shown.items.map(({ upload }) => upload?.id));
    const begun = listed.find(
      (one) =>
        one.status === 'receiving' &&
        one.kind === item.kind &&
        one.name === item.name &&
        one.size === item.size &&
        !own.has(one.id),
    );
    const { kind, name, size, replaces } = item;
    const upload =
      (begun && (await this.#calls.look(begun.id))) ??
      (await this.#calls.begin({ kind, name, size, type: item.file?.type ?? '', replaces }));
    if (begun) this.#known((known) => known.delete(begun.id));
    memory.keep(upload.id, item.field);
    this.#set(item.key, { upload });
    // cancelled meanwhile
    if (!this.#of(item.key)) this.#remove(upload.id);
    return upload;
  }

  /** What becomes of it; the next one goes meanwhile. */
  async #watch(key: string, last?: Upload): Promise<void> {
    let upload = last ?? this.#of(key)?.upload;
    for (let tries = 0; upload && ['checking', 'scanning'].includes(upload.status) && this.#of(key); ) {
      await line(LOOK_MS * (1 + Math.min(tries, 8)), new AbortController().signal);
      try {
        upload = await this.#calls.look(upload.id);
        tries = 0;
      } catch (error) {
        if (error instanceof Refusal && isOver(error)) return this.#refuse(key, error);
        tries++;
      }
    }
    if (!upload) return;
    const isReady = upload.status === 'ready';
    this.#set(key, { state: isReady ? 'ready' : 'refused', upload, reason: upload.reason?.text });
  }

  #refuse(key: string, { problem }: Refusal): void {
    const reason = problem.errors?.[0]?.text ?? problem.detail ?? undefined;
    this.#set(key, { state: problem.errors?.length ? 'refused' : 'failed', reason });
  }

  #remove(id: string): void {
    memory.drop(id);
    void this.#calls.remove(id).catch(() => undefined);
  }

  #of = (key: string): Item | undefined => this.#shown.items.find((item) => item.key === key);

  #set(key: string, change: Partial<Item>): void {
    if (this.#of(key))
      this.#show({ items: this.#shown.items.map((item) => (item.key === key ? { ...item, ...change } : item)) });
  }

  #known(change: (known: Map<string, Upload>) => void): void {
    const known = new Map(this.#shown.known);
    change(known);
    if (this.#shown.known) this.#show({ known });
  }

  #show(change: Partial<Shown>): void {
    this.#shown = { ...this.#shown, ...change };
    for (const hear of this.#heard) hear();
  }
}

const asItem = (upload: Upload, field: string): Omit<Item, 'state'> => ({
  key: String(++keys),
  field,
  kind: upload.kind,
  name: upload.name,
  size: upload.size,
  sent: upload.size,
  reason: upload.reason?.text,
  upload,
});

/** A refusal that trying again does not change. */
const isOver = ({ problem: { status } }: Refusal): boolean => status < 500 && status !== 429 && status !== 408;

/** After this time, sooner when the line is back; without a line not before it is. */
function line(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((go) => {
    const over = new AbortController();
    const done = () => {
      clearTimeout(timer);
      over.abort();
      go();
    };
    const timer = setTimeout(() => (navigator.onLine === false ? undefined : done()), ms);
    addEventListener('online', done, { signal: over.signal });
    signal.addEventListener('abort', done, { signal: over.signal });
  });
}

/** For which field this tab began a file, until the field holds it: a page that is loaded anew knows it. */
const memory = {
  of: (id: string): string | null => stored(() => sessionStorage.getItem(`upload:${id}`)),
  keep: (id: string, field: string) => stored(() => sessionStorage.setItem(`upload:${id}`, field)),
  drop: (id: string) => stored(() => sessionStorage.removeItem(`upload:${id}`)),
};
function stored<T>(use: () => T): T | null {
  try {
    return use();
  } catch {
    return null; // a browser that keeps nothing
  }
}

const PICTURE = 160;

/** A small picture of a picture, before the server has one. */
async function pictureOf(file: Blob): Promise<string | undefined> {
  if (!file.type.startsWith('image/') || typeof createImageBitmap === 'undefined') return undefined;
  try {
    const whole = await createImageBitmap(file);
    const share = Math.min(1, PICTURE / Math.max(whole.width, whole.height));
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [Math.ceil(whole.width * share), Math.ceil(whole.height * share)];
    canvas.getContext('2d')?.drawImage(whole, 0, 0, canvas.width, canvas.height);
    whole.close();
    return canvas.toDataURL('image/jpeg', 0.7);
  } catch {
    return undefined; // the server says what it is
  }
}

const queues = new Map<string, Queue>();

export function queueOf(journey: string): Queue {
  const queue = queues.get(journey) ?? new Queue(uploadsOf(journey));
  queues.set(journey, queue);
  return queue;
}
