/** JSON Pointers (RFC 6901) into a form's answers, and the ids made from them. */
import type { Data } from '../../api/open';

/** The pointer of a property. */
export const below = (pointer: string, name: string | number): string =>
  `${pointer}/${String(name).replace(/~/g, '~0').replace(/\//g, '~1')}`;

export const toPointer = (path: readonly (string | number)[]): string => path.reduce<string>(below, '');

export const toPath = (pointer: string): string[] =>
  pointer === ''
    ? []
    : pointer
        .slice(1)
        .split('/')
        .map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'));

/** The id of a field's control or group: `/owner/name` → `f-owner-name`. The server writes the same. */
export const fieldId = (pointer: string): string => ['f', ...toPath(pointer)].join('-');

export function read(data: unknown, pointer: string): unknown {
  return toPath(pointer).reduce<unknown>(
    (at, part) => (at === null || typeof at !== 'object' ? undefined : (at as Data)[part]),
    data,
  );
}

/** Pointers whose values differ between two sets of answers: leaves only; lists of plain values and of other rows as a whole. */
export function changed(before: unknown, after: unknown, path: string[] = []): string[] {
  if (Object.is(before, after)) return [];
  const rows = sameRows(before, after);
  if (!rows && !isMap(before) && !isMap(after))
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [toPointer(path)];
  const [left, right] = rows
    ? [{ ...(before as Data[]) }, { ...(after as Data[]) }]
    : [isMap(before) ? before : {}, isMap(after) ? after : {}];
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].flatMap((key) =>
    changed(left[key], right[key], [...path, key]),
  );
}

/** Two lists of the same rows, which compare field by field. */
function sameRows(before: unknown, after: unknown): boolean {
  return (
    Array.isArray(before) &&
    Array.isArray(after) &&
    before.length === after.length &&
    before.every((row, i) => isMap(row) && isMap(after[i]) && row.key === after[i].key)
  );
}

export const isMap = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Moves the focus to the control of a field; false when it is not on the page. */
export function focusField(pointer: string, root: ParentNode = document): boolean {
  const field = root.querySelector<HTMLElement>(`[data-pointer="${CSS.escape(pointer)}"]`);
  for (let around = field?.parentElement; around; around = around.parentElement) {
    if (around instanceof HTMLDetailsElement) around.open = true;
  }
  const controls = field?.querySelectorAll<HTMLElement>(
    'input:checked, input:not([type=hidden]):not([type=radio]), select, textarea, input[type=radio], button',
  );
  const control = [...(controls ?? [])].find((one) => one.checkVisibility?.() ?? true);
  control?.focus();
  field?.scrollIntoView?.({ block: 'center', behavior: 'auto' });
  return Boolean(control);
}
