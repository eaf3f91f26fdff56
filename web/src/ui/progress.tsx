import type { Section } from '../contract/api';
import { t } from './words';

const STATES = { done: 'section_done', current: 'section_now', todo: 'section_todo' } as const;

/** The way as a road: what is driven, where we are, what comes. On a phone its words are one line. */
export function Progress({ sections }: { sections: Section[] }) {
  if (sections.length === 0) return null;
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
            <span>{section.title}</span>
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
