import type { Progress as Line } from '../contract/api';
import { t } from './words';

const STATES = { done: 'section_done', current: 'section_now', todo: 'section_todo' } as const;

/** The way as a road: what is behind, where we are, what comes. On a phone its words are one line. */
export function Progress({ sections, scene }: Line) {
  if (sections.length < 2) return null; // one place is no way
  const at = sections.findIndex((section) => section.state === 'current');
  return (
    <nav className="progress" aria-label={t('progress')}>
      <ol>
        {sections.map((section) => (
          <li
            key={section.id}
            data-state={section.state}
            aria-current={section.state === 'current' ? 'step' : undefined}
          >
            {section.state === 'current' && <Traveller scene={scene} />}
            <span className="progress-title">{section.title}</span>
            <span className="sr"> {t(STATES[section.state])}</span>
          </li>
        ))}
      </ol>
      {at >= 0 && (
        <p className="progress-phone" aria-hidden="true">
          <strong>{sections[at]!.title}</strong> · {t('of', { n: at + 1, all: sections.length })}
        </p>
      )}
    </nav>
  );
}

/** Who is on the way: one of the drawings that a flow may name, or a pin. */
export const Traveller = ({ scene }: Pick<Line, 'scene'>) => (
  <svg className="traveller" aria-hidden="true">
    <use href={`/way/${scene ?? 'pin'}.svg#way`} />
  </svg>
);
