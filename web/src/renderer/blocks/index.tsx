/** All blocks by name. A block that this version does not know is left out, so that newer content never breaks an open page. */
import { memo, type ReactNode } from 'react';
import type { Block } from '../../contract/blocks';
import { ActionsView } from './actions';
import { BannerView } from './banner';
import { BreakupView } from './breakup';
import { CardsView } from './cards';
import { CountdownView } from './countdown';
import { CoverageView } from './coverage';
import { DocumentsView } from './documents';
import { FactsView } from './facts';
import { FaqView } from './faq';
import { HeroView } from './hero';
import { JourneyView } from './journey';
import { LinksView } from './links';
import { NoticeView } from './notice';
import { OptionsView } from './options';
import { ReviewsView } from './reviews';
import { ShareView } from './share';
import { SliderView } from './slider';
import { StepsView } from './steps';
import { TableView } from './table';
import { TextView } from './text';
import { TrackerView } from './tracker';

/** `form` is where the step's form is drawn, when one of the blocks asks for it. */
export const BlockView = memo(function BlockView({ block, form }: { block: Block; form?: ReactNode }) {
  switch (block.block) {
    case 'text':
      return <TextView {...block} />;
    case 'notice':
      return <NoticeView {...block} />;
    case 'facts':
      return <FactsView {...block} />;
    case 'breakup':
      return <BreakupView {...block} />;
    case 'options':
      return <OptionsView {...block} />;
    case 'tracker':
      return <TrackerView {...block} />;
    case 'documents':
      return <DocumentsView {...block} />;
    case 'actions':
      return <ActionsView {...block} />;
    case 'table':
      return <TableView {...block} />;
    case 'links':
      return <LinksView {...block} />;
    case 'steps':
      return <StepsView {...block} />;
    case 'faq':
      return <FaqView {...block} />;
    case 'cards':
      return <CardsView {...block} />;
    case 'hero':
      return <HeroView {...block} />;
    case 'reviews':
      return <ReviewsView {...block} />;
    case 'slider':
      return <SliderView {...block} />;
    case 'countdown':
      return <CountdownView {...block} />;
    case 'banner':
      return <BannerView {...block} />;
    case 'coverage':
      return <CoverageView {...block} />;
    case 'share':
      return <ShareView {...block} />;
    case 'journey':
      return <JourneyView {...block} />;
    case 'form':
      return <>{form}</>;
    default:
      return null;
  }
});

/** Actions that follow each other stand in one row with the form's end; blocks keep their order. */
export function Blocks({ blocks, form }: { blocks: Block[]; form?: ReactNode }) {
  return (
    <>
      {blocks.map((block, index) => (
        <BlockView
          key={block.id ?? `${block.block}-${index}`}
          block={block}
          form={block.block === 'form' ? form : undefined}
        />
      ))}
    </>
  );
}
