import type { Section } from '../contract/api';

const said = { done: 'done', current: 'now', todo: 'to do' } as const;

/** The way as a road: what is driven, where we are, what comes. On a phone its words are one line. */
export function Progress({ sections }: { sections: Section[] }) {
  if (sections.length === 0) return null;
  const at = sections.findIndex((section) => section.state === 'current');
  return (
    <nav className="progress" aria-label="Progress">
      <ol>
        {sections.map((section) => (
          <li
            key={section.id}
            data-state={section.state}
            aria-current={section.state === 'current' ? 'step' : undefined}
          >
            <span>{section.title}</span>
            <span className="sr"> ({said[section.state]})</span>
          </li>
        ))}
      </ol>
      {at >= 0 && (
        <p className="progress-phone" aria-hidden="true">
          <strong>{sections[at]!.title}</strong> · {at + 1} of {sections.length}
        </p>
      )}
    </nav>
  );
}
