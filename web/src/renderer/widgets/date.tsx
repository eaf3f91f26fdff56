/** A day as three boxes: day, month, year, typed in the order people say it. What is incomplete stays as text (`2026-3-`), so a draft keeps it. */
import type { WidgetProps } from '@rjsf/utils';
import { useRef } from 'react';
import { t } from '../../ui/words';
import { nameOf, tied } from '../form/field';

const PARTS = [
  { name: 'day', length: 2 },
  { name: 'month', length: 2 },
  { name: 'year', length: 4 },
] as const;
type Part = (typeof PARTS)[number]['name'];

export function DateWidget(props: WidgetProps) {
  const { id, value, onChange, options, disabled, readonly } = props;
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
          <input
            className="input"
            id={`${id}-${part.name}`}
            name={`${nameOf(props)}.${part.name}`}
            inputMode="numeric"
            maxLength={part.length}
            autoComplete={String(options.autocomplete) === 'bday' ? `bday-${part.name}` : undefined}
            disabled={disabled}
            readOnly={readonly}
            aria-invalid={tied(props)['aria-invalid']}
            aria-required={tied(props)['aria-required']}
            value={parts[part.name]}
            onPaste={(event) => {
              const whole = pasted(event.clipboardData.getData('text'));
              if (!whole) return;
              event.preventDefault();
              typed.current = undefined;
              onChange(whole);
            }}
            onChange={(event) => {
              const text = event.target.value.replace(/\D/g, '').slice(0, part.length);
              set(part.name, text);
              const full =
                text.length === part.length && event.target.selectionStart === text.length && text !== parts[part.name];
              if (full && index < 2) ref.current?.querySelectorAll('input')[index + 1]?.select();
            }}
          />
        </div>
      ))}
    </div>
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
