/** Fewer offers at a time: what they are narrowed to, and the lists that they stand in. */
import { useState } from 'react';
import type { Option, OptionsBlock } from '../../contract/blocks';
import { said } from '../../ui/said';
import { t } from '../../ui/words';
import type { Section } from './options-order';

type Chosen = Record<string, string>;

const choiceOf = (offer: Option, filter: string): string | undefined => {
  const choice = offer.choices?.[filter];
  return choice === undefined || choice === null ? undefined : String(choice);
};

/** Offers that have all that was chosen. */
export const narrowed = (offers: Option[], chosen: Chosen): Option[] =>
  offers.filter((offer) => Object.entries(chosen).every(([id, choice]) => !choice || choiceOf(offer, id) === choice));

export function useNarrowed(offers: Option[], filters: OptionsBlock['filters'] = []) {
  const [chosen, choose] = useState<Chosen>({});
  const left = narrowed(offers, chosen);
  const bar = filters.map(({ id, label }) => {
    const choices = [...new Set(offers.flatMap((offer) => choiceOf(offer, id) ?? []))];
    if (choices.length < 2) return null;
    return (
      <label className="options-sort" key={id}>
        <span className="sr">{label}</span>
        <span className="control select">
          <select
            className="input"
            value={chosen[id] ?? ''}
            onChange={(event) => choose({ ...chosen, [id]: event.target.value })}
          >
            <option value="">{t('any_of', { what: label })}</option>
            {choices.map((choice) => (
              <option key={choice} value={choice}>
                {choice}
              </option>
            ))}
          </select>
        </span>
      </label>
    );
  });
  const none = left.length === 0 && offers.length > 0 && (
    <p className="options-empty" role="status">
      {said('nothing_left', {
        all: (
          <button type="button" className="link-button" onClick={() => choose({})}>
            {t('show_all')}
          </button>
        ),
      })}
    </p>
  );
  return { left, bar, none };
}

/** Which of the lists stand on the page, and the way to each: links to them, or one at a time. */
export function useLists(lists: Section[], as: OptionsBlock['sections_as'] = 'jump') {
  const [open, setOpen] = useState<string>();
  const named = lists.filter((list) => list.id !== undefined);
  if (named.length < 2) return { shown: lists, ways: null };
  const current = named.find((list) => list.id === open) ?? named[0]!;
  const go = (list: Section) => {
    if (as === 'tabs') return setOpen(list.id);
    const heading = document.getElementById(headingOf(list));
    heading?.scrollIntoView({ block: 'start' });
    heading?.focus({ preventScroll: true });
  };
  const ways = (
    <div className="options-lists" role="group" aria-label={t('lists')}>
      {named.map((list) => (
        <button
          type="button"
          className="button small"
          key={list.id}
          aria-pressed={as === 'tabs' ? list === current : undefined}
          onClick={() => go(list)}
        >
          {list.title} <span className="figures">{list.offers.length}</span>
        </button>
      ))}
    </div>
  );
  return { shown: as === 'tabs' ? [current] : lists, ways };
}

export const headingOf = (list: Section): string => `options-list-${list.id}`;
