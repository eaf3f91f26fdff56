import type { Option } from '../../contract/blocks';
import { safeUrl } from '../../routes';

/**
 * The provider's logo, or its name as a wordmark in its colour on a white tile. Colours are attributes of the drawing: they stand on
 * pages without scripts too, whose policy allows no style. The name stands in words beside it, always.
 */
export function Logo({ provider: { name, short, logo, colour } }: { provider: Option['provider'] }) {
  const source = safeUrl(logo);
  if (source) return <img className="logo" src={source} alt="" width={72} height={40} loading="lazy" />;
  const lines = wordmark(short || name);
  const size = Math.min(lines.length > 1 ? 16 : 19, 120 / Math.max(...lines.map((line) => line.length)));
  const first = 20 + size * (0.35 - (lines.length - 1) * 0.52);
  return (
    <svg className="logo" viewBox="0 0 72 40" fill={colour || '#0a5560'} fontSize={size} aria-hidden="true">
      {lines.map((line, index) => (
        <text key={line} x="36" y={first + index * size * 1.04} textAnchor="middle">
          {line}
        </text>
      ))}
    </svg>
  );
}

/** At most two lines: HDFC over ERGO, New over India. */
export const wordmark = (name: string): string[] => name.split(/\s+/).slice(0, 2);
