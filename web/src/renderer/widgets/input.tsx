/** The one-line control that most widgets are made of: affixes, and a note on what was not taken as it was typed. */
import type { WidgetProps } from '@rjsf/utils';
import type { InputHTMLAttributes, ReactElement } from 'react';
import { nameOf, tied } from '../form/field';
import { useTyping } from './typing';
import { uiOf } from './ui';

interface Props extends Omit<InputHTMLAttributes<HTMLInputElement>, 'prefix' | 'onChange'> {
  widget: WidgetProps;
  text: string;
  onText: (text: string) => void;
  /** text before the control, or a control of its own */
  prefix?: string | ReactElement;
  suffix?: string;
  /** class of the frame around the control */
  frame?: string;
  note?: string;
}

export function Input({
  widget,
  text,
  onText,
  prefix,
  suffix,
  frame = 'control',
  className = '',
  note,
  ...rest
}: Props) {
  const { id, schema, disabled, readonly, placeholder } = widget;
  const typing = useTyping<HTMLInputElement>({ text, onText, onComposed: (raw) => widget.onChange(raw || undefined) });
  return (
    <>
      <div className={frame}>
        {typeof prefix === 'string' && prefix ? <span className="affix">{prefix}</span> : prefix}
        <input
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
          {...typing}
        />
        {suffix && <span className="affix">{suffix}</span>}
      </div>
      <Note>{note}</Note>
    </>
  );
}

/** What was left out or written in another way, below the control that it was typed into. */
export const Note = ({ children }: { children: string | undefined }) =>
  children ? (
    <p className="field-note" role="status">
      {children}
    </p>
  ) : null;
