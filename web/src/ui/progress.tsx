import type { Section } from '../contract/api';

const said = { done: 'done', current: 'now', todo: 'to do' } as const;

/** The slim line of sections: what is done, where we are, what comes. */
export function Progress({ sections }: { sections: Section[] }) {
  if (sections.length === 0) return null;
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
    </nav>
  );
}
