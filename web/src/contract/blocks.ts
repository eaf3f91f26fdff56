/** What views and forms may hold. Written by `cargo run --example schemas`; never by hand. */
import type { Data, Paise, Value } from '../api/open';

export type Block =
  | ({ block: 'text' } & TextBlock)
  | ({ block: 'prose' } & ProseBlock)
  | ({ block: 'notice' } & NoticeBlock)
  | ({ block: 'facts' } & FactsBlock)
  | ({ block: 'breakup' } & BreakupBlock)
  | ({ block: 'options' } & OptionsBlock)
  | ({ block: 'tracker' } & TrackerBlock)
  | ({ block: 'documents' } & DocumentsBlock)
  | ({ block: 'seal' } & SealBlock)
  | ({ block: 'actions' } & ActionsBlock)
  | ({ block: 'table' } & TableBlock)
  | ({ block: 'links' } & LinksBlock)
  | ({ block: 'steps' } & StepsBlock)
  | ({ block: 'faq' } & FaqBlock)
  | ({ block: 'cards' } & CardsBlock)
  | ({ block: 'things' } & ThingsBlock)
  | ({ block: 'hero' } & HeroBlock)
  | ({ block: 'reviews' } & ReviewsBlock)
  | ({ block: 'slider' } & SliderBlock)
  | ({ block: 'countdown' } & CountdownBlock)
  | ({ block: 'banner' } & BannerBlock)
  | ({ block: 'coverage' } & CoverageBlock)
  | ({ block: 'share' } & ShareBlock)
  | ({ block: 'journey' } & JourneyBlock)
  | ({ block: 'calculator' } & CalculatorBlock)
  | ({ block: 'form' } & FormBlock);

export interface BlockHead {
  /** a name that stays when words change */
  id?: string;
  /** its heading */
  title?: string;
}

/** A part of words in Markdown: letters, or an element of HTML around others. */
export type Prose = string | { is: 'p' | 'h3' | 'ul' | 'ol' | 'li' | 'strong' | 'em' | 'a' | 'table' | 'thead' | 'tbody' | 'tr' | 'th' | 'td'; of: Prose[]; href?: string };

/** Paragraphs; an empty line parts them */
export interface TextBlock extends BlockHead {
  text: string;
  /** body if none is said */
  size?: 'lead' | 'body' | 'small';
}

/** What a text becomes that has marks; nobody writes it */
export interface ProseBlock extends BlockHead {
  text: Prose[];
  size?: 'lead' | 'body' | 'small';
}

/** What must not be missed */
export interface NoticeBlock extends BlockHead {
  text: string;
  /** info if none is said */
  tone?: 'info' | 'success' | 'warning' | 'error' | 'plain';
}

/** Label and value in rows */
export interface FactsBlock extends BlockHead {
  items: Fact[];
  /** what it is about; is this yours; to keep; a price and its source; what is bought */
  style?: 'line' | 'found' | 'keep' | 'sign' | 'plan';
  /** address of a drawing */
  image?: string;
  /** below the rows */
  note?: string;
}

/** How a price is made up */
export interface BreakupBlock extends BlockHead {
  lines: BreakupLine[];
  /** what is bought */
  style?: 'plan';
}

/** Offers of several providers, arriving one by one */
export interface OptionsBlock extends BlockHead {
  items: Option[];
  /** orders to choose from; the first is the usual one */
  sort?: Sort[];
  /** until when the first of these prices holds */
  valid_until?: string;
  /** the event that asks for all of them again when that is over */
  renew?: Renew;
  /** lists under their own words, in this order; an offer says in which it is */
  sections?: OptionsSection[];
  /** links to the lists, or one list at a time; jump if none is said */
  sections_as?: 'jump' | 'tabs';
  /** what the offers may be narrowed to: the choices are those of the offers */
  filters?: Filter[];
  /** how many may be compared, at most 4 */
  compare_max?: number;
  /** comparing sends this event with the offers' ids as chosen; without, our own table */
  compare?: CompareEvent;
  /** when nobody could make an offer */
  empty?: string;
  /** in place of the count, where who is still asked takes long: the bar stands complete */
  slow?: string;
  /** what may be covered or not: a card unfolds it, the comparison begins with it */
  covers?: OptionCover[];
  /** a mark on each card: that some of its figures are samples */
  sample?: string;
  /** stands below the first card */
  frequent?: Block;
}

