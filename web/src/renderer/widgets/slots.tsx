/**
 * A time to come by: days as chips, the times of the chosen day below them. Both are radio groups, so arrows move within
 * and Tab moves between. `slots` in `x-ui` is the server's list; choosing another day takes the chosen time back.
 */
import type { WidgetProps } from '@rjsf/utils';
import { useState } from 'react';
import { clockPart, dayChip, dayName } from '../../ui/format';
import { said } from '../../ui/said';
import { t } from '../../ui/words';
import { dress } from '../dress';
import { nameOf, tied } from '../form/field';
import sheet from './slots.css?url';

export const dressed = dress(sheet);

interface Slot {
  key: string;
  /** time of day, as people read it */
  text: string;
  /** ISO day */
  day: string;
  full?: boolean;
}

export function SlotsWidget(props: WidgetProps) {
  const { id, value, onChange, options, disabled, readonly, label } = props;
  const slots = (options.slots ?? []) as Slot[];
  const days = [...new Set(slots.map((slot) => slot.day))];
  const of = (day: string) => slots.filter((slot) => slot.day === day);
  const isFull = (day: string) => of(day).every((slot) => slot.full);
  const chosen = slots.find((slot) => slot.key === value);
  const [looked, setLooked] = useState<string>();
  const free = days.find((day) => !isFull(day));
  const day = chosen?.day ?? (looked && days.includes(looked) ? looked : free);
  const off = disabled || readonly;
  const { 'aria-invalid': invalid, 'aria-required': required } = tied(props);
  if (!free || !day) return <p className="slots-empty">{String(options.empty ?? t('no_slot'))}</p>;
  return (
    <div className="slots">
      <div className="slots-days" role="radiogroup" aria-label={t('day')}>
        {days.map((one) => {
          const chip = dayChip(one);
          return (
            <label className="slots-day" key={one} htmlFor={`${id}-${one}`}>
              <input
                type="radio"
                id={`${id}-${one}`}
                name={`${id}-day`}
                value={one}
                checked={one === day}
                disabled={off || isFull(one)}
                aria-label={isFull(one) ? t('all_taken', { day: dayName(one) }) : dayName(one)}
                onChange={() => {
                  setLooked(one);
                  if (value !== undefined) onChange(undefined);
                }}
              />
              <span aria-hidden="true">
                <small>{chip.weekday}</small>
                <strong>{chip.day}</strong>
                <small>{chip.month}</small>
              </span>
            </label>
          );
        })}
      </div>
      <div className="slots-times" role="radiogroup" aria-label={`${label}: ${dayName(day)}`}>
        {parts(of(day)).map(([part, list]) => (
          <div className="slots-part" key={part}>
            <p className="slots-part-name">{part}</p>
            <div className="slots-grid">
              {list.map((slot) => (
                <label className="slots-time" key={slot.key} htmlFor={`${id}-${slot.key}`}>
                  <input
                    type="radio"
                    id={`${id}-${slot.key}`}
                    name={nameOf(props)}
                    value={slot.key}
                    checked={slot.key === value}
                    disabled={off || slot.full}
                    aria-invalid={invalid}
                    required={required}
                    onChange={() => onChange(slot.key)}
                  />
                  <span>
                    {slot.text}
                    {slot.full && <span className="sr"> {t('taken')}</span>}
                  </span>
                </label>
              ))}
            </div>
          </div>
        ))}
      </div>
      <p className="slots-chosen" role="status" data-chosen={chosen ? true : undefined}>
        {chosen
          ? said('slot_chosen', { day: dayName(chosen.day), time: <strong>{chosen.text}</strong> })
          : t('choose_slot', { day: dayName(day) })}
      </p>
    </div>
  );
}

/** Times by the part of the day in which they begin. */
function parts(slots: Slot[]): [part: string, list: Slot[]][] {
  const names = ['morning', 'afternoon', 'evening'] as const;
  return names
    .map((name): [string, Slot[]] => [t(name), slots.filter((slot) => clockPart(slot.key) === name)])
    .filter(([, list]) => list.length > 0);
}

export const example = {
  name: 'slots',
  schema: {
    type: 'string',
    title: 'When should we collect it?',
    enum: ['2026-11-23T04:30:00.000Z', '2026-11-23T12:30:00.000Z', '2026-11-24T07:00:00.000Z'],
    'x-ui': {
      widget: 'slots',
      slots: [
        { key: '2026-11-23T04:30:00.000Z', text: '10:00 am', day: '2026-11-23' },
        { key: '2026-11-23T05:00:00.000Z', text: '10:30 am', day: '2026-11-23', full: true },
        { key: '2026-11-23T12:30:00.000Z', text: '6:00 pm', day: '2026-11-23' },
        { key: '2026-11-24T07:00:00.000Z', text: '12:30 pm', day: '2026-11-24' },
        { key: '2026-11-25T07:00:00.000Z', text: '12:30 pm', day: '2026-11-25', full: true },
      ],
    },
  },
};
