/** The one-line control that most widgets are made of: affixes, and a caret that stays where it was when the text is filtered. */
import type { WidgetProps } from '@rjsf/utils';
import { type InputHTMLAttributes, useLayoutEffect, useRef } from 'react';
import { nameOf, tied } from '../form/field';
import { uiOf } from './ui';

interface Props extends Omit<InputHTMLAttributes<HTMLInputElement>, 'prefix' | 'onChange'> {
  widget: WidgetProps;
  text: string;
  onText: (text: string) => void;
  prefix?: string;
  suffix?: string;
  /** class of the frame around the control */
  frame?: string;
}

export function Input({ widget, text, onText, prefix, suffix, frame = 'control', className = '', ...rest }: Props) {
  const { id, schema, disabled, readonly, placeholder } = widget;
  const ref = useRef<HTMLInputElement>(null);
  const caret = useRef<number | null>(null);
  const behind = useRef<number | null>(null);
  const typing = useRef(false);
  // a text that comes from elsewhere, as on taking the drawn page over, leaves the caret where it is: counted from the end, since
  // somebody may go on typing until it is drawn
  const input = ref.current;
  if (!typing.current && input && input === document.activeElement && input.value !== text)
    behind.current = input.value.length - (input.selectionStart ?? 0);
  useLayoutEffect(() => {
    const input = ref.current;
    const at = behind.current !== null && input ? input.value.length - behind.current : caret.current;
    if (at !== null && input && document.activeElement === input) input.setSelectionRange(at, at);
    caret.current = null;
    behind.current = null;
    typing.current = false;
  });
  return (
    <div className={frame}>
      {prefix && <span className="affix">{prefix}</span>}
      <input
        ref={ref}
        className={`input ${className}`.trim()}
        id={id}
        name={nameOf(widget)}
        type="text"
        inputMode={uiOf(widget).inputMode}
        autoComplete={uiOf(widget).autocomplete}
        placeholder={placeholder || undefined}
        maxLength={schema['x-normalise' as keyof typeof schema] ? undefined : schema.maxLength}
        disabled={disabled}
        readOnly={readonly}
        {...tied(widget)}
        {...rest}
        value={text}
        onChange={(event) => {
          const { value, selectionStart } = event.target;
          typing.current = true;
          behind.current = null;
          onText(value);
          // characters dropped before the caret move it back by as many as are missing
          caret.current = selectionStart === value.length ? null : selectionStart;
        }}
      />
      {suffix && <span className="affix">{suffix}</span>}
    </div>
  );
}
