/**
 * Typing into a control whose text is rewritten (capitals, digits only, signs left out): while an input method composes, the text
 * stays as it is and is read at the end; the caret stays where it was, counted from the end, for what follows it is not rewritten.
 */
import { type ChangeEvent, type CompositionEvent, useLayoutEffect, useReducer, useRef, useState } from 'react';

type Control = HTMLInputElement | HTMLTextAreaElement;

interface Typing {
  text: string;
  /** what was typed, to be rewritten */
  onText: (text: string) => void;
  /** what is being composed, as it is */
  onComposed: (text: string) => void;
}

export function useTyping<Element extends Control>({ text, onText, onComposed }: Typing) {
  const ref = useRef<Element>(null);
  const behind = useRef<number | null>(null);
  const typing = useRef(false);
  const [composed, setComposed] = useState<string>();
  const [, draw] = useReducer((times: number) => times + 1, 0);
  const value = composed ?? text;
  // a text that comes from elsewhere, as on taking the drawn page over, leaves the caret where it is, since somebody may go on
  // typing until it is drawn
  const control = ref.current;
  if (!typing.current && control && control === document.activeElement && control.value !== value)
    behind.current = fromEnd(control);
  useLayoutEffect(() => {
    const control = ref.current;
    if (control && behind.current !== null && composed === undefined && document.activeElement === control) {
      const at = Math.max(0, control.value.length - behind.current);
      if (control.selectionStart !== at || control.selectionEnd !== at) control.setSelectionRange(at, at);
    }
    behind.current = null;
    typing.current = false;
  });
  const take = (control: Element) => {
    typing.current = true;
    behind.current = fromEnd(control);
    setComposed(undefined);
    draw(); // also when nothing of it is taken: the caret goes back to where it was
    onText(control.value);
  };
  return {
    ref,
    value,
    onChange: (event: ChangeEvent<Element>) => {
      const control = event.currentTarget;
      if (!(event.nativeEvent as InputEvent).isComposing) return take(control);
      setComposed(control.value);
      onComposed(control.value);
    },
    onCompositionEnd: (event: CompositionEvent<Element>) => take(event.currentTarget),
  };
}

/** Not of controls that know no caret, such as those for an e-mail address. */
const fromEnd = (control: Control): number | null =>
  control.selectionStart === null ? null : control.value.length - control.selectionStart;
