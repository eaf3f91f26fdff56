/** What is being bought: beside the form on a desk; on a phone above it, where a block with a title is folded to a line. */
import type { Value } from '../api/open';
import type { Block } from '../contract/blocks';
import { BlockView } from '../renderer/blocks';
import { value as words } from '../ui/format';
import { useMedia, WIDE } from '../ui/media';
import { t } from '../ui/words';

export function Plan({ blocks }: { blocks: Block[] }) {
  const wide = useMedia(WIDE);
  return (
    <aside className="aside" aria-label={t('buying')}>
      {blocks.map((block, at) =>
        wide || !block.title ? (
          <BlockView key={at} block={block} />
        ) : (
          <div key={at} className="review-group">
            <details>
              <summary>
                <span>
                  <span className="review-title">{block.title}</span>
                  <span className="review-line">{line(block)}</span>
                </span>
              </summary>
              <BlockView block={{ ...block, title: undefined }} />
            </details>
          </div>
        ),
      )}
    </aside>
  );
}

/** The total of a price, the values of facts that are clear without their labels. */
function line(block: Block): string {
  if (block.block === 'breakup') return words(block.lines.find((line) => line.kind === 'total')?.value);
  if (block.block !== 'facts') return '';
  const clear = block.items.filter(({ value }) => !isMoment(value));
  return clear.map((item) => words(item.value)).join(' · ');
}

const isMoment = (value: Value | undefined): boolean =>
  typeof value === 'object' && value !== null && ('date' in value || 'time' in value);