/** What is done, what happens now, what comes next */
export interface TrackerBlock extends BlockHead {
  steps: TrackerStep[];
  /** what comes next */
  next?: Next;
  /** under which number others know it */
  reference?: Reference;
}

/** Papers of the journey to download */
export interface DocumentsBlock extends BlockHead {
  items: Document[];
  /** the way on of this page */
  style?: 'main';
  /** a day for the calendar */
  remind?: Remind;
  /** passes on the page behind the seal of the step's paper */
  share?: Shared;
}

/** On the step's paper a code, behind which anybody sees the site's page `instead: proof` */
export interface SealBlock extends BlockHead {
  /** what the code is for, beside it */
  text: string;
  /** of the link to the page behind it */
  label: string;
  /** address of that page */
  url?: string;
}

/** Buttons that send events which the step accepts */
export interface ActionsBlock extends BlockHead {
  items: Action[];
}

/** A table that scrolls sideways */
export interface TableBlock extends BlockHead {
  columns: Column[];
  rows: Value[][];
  /** each row has its place before it */
  style?: 'ranked';
  /** one part of a long list */
  pager?: Pager;
}

/** Links in a list */
export interface LinksBlock extends BlockHead {
  items: Link[];
  /** the first one is the way on of this page */
  style?: 'main';
  /** one part of a long list */
  pager?: Pager;
}

/** Numbered steps */
export interface StepsBlock extends BlockHead {
  items: Step[];
}

/** Questions that unfold */
export interface FaqBlock extends BlockHead {
  items: Question[];
}

/** Short things side by side */
export interface CardsBlock extends BlockHead {
  items: Card[];
  /** one part of a long list */
  pager?: Pager;
}

/** What somebody has or has begun, each with its state and ways on */
export interface ThingsBlock extends BlockHead {
  items: Thing[];
}

/** The promise at the top of a first page */
export interface HeroBlock extends BlockHead {
  text?: string;
  /** address of a drawing */
  image?: string;
  /** short promises */
  points?: (Value)[];
  /** where the promises come from */
  note?: string;
  /** the page that says what the figures among the promises count */
  source?: Link;
  /** ways on: the first one is the page's */
  links?: Link[];
  /** the heading that its title is */
  level?: 'h1' | 'h2';
}

/** What customers say, with stars */
export interface ReviewsBlock extends BlockHead {
  /** of all, 1 to 5 */
  rating?: number;
  note?: string;
  items: ReviewOf[];
}

/** Cards in a row that turns by itself */
export interface SliderBlock extends BlockHead {
  items: Slide[];
  /** it turns after this time; without, it is turned by hand alone */
  every_ms?: number;
}

/** A day by which something ends */
export interface CountdownBlock extends BlockHead {
  text: string;
  /** a day or a moment */
  until: string;
}

/** One thing put forward, with one way on */
export interface BannerBlock extends BlockHead {
  text?: string;
  tone?: 'info' | 'success' | 'warning' | 'error' | 'plain';
  /** address of a drawing */
  image?: string;
  /** of the button */
  label?: string;
  /** where it leads */
  href?: string;
}

/** What is covered by which kind */
export interface CoverageBlock extends BlockHead {
  columns: Covered[];
  items: Cover[];
}

/** Ways to pass the page on */
export interface ShareBlock extends BlockHead {
  /** goes before the address */
  text?: string;
  /** address of the endpoint that tells how often the page was passed on: {counts: [{way, count}]} */
  counts?: string;
  /** address of the page, as others reach it */
  url?: string;
}

/** The steps of a workflow in a page of the site */
export interface JourneyBlock extends BlockHead {
  text?: string;
  /** it is a dialog that opens with this hash */
  hash?: string;
  /** what comes when, beside the dialog on a desk */
  items?: Coming[];
}

/** The form of a page that `calculates`, and what follows from its answers while somebody types */
export interface CalculatorBlock extends BlockHead {
  text?: string;
  /** the button, for whom no script counts while typing */
  submit: string;
  /** read data.query, the answers */
  results: Block[];
  /** the form as it is drawn */
  form?: Data;
  /** the page's address */
  to?: string;
  /** fields of its address that do not fit */
  errors?: unknown[];
}

/** Where the step's form is drawn; without it, after all blocks */
export type FormBlock = BlockHead;
export interface Fact {
  label: string;
  value: Value;
  hint?: string;
  /** a way back to the step that asks for it */
  change?: Change;
  /** how it looks: a number plate, the name of the thing, who offers */
  kind?: 'plate' | 'name' | 'provider';
  /** of who offers: the words of the mark */
  short?: string;
  /** of who offers: #8a1c1c, the colour of the mark */
  colour?: string;
  /** what was refused, or asked about, is about this */
  marked?: boolean;
}

