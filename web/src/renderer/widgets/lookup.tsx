/** One row of a reference list, found while typing (a combobox as the ARIA practices describe it), or a plain select when the list is short. */

import type { WidgetProps } from '@rjsf/utils';
import { type KeyboardEvent, useContext, useEffect, useRef, useState } from 'react';
import type { Rows } from '../../contract/api';
import { t } from '../../ui/words';
import { LookupContext, useAnswers } from '../form/context';
import { nameOf, tied } from '../form/field';
import { digits } from '../form/letters';
import { Note } from './input';

/** A row's key as an answer holds it. */
const keyOf = (cell: Rows['rows'][number][string] | undefined) =>
  typeof cell === 'number' ? cell : String(cell ?? '');

const sameWords = (label: string, typed: string) => label.toLowerCase() === digits(typed).trim().toLowerCase();

interface Row {
  key: string | number;
  label: string;
}
interface Source {
  source: string;
  value: string;
  label: string;
  filter?: Record<string, string>;
  search?: boolean;
}

export function LookupWidget(props: WidgetProps) {
  const source = props.options as unknown as Source;
  const filter = useAnswers(source.filter);
  const missing = Object.values(filter).some((value) => value === '');
  useForgetWhenFilterChanges(props, JSON.stringify(filter));
  return source.search === false ? (
    <LookupList props={props} source={source} filter={filter} missing={missing} />
  ) : (
    <LookupBox props={props} source={source} filter={filter} missing={missing} />
  );
}

interface Inner {
  props: WidgetProps;
  source: Source;
  filter: Record<string, string>;
  missing: boolean;
}

