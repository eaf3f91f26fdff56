/** A day as three boxes: day, month, year, typed in the order people say it. What is incomplete stays as text (`2026-3-`), so a draft keeps it. */
import type { WidgetProps } from '@rjsf/utils';
import { useRef } from 'react';
import { t } from '../../ui/words';
import { nameOf, tied } from '../form/field';
import { digits } from '../form/letters';
import { useTyping } from './typing';

const PARTS = [
  { name: 'day', length: 2 },
  { name: 'month', length: 2 },
  { name: 'year', length: 4 },
] as const;
type Part = (typeof PARTS)[number]['name'];

export function DateWidget(props: WidgetProps) {
  const { id, value, onChange } = props;
  const ref = useRef<HTMLDivElement>(null);
  // the boxes keep what was typed (a lone 0, 07): the answer holds the padded day
  const typed = useRef<{ parts: Record<Part, string>; value: unknown }>(undefined);
  const parts = typed.current && typed.current.value === value ? typed.current.parts : split(value);
  const set = (name: Part, text: string) => {
    const next = { ...parts, [name]: text };
    const joined = join(next);
    typed.current = { parts: next, value: joined };
    onChange(joined);
  };
  return (
    <div className="date" ref={ref}>
      {PARTS.map((part, index) => (
        <div className="date-part" key={part.name}>
          <label htmlFor={`${id}-${part.name}`}>{t(part.name)}</label>
          <PartBox
            widget={props}
            part={part}
            text={parts[part.name]}
            onText={(text, isFull) => {
              set(part.name, text);
              if (isFull && index < 2) ref.current?.querySelectorAll('input')[index + 1]?.select();
            }}
            onDay={(day) => {
              typed.current = undefined;
              onChange(day);
            }}
          />
        </div>
      ))}
    </div>
  );
}

interface BoxProps {
  widget: WidgetProps;
  part: (typeof PARTS)[number];
  text: string;
  onText: (text: string, isFull?: boolean) => void;
  /** a whole day was pasted */
  onDay: (day: string) => void;
}

function PartBox({ widget, part, text, onText, onDay }: BoxProps) {
  const { id, options, disabled, readonly } = widget;
  const typing = useTyping<HTMLInputElement>({
    text,
    onText: (raw) => {
      const kept = digits(raw).replace(/\D/g, '').slice(0, part.length);
      const isAtEnd = typing.ref.current?.selectionStart === typing.ref.current?.value.length;
      onText(kept, kept.length === part.length && isAtEnd && kept !== text);
    },
    onComposed: (raw) => onText(raw),
  });
  return (
    <input
      className="input"
      id={`${id}-${part.name}`}
      name={`${nameOf(widget)}.${part.name}`}
      inputMode="numeric"
      maxLength={part.length}
      autoComplete={String(options.autocomplete) === 'bday' ? `bday-${part.name}` : undefined}
      disabled={disabled}
      readOnly={readonly}
      aria-invalid={tied(widget)['aria-invalid']}
      aria-required={tied(widget)['aria-required']}
      onPaste={(event) => {
        const whole = pasted(digits(event.clipboardData.getData('text')));
        if (!whole) return;
        event.preventDefault();
        onDay(whole);
      }}
      {...typing}
    />
  );
}

export function split(value: unknown): Record<Part, string> {
  const [year = '', month = '', day = ''] = typeof value === 'string' ? value.split('-') : [];
  return { day, month, year };
}

/** A padded ISO day once every box is full; the parts as they are before; nothing when all are empty. */
export function join({ day, month, year }: Record<Part, string>): string | undefined {
  if (!day && !month && !year) return undefined;
  if (day && month && year.length === 4) return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return `${year}-${month}-${day}`;
}

/** 21/11/2026, 21-11-2026, 2026-11-21 → the ISO day. */
export function pasted(text: string): string | undefined {
  const iso = /^\s*(\d{4})-(\d{1,2})-(\d{1,2})\s*$/.exec(text);
  const local = /^\s*(\d{1,2})[./-](\d{1,2})[./-](\d{4})\s*$/.exec(text);
  if (iso) return join({ year: iso[1]!, month: iso[2]!, day: iso[3]! });
  return local ? join({ year: local[3]!, month: local[2]!, day: local[1]! }) : undefined;
}

export const example = {
  name: 'date',
  schema: {
    type: 'string',
    format: 'date',
    title: 'When should we collect it?',
    'x-date': { min: '2026-11-21', max: '2026-12-21' },
    'x-ui': { widget: 'date', hint: 'For example 21 11 2026' },
  },
};
