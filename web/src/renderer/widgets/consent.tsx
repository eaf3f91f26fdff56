import type { WidgetProps } from '@rjsf/utils';
import { safeUrl } from '../../routes';
import { nameOf, tied } from '../form/field';
import { uiOf } from './ui';

/** A tick that is never set beforehand. Links to what is agreed to open beside the form. */
export function ConsentWidget(props: WidgetProps) {
  const { id, value, onChange, label, disabled, readonly } = props;
  const links = uiOf(props).links ?? [];
  return (
    <>
      <label className="consent" htmlFor={id}>
        <input
          type="checkbox"
          id={id}
          name={nameOf(props)}
          value="true"
          checked={value === true}
          disabled={disabled || readonly}
          {...tied(props)}
          onChange={(event) => onChange(event.target.checked || undefined)}
        />
        <span>{label}</span>
      </label>
      {links.length > 0 && (
        <p className="consent-links">
          {links.map((link) => (
            <a key={link.href} href={safeUrl(link.href)} target="_blank" rel="noopener">
              {link.label}
            </a>
          ))}
        </p>
      )}
    </>
  );
}

export const example = {
  name: 'consent',
  schema: {
    type: 'boolean',
    const: true,
    title: 'I agree to the terms of carriage',
    'x-ui': { widget: 'consent', links: [{ label: 'Terms of carriage', href: '/terms' }] },
  },
};
