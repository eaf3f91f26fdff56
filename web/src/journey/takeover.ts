/**
 * The first paint is the server's HTML. React draws beside it; then what was typed meanwhile, the focus and the caret are carried
 * over and the two are swapped in one frame. (Hydrating needs identical HTML, and drawing in place loses what was typed.)
 */
import type { Data, Schema } from '../api/open';
import type { FormView } from '../contract/api';

/** Answers typed into the server's form before the scripts came, where they differ from what the server put there. */
export function typedBefore(root: ParentNode, form: FormView | null | undefined): Data {
  const out: Data = {};
  for (const [name, property] of Object.entries((form?.schema.properties ?? {}) as Record<string, Schema>)) {
    const controls = [
      ...root.querySelectorAll<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>(
        `[name="${CSS.escape(name)}"]`,
      ),
    ];
    const typed = typedValue(controls, property);
    if (typed !== undefined) out[name] = typed;
  }
  return out;
}

function typedValue(
  controls: (HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement)[],
  property: Schema,
): unknown {
  const [first] = controls;
  if (!first || first.type === 'file' || first.getAttribute('role') === 'combobox') return undefined;
  if (first instanceof HTMLSelectElement) return first.value === '' ? undefined : constant(first.value, property);
  if (first.type === 'radio') {
    const chosen = controls.find((control) => (control as HTMLInputElement).checked);
    return chosen && constant(chosen.value, property);
  }
  if (first.type === 'checkbox') {
    const boxes = controls as HTMLInputElement[];
    if (property.type !== 'array') return boxes[0]?.checked ? true : undefined;
    const chosen = boxes.filter((box) => box.checked).map((box) => constant(box.value, property.items ?? {}));
    return chosen.length > 0 ? chosen : undefined;
  }
  if (first.value === first.defaultValue || first.value === '') return undefined;
  if (property.type === 'integer' || property.type === 'number') return undefined;
  return first.value;
}

/** The constant whose text this is: `true` → true, `2` → 2. */
function constant(text: string, property: Schema): unknown {
  const all: unknown[] =
    property.oneOf?.map((one: Schema) => one.const) ??
    property.enum ??
    (property.type === 'boolean' ? [true, false] : []);
  return all.find((one) => String(one) === text) ?? text;
}

/** Puts the drawn tree in the place of the server's, with focus and caret. */
export function swap(from: HTMLElement, to: HTMLElement): void {
  const active = document.activeElement as HTMLInputElement | null;
  const focused = active && from.contains(active) && active.id ? active.id : undefined;
  const caret = focused ? selection(active) : undefined;
  const [x, y] = [window.scrollX, window.scrollY];
  from.replaceWith(to);
  window.scrollTo(x, y);
  if (!focused) return;
  const next = document.getElementById(focused) as HTMLInputElement | null;
  next?.focus({ preventScroll: true });
  if (caret && next) {
    try {
      next.setSelectionRange(caret[0], caret[1]);
    } catch {
      // a control without a caret
    }
  }
}

function selection(control: HTMLInputElement | null): [number, number] | undefined {
  try {
    return control && control.selectionStart !== null
      ? [control.selectionStart, control.selectionEnd ?? control.selectionStart]
      : undefined;
  } catch {
    return undefined;
  }
}
