/** What a field for files shows and does, however it is drawn. */
import type { WidgetProps } from '@rjsf/utils';
import { useContext, useEffect, useMemo, useSyncExternalStore } from 'react';
import type { Upload } from '../../contract/api';
import { t } from '../../ui/words';
import { useActions } from '../context';
import { Unsent } from '../form/context';
import { nameOf } from '../form/field';
import { toPointer } from '../form/pointer';
import { type Item, type Queue, queueOf, type Shown } from './upload-queue';

/** What the field's `x-ui` says. */
export interface UploadUi {
  kind?: string;
  max?: number;
  media?: ('picture' | 'pdf' | 'video')[];
  accept?: string;
  shots?: Shot[];
}
export const uploadUi = ({ options }: WidgetProps): UploadUi => options as UploadUi;

/** One photo of a list. */
export interface Shot {
  key: string;
  title: string;
  hint?: string;
  /** what is to be seen, as a drawing */
  scene?: string;
  required?: boolean;
}
/** A photo's file is called as it is. */
export const isOf = (shot: Shot, name: string | undefined): boolean => name?.replace(/\.[^.]*$/, '') === shot.key;

export interface Files {
  /** what the answer holds, as the server has it; `undefined` until it was asked */
  held: { id: string; upload?: Upload }[];
  /** what is on its way, or was refused */
  items: Item[];
  /** what was begun before the page was loaded anew, and whose rest the browser does not have */
  halves: Upload[];
  max: number;
  /** how many more may be chosen */
  room: number;
  add: (files: { file: File; name?: string }[], replaces?: string) => void;
  again: (key: string) => void;
  drop: (key: string) => void;
  /** takes away what the answer holds */
  remove: (id: string) => void;
  forget: (id: string) => void;
}

const NOTHING: Shown = { items: [] };
const quiet = { subscribe: () => () => undefined, shown: () => NOTHING };

export function useFiles(props: WidgetProps): Files {
  const { value, onChange, schema } = props;
  const ui = uploadUi(props);
  const { journey } = useActions();
  const queue = useMemo<Queue | undefined>(() => (journey ? queueOf(journey) : undefined), [journey]);
  const { subscribe, shown } = queue ?? quiet;
  const { items: all, known } = useSyncExternalStore(subscribe, shown, () => NOTHING);
  const field = nameOf(props);
  const isList = schema.type === 'array';
  const kind = ui.kind ?? '';
  const max = isList ? (ui.max ?? schema.maxItems ?? 1) : 1;
  const ids = useMemo<string[]>(() => (Array.isArray(value) ? value : value ? [String(value)] : []), [value]);
  const items = all.filter((item) => item.field === field);

  useEffect(() => {
    void queue?.load();
    return () => queue?.leave(field);
  }, [queue, field]);

  const put = (next: string[]) => onChange(isList ? (next.length > 0 ? next : undefined) : next[0]);
  // what has arrived is the answer; what the server does not have any more is none
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever something arrived or the server was asked
  useEffect(() => {
    const ready = items.find(({ state }) => state === 'ready');
    if (queue && ready?.upload) {
      const { id } = ready.upload;
      const at = ids.indexOf(ready.replaces ?? '');
      put(at < 0 ? [...(isList ? ids : []), id].slice(0, max) : ids.map((one, i) => (i === at ? id : one)));
      queue.settle(ready.key);
      return;
    }
    if (!known) return;
    const left = ids.map((id) => standing(known, id)).filter((id) => id !== undefined);
    if (left.join() !== ids.join()) put(left);
  }, [all, known, ids]);

  const replaced = new Set(items.map((item) => item.replaces));
  const room = max - ids.length - items.filter((item) => !ids.includes(item.replaces ?? '') && isComing(item)).length;
  return {
    held: ids.map((id) => ({ id, upload: known?.get(id) })),
    items,
    halves: [...(known?.values() ?? [])].filter(
      (one) => one.kind === kind && one.status === 'receiving' && !all.some(({ upload }) => upload?.id === one.id),
    ),
    max,
    room: Math.max(0, room),
    add: (files, replaces) => {
      if (!queue) return;
      // what was refused makes way for the next try
      for (const item of items) if (!isComing(item) && item.replaces === replaces) queue.drop(item.key);
      queue.add(files.map((one) => ({ ...one, field, kind, replaces })));
    },
    again: (key) => queue?.again(key),
    drop: (key) => queue?.drop(key),
    remove: (id) => {
      put(ids.filter((one) => one !== id));
      if (!replaced.has(id)) queue?.forget(id);
    },
    forget: (id) => queue?.forget(id),
  };
}

export const isComing = ({ state }: Item): boolean => state !== 'refused' && state !== 'failed';

/** The file that an answer means: itself, or what has taken its place. */
function standing(known: ReadonlyMap<string, Upload>, id: string): string | undefined {
  const upload = known.get(id);
  return upload?.replaced_by && known.get(upload.replaced_by)?.status === 'ready' ? upload.replaced_by : upload && id;
}

/** As long as one is on its way, or a photo of the list is missing, the form waits, and says so. What is on its way comes by itself. */
export function useWaiting(props: WidgetProps, { items, held }: Files): void {
  const setUnsent = useContext(Unsent);
  const coming = items.find(isComing);
  const comes = Boolean(coming);
  const { shots = [] } = uploadUi(props);
  const missing = shots.filter((shot) => shot.required && !held.some(({ upload }) => isOf(shot, upload?.name)));
  const names = missing.map(({ title }) => title).join(', ');
  const text = coming ? t('upload_wait', { name: coming.name }) : names && t('upload_missing', { names });
  const pointer = toPointer(nameOf(props).split('.'));
  useEffect(() => {
    if (!text) return;
    const own = { pointer, text, comes };
    setUnsent((all) => [...all, own]);
    return () => setUnsent((all) => all.filter((one) => one !== own));
  }, [setUnsent, pointer, text, comes]);
}