/** The whole list as a select. */
function LookupList({ props, source, filter, missing }: Inner) {
  const { rows } = useRows(source, filter, missing ? undefined : { limit: '200' });
  const { id, value, onChange, disabled, readonly, placeholder } = props;
  return (
    <div className="control select">
      <select
        className="input"
        id={id}
        name={nameOf(props)}
        disabled={disabled || readonly || missing}
        {...tied(props)}
        value={value === undefined ? '' : String(value)}
        onChange={(event) => onChange(rows.find((row) => String(row.key) === event.target.value)?.key)}
      >
        <option value="">{placeholder || t('choose')}</option>
        {value !== undefined && !rows.some((row) => row.key === value) && (
          <option value={String(value)}>{String(value)}</option>
        )}
        {rows.map((row) => (
          <option key={row.key} value={String(row.key)}>
            {row.label}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Typing searches; arrows move, Enter takes, Escape closes. A text that is no row stays when it is left, and is no answer. */
function LookupBox({ props, source, filter, missing }: Inner) {
  const { id, value, onChange, disabled, readonly, placeholder } = props;
  const [typed, setTyped] = useState<string>();
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const { rows, loading } = useRows(
    source,
    filter,
    (open || typed) && !missing ? { q: digits(typed ?? ''), limit: '20' } : undefined,
  );
  const exact = typed ? rows.find((row) => sameWords(row.label, typed)) : undefined;
  const [chosen, remember] = useLabel(source, value);
  const list = `${id}-list`;
  const shown = typed ?? chosen;
  // arrows lead beyond what the list has in sight
  useEffect(() => {
    if (open) document.getElementById(`${list}-${active}`)?.scrollIntoView?.({ block: 'nearest' });
  }, [open, active, list]);

  const take = (row: Row | undefined) => {
    setOpen(false);
    setTyped(undefined);
    if (!row) return;
    remember(row);
    onChange(row.key);
  };
  // its rows may come when the field is left already
  const late = open ? undefined : exact;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each row
  useEffect(() => {
    if (late) take(late);
  }, [late?.key]);
  const leave = () => {
    setOpen(false);
    if (exact || !typed) take(exact);
    else if (value !== undefined) onChange(undefined);
  };
  const keys = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      const step = event.key === 'ArrowDown' ? 1 : -1;
      if (open) setActive((at) => (rows.length === 0 ? 0 : (at + step + rows.length) % rows.length));
    } else if (event.key === 'Enter' && open && rows.length > 0) {
      event.preventDefault();
      take(rows[active]);
    } else if (event.key === 'Escape' && open) {
      event.preventDefault();
      setOpen(false);
    }
  };
  return (
    <div className="lookup">
      <div className="control">
        <input
          className="input"
          id={id}
          name={nameOf(props)}
          type="text"
          role="combobox"
          aria-expanded={open}
          aria-autocomplete="list"
          aria-controls={list}
          aria-activedescendant={open && rows[active] ? `${list}-${active}` : undefined}
          autoComplete="off"
          placeholder={placeholder || (missing ? undefined : t('search'))}
          disabled={disabled || readonly || missing}
          {...tied(props)}
          value={shown}
          onFocus={() => setOpen(true)}
          onClick={() => setOpen(true)}
          onChange={(event) => {
            setTyped(event.target.value);
            setActive(0);
            setOpen(true);
            if (event.target.value === '') onChange(undefined);
          }}
          onKeyDown={keys}
          onBlur={leave}
        />
      </div>
      <div
        className="lookup-list"
        id={list}
        {...(rows.length > 0 ? { role: 'listbox', 'aria-label': t('suggestions') } : { role: 'status' })}
        hidden={!open || missing}
      >
        {rows.map((row, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the combobox
          <div
            key={row.key}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={row.key === value}
            data-active={index === active || undefined}
            // at the press: rows that arrive before it is let go would take the click away; the field keeps the focus
            onMouseDown={(event) => {
              event.preventDefault();
              take(row);
            }}
            onClick={() => take(row)}
          >
            {row.label}
          </div>
        ))}
        {rows.length === 0 && <p className="lookup-none">{t(loading ? 'searching' : 'nothing_found')}</p>}
      </div>
      <Note>{typed && !open && !loading && !exact ? t('choose_listed') : undefined}</Note>
    </div>
  );
}

function useRows(
  source: Source,
  filter: Record<string, string>,
  query: Record<string, string> | undefined,
): { rows: Row[]; loading: boolean } {
  const lookup = useContext(LookupContext);
  const [state, setState] = useState<{ rows: Row[]; loading: boolean }>({ rows: [], loading: false });
  const asked = query && JSON.stringify([source.source, source.value, source.label, { ...filter, ...query }]);
  useEffect(() => {
    if (!asked) return;
    const [name, key, label, search] = JSON.parse(asked) as [string, string, string, Record<string, string>];
    const stop = new AbortController();
    setState((before) => ({ ...before, loading: true }));
    const soon = setTimeout(
      () =>
        lookup(name, search, stop.signal).then(
          ({ rows }) =>
            setState({
              rows: rows.map((row) => ({ key: keyOf(row[key]), label: String(row[label] ?? row[key]) })),
              loading: false,
            }),
          () => setState((before) => ({ ...before, loading: false })),
        ),
      search.q ? 150 : 0,
    );
    return () => {
      clearTimeout(soon);
      stop.abort();
    };
  }, [lookup, asked]);
  return state;
}

/** The words of the chosen row: remembered when it was chosen here, asked once by key when the answer came from the server. */
function useLabel(source: Source, value: unknown): [string, (row: Row) => void] {
  const lookup = useContext(LookupContext);
  const [known, setKnown] = useState<Record<string, string>>({});
  const key = value === undefined || value === null ? '' : String(value);
  const { source: name, label, value: column } = source;
  const asked = useRef(new Set<string>());
  useEffect(() => {
    if (key === '' || label === column || asked.current.has(key)) return;
    asked.current.add(key);
    const know = (words: unknown) => setKnown((before) => ({ ...before, [key]: String(words ?? key) }));
    lookup(name, { key }).then(
      ({ rows }) => know(rows[0]?.[label]),
      () => know(key),
    );
  }, [lookup, name, label, column, key]);
  const remember = (row: Row) => {
    asked.current.add(String(row.key));
    setKnown((before) => ({ ...before, [String(row.key)]: row.label }));
  };
  return [key === '' ? '' : (known[key] ?? (label === column ? key : '')), remember];
}

/** A choice made under another filter is no choice any more. */
function useForgetWhenFilterChanges({ value, onChange }: WidgetProps, filter: string) {
  const before = useRef(filter);
  useEffect(() => {
    if (before.current !== filter && value !== undefined) onChange(undefined);
    before.current = filter;
  }, [filter, value, onChange]);
}

export const example = {
  name: 'lookup',
  schema: {
    type: 'string',
    title: 'Pincode',
    'x-ui': { widget: 'lookup', source: 'pincodes', value: 'pincode', label: 'pincode' },
  },
};
