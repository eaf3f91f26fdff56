/** The blocks of a view as they are drawn. What a view's author writes, the server passes on; each names its `block`. */
import type { Data, Paise, Tone, Value } from '../../api/open';

export type Block =
  | ({ block: 'text' } & TextBlock)
  | ({ block: 'notice' } & NoticeBlock)
  | ({ block: 'facts' } & FactsBlock)
  | ({ block: 'breakup' } & BreakupBlock)
  | ({ block: 'options' } & OptionsBlock)
  | ({ block: 'tracker' } & TrackerBlock)
  | ({ block: 'documents' } & DocumentsBlock)
  | ({ block: 'actions' } & ActionsBlock)
  | ({ block: 'table' } & TableBlock)
  | ({ block: 'links' } & LinksBlock)
  | ({ block: 'steps' } & StepsBlock)
  | ({ block: 'faq' } & FaqBlock)
  | ({ block: 'cards' } & CardsBlock)
  | ({ block: 'hero' } & HeroBlock)
  | ({ block: 'reviews' } & ReviewsBlock)
  | ({ block: 'slider' } & SliderBlock)
  | ({ block: 'countdown' } & CountdownBlock)
  | ({ block: 'banner' } & BannerBlock)
  | ({ block: 'coverage' } & CoverageBlock)
  | ({ block: 'share' } & ShareBlock)
  | ({ block: 'journey' } & JourneyBlock)
  | ({ block: 'form' } & BlockHead);

export interface BlockHead {
  id?: string;
  title?: string;
  tone?: Tone;
}
export interface TextBlock extends BlockHead {
  text: string;
  size?: 'lead' | 'body' | 'small';
}
export interface NoticeBlock extends BlockHead {
  text: string;
}
export interface FactsBlock extends BlockHead {
  items: Fact[];
  /** line: what it is about; found: is this yours?; keep: the card that one keeps; sign: a price and its source; plan: what is bought */
  style?: 'line' | 'found' | 'keep' | 'sign' | 'plan';
  /** address of a drawing */
  image?: string | null;
  note?: string | null;
}
export interface Fact {
  label: string;
  value: Value;
  hint?: string;
  change?: { step: string } | null;
  /** how the value looks: a number plate, the name of the thing, a provider */
  kind?: 'plate' | 'name' | 'provider';
}
export interface BreakupBlock extends BlockHead {
  style?: 'plan';
  lines: BreakupLine[];
}
export interface BreakupLine {
  label: string;
  value: Value;
  kind?: 'line' | 'discount' | 'tax' | 'total' | 'rounding';
  detail?: string;
}
export interface OptionsBlock extends BlockHead {
  /** `pick`: the best by this figure stands above the list, under these words */
  sort?: { id: string; label: string; pick?: string | null }[];
  /** until when the first of these prices holds, and the event that asks for all of them again */
  valid_until?: string | null;
  renew?: { event: string } | null;
  compare_max?: number;
  empty?: string;
  items: Option[];
  frequent?: Block | null;
}
export interface Option {
  id: string;
  provider: { name: string; short?: string; logo?: string | null; colour?: string | null };
  state: 'asked' | 'answered' | 'declined' | 'failed';
  late?: boolean;
  stale?: boolean;
  price?: Paise | null;
  price_note?: string | null;
  was?: Paise | null;
  badge?: string | null;
  title?: string;
  /** another kind of offer: a list of its own under these words, never compared with the rest by price */
  section?: string | null;
  /** what is not in it, or only up to: said wherever the offer is shown */
  limits?: string[];
  facts?: { label: string; value: Value }[];
  tags?: string[];
  notices?: { tone: Tone; text: string }[];
  breakup?: BreakupLine[];
  reason?: string | null;
  sort?: Record<string, number>;
  action?: { event: string; data?: Data; label?: string } | null;
}
export interface TrackerBlock extends BlockHead {
  steps: { title: string; state: 'done' | 'current' | 'todo' | 'failed'; text?: string | null; at?: string | null }[];
  next?: { text: string } | null;
  reference?: { label: string; value: string } | null;
}
export interface DocumentsBlock extends BlockHead {
  /** main: the way on of this page */
  style?: 'main';
  /** a day for the calendar */
  remind?: { title: string; date: string } | null;
  items: { title: string; document: string; note?: string | null }[];
}
export interface ActionsBlock extends BlockHead {
  items: Action[];
}
export interface Action {
  label: string;
  event: string;
  data?: Data;
  style?: 'primary' | 'secondary' | 'link' | 'danger';
  confirm?: string | null;
  /** not before this moment: until then the button counts down */
  after?: string | null;
}
export interface TableBlock extends BlockHead {
  /** ranked: each row has its place before it */
  style?: 'ranked';
  pager?: Pager;
  columns: { title: string; align?: 'left' | 'right' | 'center' }[];
  rows: Value[][];
}
/** one part of a long list */
export interface Pager {
  page: number;
  pages: number;
  /** how many entries stand before these */
  first: number;
  /** address of the first part */
  href: string;
}
export interface LinksBlock extends BlockHead {
  /** main: the first one is the way on of this page */
  style?: 'main';
  pager?: Pager;
  items: { label: string; href: string }[];
}
export interface StepsBlock extends BlockHead {
  items: { title: string; text?: string }[];
}
export interface FaqBlock extends BlockHead {
  items: { question: string; answer: string }[];
}
export interface CardsBlock extends BlockHead {
  pager?: Pager;
  items: { title: string; text: string; icon?: string; image?: string | null; href?: string; link?: string }[];
}
export interface HeroBlock extends BlockHead {
  text?: string;
  /** address of a drawing */
  image?: string | null;
  points?: Value[];
  /** ways on: the first one is the page's */
  links?: { label: string; href: string }[];
  /** the heading that its title is */
  level?: 'h1' | 'h2';
}
export interface ReviewsBlock extends BlockHead {
  /** of all, 1 to 5 */
  rating?: number | null;
  note?: string | null;
  items: { title: string; note?: string; rating: number; text: string }[];
}
export interface SliderBlock extends BlockHead {
  /** it turns after this time; without, it is turned by hand alone */
  every_ms?: number;
  items: { title: string; text: string; image?: string | null; href?: string }[];
}
export interface CountdownBlock extends BlockHead {
  text: string;
  /** a day or a moment */
  until: string;
}
export interface BannerBlock extends BlockHead {
  text?: string;
  image?: string | null;
  label?: string;
  href?: string;
}
export interface CoverageBlock extends BlockHead {
  columns: { title: string }[];
  items: { label: string; values: (Value | boolean)[] }[];
}
/** the workflow and what it begins with are the server's affair */
export interface JourneyBlock extends BlockHead {
  text?: string;
  /** it is a dialog that opens with this hash */
  hash?: string;
  /** what comes when, beside the dialog on a desk */
  items?: { title: string }[];
}
export interface ShareBlock extends BlockHead {
  text?: string;
  /** address of the page, as others reach it; the server says it */
  url?: string;
}