export interface Change {
  /** id of a state */
  step: string;
}

export interface BreakupLine {
  label: string;
  value: Value;
  /** line if none is said */
  kind?: 'line' | 'discount' | 'tax' | 'total' | 'rounding';
  detail?: string;
}

export interface Option {
  id: string;
  provider: Provider;
  state: 'asked' | 'answered' | 'declined' | 'failed';
  /** it came after the deadline */
  late?: boolean;
  /** it is asked for again: the price is the old one */
  stale?: boolean;
  /** asked for by name: stands before the others in any order; badge says why */
  first?: boolean;
  price?: Paise;
  /** below the price */
  price_note?: string;
  /** the price before */
  was?: Paise;
  badge?: string;
  title?: string;
  /** another kind of offer: a list of its own under these words */
  section?: string;
  /** ids of the lists that it is in */
  sections?: string[];
  /** what it has of each filter: {'room': 'Single'} */
  choices?: Data;
  /** what is not in it, said wherever it is shown */
  limits?: string[];
  facts?: OptionFact[];
  tags?: string[];
  notices?: OptionNotice[];
  breakup?: BreakupLine[];
  /** one for each of the list's covers */
  covers?: (Value | boolean)[];
  /** what can be read of it before it is taken */
  links?: Link[];
  /** why there is no offer */
  reason?: string;
  /** figures of the orders, smallest first */
  sort?: Record<string, number>;
  /** how it is taken */
  action?: OptionAction;
  /** a further way on from it */
  second?: OptionAction;
}

export interface Provider {
  name: string;
  short?: string;
  /** address of a picture */
  logo?: string;
  /** #8a1c1c, of the name that stands for a logo on a white tile */
  colour?: string;
}

export interface OptionFact {
  /** by which programs know it */
  id?: string;
  label: string;
  value: Value;
}

export interface OptionNotice {
  tone: 'info' | 'success' | 'warning' | 'error' | 'plain';
  text: string;
}

export interface Link {
  label: string;
  /** an address */
  href: string;
}

export interface OptionAction {
  event: string;
  /** what goes with the event */
  data?: Data;
  /** Choose if none is said */
  label?: string;
}

export interface Sort {
  /** the figure in sort of the items by which it goes; price is the price */
  id: string;
  label: string;
  /** the best by this figure stands above the list, under these words */
  pick?: string;
  /** below them: whose figure it is and of when; the fact of the same id is said with it */
  criterion?: string;
}

export interface Renew {
  event: string;
}

export interface OptionsSection {
  id: string;
  title: string;
  /** a figure of the offers: this list goes by it while the usual order is chosen */
  sort?: string;
}

export interface Filter {
  /** the key in choices of the items */
  id: string;
  label: string;
}

export interface CompareEvent {
  event: string;
  /** what goes with the event */
  data?: Data;
}

export interface OptionCover {
  label: string;
}

export interface TrackerStep {
  title: string;
  state: 'done' | 'current' | 'todo' | 'failed';
  text?: string;
  /** a moment */
  at?: string;
}

export interface Next {
  text: string;
}

export interface Reference {
  label: string;
  value: string;
}

export interface Document {
  title: string;
  /** id of a document of the journey; paper is the one of the step */
  document: string;
  note?: string;
}

export interface Remind {
  title: string;
  date: string;
}

export interface Shared {
  /** goes before the address */
  text: string;
  /** address of that page, as others reach it */
  url?: string;
}

export interface Action {
  label: string;
  event: string;
  /** what goes with the event */
  data?: Data;
  /** secondary if none is said */
  style?: 'primary' | 'secondary' | 'link' | 'danger';
  /** asked before it is sent */
  confirm?: string;
  /** a moment: until then the button counts down */
  after?: string;
}

export interface Column {
  title: string;
  /** money stands right by itself */
  align?: 'left' | 'right' | 'center';
  /** bars show how large its amounts are beside each other */
  bar?: boolean;
}

export interface Pager {
  page: number;
  pages: number;
  /** how many entries stand before these */
  first: number;
  /** address of the first part */
  href: string;
}

export interface Step {
  title: string;
  text?: string;
}

export interface Question {
  question: string;
  answer: string;
}

