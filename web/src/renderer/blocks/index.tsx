/**
 * The one table of blocks. What most steps have is in the first script, the others come with their part. A block that this version
 * does not know is left out, so that newer content never breaks an open page.
 */
import { type ComponentType, memo, type ReactNode } from 'react';
import type { Block } from '../../contract/blocks';
import { always, type From, from, type Part } from '../part';
import { parts } from '../parts';
import { FactsView } from './facts';
import { NoticeView } from './notice';
import { TextView } from './text';

const { content, events, landing, options } = parts;
type Name = Exclude<Block['block'], 'form'>;
type Of<N extends Name> = Extract<Block, { block: N }>;

const views: { [N in Name]: From<ComponentType<Of<N>>> } = {
  text: always(TextView),
  notice: always(NoticeView),
  facts: always(FactsView),
  actions: from(events, (part) => part.ActionsView),
  breakup: from(events, (part) => part.BreakupView),
  documents: from(events, (part) => part.DocumentsView),
  seal: from(events, (part) => part.SealView),
  things: from(events, (part) => part.ThingsView),
  tracker: from(events, (part) => part.TrackerView),
  options: from(options, (part) => part.OptionsView),
  cards: from(landing, (part) => part.CardsView),
  faq: from(landing, (part) => part.FaqView),
  hero: from(landing, (part) => part.HeroView),
  links: from(landing, (part) => part.LinksView),
  prose: from(content, (part) => part.ProseView),
  steps: from(landing, (part) => part.StepsView),
  table: from(landing, (part) => part.TableView),
  banner: from(content, (part) => part.BannerView),
  calculator: from(content, (part) => part.CalculatorView),
  countdown: from(content, (part) => part.CountdownView),
  coverage: from(content, (part) => part.CoverageView),
  journey: from(content, (part) => part.JourneyView),
  reviews: from(content, (part) => part.ReviewsView),
  share: from(content, (part) => part.ShareView),
  slider: from(content, (part) => part.SliderView),
};

const known = new Map(Object.entries(views)) as ReadonlyMap<string, From<ComponentType<Block>>>;

const viewOf = (block: Block) => known.get(block.block);

/** Blocks by name with the file of the part that brings them. */
export const blockFiles = (): [name: string, part: Part<unknown>][] =>
  [...known].flatMap(([name, { part }]): [string, Part<unknown>][] => (part ? [[name, part]] : []));

/** The parts that draw these blocks, and those that stand inside of them. */
export const partsOf = (blocks: Block[]): Part<unknown>[] =>
  blocks.flatMap((block) => [
    ...[viewOf(block)?.part].filter((part) => part !== undefined),
    ...('frequent' in block && block.frequent ? partsOf([block.frequent]) : []),
    ...('results' in block ? partsOf(block.results) : []),
  ]);

/** `form` is where the step's form is drawn, when one of the blocks asks for it. */
export const BlockView = memo(function BlockView({ block, form }: { block: Block; form?: ReactNode }) {
  if (block.block === 'form') return <>{form}</>;
  const from = viewOf(block);
  if (!from) console.warn('unknown block', block.block);
  const View = from?.get();
  return View ? <View {...block} /> : null;
});

/**
 * Actions that follow each other stand in one row with the form's end; blocks keep their order. A block is known by its place
 * among its kind: another one that comes while somebody types leaves the form, and the focus in it, where it is.
 */
export function Blocks({ blocks, form }: { blocks: Block[]; form?: ReactNode }) {
  const seen: Record<string, number> = {};
  return (
    <>
      {blocks.map((block) => {
        const { block: kind, id } = block;
        seen[kind] = (seen[kind] ?? 0) + 1;
        return (
          <BlockView key={id ?? `${kind}-${seen[kind]}`} block={block} form={kind === 'form' ? form : undefined} />
        );
      })}
    </>
  );
}
