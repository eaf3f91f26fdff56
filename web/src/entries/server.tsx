/**
 * What the server draws a page's body with, in an engine that has only JavaScript itself: no document, no timers, no network.
 * The same components as in the browser; a first step is taken over there, everything else stays as it is drawn.
 */
import './server-globals';
import './everything';
import { renderToStaticMarkup, renderToString } from 'react-dom/server';
import type { StepKind, StepView } from '../contract/api';
import type { Block, CalculatorBlock } from '../contract/blocks';
import { Journey } from '../journey/journey';
import { Skeleton } from '../journey/skeleton';
import { DrawnCalculator, DrawnPlace } from '../renderer/context';
import type { Place, Site } from '../site/boot';
import { Calculator } from '../site/calculator';
import { Content } from '../site/content';
import { Footer, Header, ScriptsNeeded, SkipLink, type Surroundings } from '../site/frame';
import { Question } from '../site/question';
import { speak } from '../ui/words';

/** One of `view`, `skeleton` and `blocks` says what the page is. */
export interface Page {
  site: Surroundings & Site;
  title: string;
  /** a step that nobody has begun: the same for everybody */
  view?: StepView;
  /** a step of somebody: only its kind */
  skeleton?: StepKind;
  blocks?: Block[];
  /** the button of a page that asks */
  submit?: string;
  /** the journey that stands among the blocks */
  place?: Place;
}

export function draw(page: Page): string {
  const { site } = page;
  speak(site.language, site.words);
  return [
    renderToStaticMarkup(<SkipLink />),
    site.without?.includes('header') ? '' : renderToStaticMarkup(<Header site={site} />),
    `<main id="main" class="main" tabindex="-1">${main(page)}</main>`,
    site.without?.includes('footer') ? '' : renderToStaticMarkup(<Footer site={site} />),
  ].join('');
}

function main({ site, title, view, skeleton, blocks = [], submit, place }: Page): string {
  // who cannot go on without scripts learns it before anything is typed
  const needed = view || skeleton || place ? renderToStaticMarkup(<ScriptsNeeded site={site} />) : '';
  if (view)
    return `${needed}<div id="app" data-server="true">${renderToString(<Journey view={view} site={site} />)}</div>`;
  if (skeleton) return `${needed}<div id="app">${renderToStaticMarkup(<Skeleton kind={skeleton} />)}</div>`;
  if (submit) return renderToStaticMarkup(<Question title={title} blocks={blocks} submit={submit} />);
  const content = <Content title={title} blocks={blocks} />;
  const calculator = blocks.find(
    (block): block is { block: 'calculator' } & CalculatorBlock =>
      block.block === 'calculator' && block.form !== undefined,
  );
  if (!place && !calculator) return renderToStaticMarkup(content);
  const drawn = place ? renderToString(<Journey view={place.view} site={site} within={place} />) : '';
  const counted = calculator ? renderToString(<Calculator {...calculator} />) : '';
  return (
    needed +
    renderToStaticMarkup(
      <DrawnPlace.Provider value={drawn}>
        <DrawnCalculator.Provider value={counted}>{content}</DrawnCalculator.Provider>
      </DrawnPlace.Provider>,
    )
  );
}

(globalThis as { draw?: (json: string) => string }).draw = (json) => draw(JSON.parse(json) as Page);