export interface Card {
  title: string;
  text: string;
  /** name of an icon */
  icon?: string;
  /** address of a drawing, in place of the icon */
  image?: string;
  /** name of the provider whose mark stands in place of the icon */
  provider?: string;
  /** of the provider: the words of the mark */
  short?: string;
  /** of the provider: #8a1c1c, the colour of the mark */
  colour?: string;
  /** where it leads */
  href?: string;
}

export interface Thing {
  title: string;
  /** by which its owner knows it: a number plate */
  mark?: string;
  /** name of the provider whose mark stands before it */
  provider?: string;
  /** of the provider: the words of the mark */
  short?: string;
  /** of the provider: #8a1c1c, the colour of the mark */
  colour?: string;
  /** how it stands */
  badge?: string;
  /** more of that */
  text?: string;
  facts?: OptionFact[];
  /** ways on: the first one is its own */
  links?: Link[];
  /** buttons beside them */
  actions?: Action[];
}

export interface ReviewOf {
  /** who */
  title: string;
  /** where */
  note?: string;
  /** 1 to 5 */
  rating: number;
  text: string;
}

export interface Slide {
  title: string;
  text: string;
  /** address of a drawing */
  image?: string;
  /** where it leads */
  href?: string;
}

export interface Covered {
  title: string;
}

export interface Cover {
  label: string;
  /** one for each column */
  values: (Value | boolean)[];
}

export interface Coming {
  title: string;
}

export type WidgetName =
  | 'text'
  | 'textarea'
  | 'mobile'
  | 'otp'
  | 'number'
  | 'money'
  | 'height'
  | 'date'
  | 'choice'
  | 'toggle'
  | 'select'
  | 'checkboxes'
  | 'consent'
  | 'range'
  | 'lookup'
  | 'hidden'
  | 'upload'
  | 'slots';

/** `x-ui` of a field, as the server resolved it. */
export interface FieldUi {
  /** guessed from the type, if none is said */
  widget?: string;
  /** the group that it is shown with */
  group?: string;
  /** conditions on other answers */
  show?: Data;
  /** below its title */
  hint?: string;
  /** false: not on the check page */
  review?: boolean;
  placeholder?: string;
  /** as in HTML */
  autocomplete?: string;
  /** as in HTML */
  inputMode?: 'text' | 'numeric' | 'decimal' | 'tel' | 'email' | 'search' | 'url' | 'none';
  /** as in HTML */
  autocapitalize?: 'characters' | 'words' | 'sentences' | 'none' | 'on' | 'off';
  /** stands before the value */
  prefix?: string;
  /** stands behind it */
  suffix?: string;
  /** half a line, beside a neighbour that says so too; in a group with a title a whole one */
  half?: boolean;
  /** not called optional, though it may wait: a paper that must come in the end */
  unmarked?: boolean;
  /** label of the button that adds a row */
  add?: string;
  /** label of the button that removes one */
  remove?: string;
  /** a number plate */
  look?: 'plate';
  /** address of a drawing on which the plate sits */
  scene?: string;
  /** reference data: workflows/master/<name>.csv */
  source?: string;
  /** columns of the row whose key was typed: said below it */
  tells?: string[];
  /** height in lines, 3 if none is said */
  rows?: number;
  /** the value is in rupees */
  unit?: string;
  /** says the amount in words below */
  words?: boolean;
  /** side by side */
  columns?: number;
  /** /field whose answer is the key of a row there */
  row?: string;
  /** the column with those of the choices that there are, parted by spaces */
  among?: string;
  /** what one agrees to */
  links?: ConsentLink[];
  /** of the slider; else those of multipleOf, or 1 */
  step?: number;
  /** the value can be typed, too */
  typed?: boolean;
  /** where the slider ends, when more than that may be typed */
  slider?: number;
  /** the column that is stored */
  value?: string;
  /** the column that is shown */
  label?: string;
  /** column → /field whose answer it must equal, or a literal */
  filter?: Data;
  /** false: all rows at once, as a list */
  search?: boolean;
  /** of the table shared/document_kinds */
  kind?: string;
  /** so many of a list; if none is said, as many as there are of the kind */
  max?: number;
  /** what it takes, picture, pdf, video: said by us */
  media?: string[];
  /** the same for the browser: said by us */
  accept?: string;
  /** [{key, title, hint, scene, required}]: a picture each, one after the other, called by its key */
  shots?: unknown;
  /** [{key, text, day, full}]; those that are full stand there as taken */
  slots?: unknown;
  /** when none is free */
  empty?: string;
}

export interface ConsentLink {
  label: string;
  href: string;
}
