/** What the server's `/api/v1` sends and takes, named as in its reference. Money is integer paise; times are RFC 3339. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Data = Record<string, unknown>;

export type Tone = 'info' | 'success' | 'warning' | 'error' | 'plain';
export type Level = 'info' | 'success' | 'warning' | 'error';

export interface Paise {
  paise: number;
}
/** A value that the renderer formats: money, a date, a share in percent, text, or a bare string or number. */
export type Value = string | number | Paise | { date: string } | { percent: number } | { text: string } | null;

export interface StepView {
  journey: JourneyInfo;
  step: Step;
  messages: Message[];
  /** what the pings of this page carry, where the workflow says so */
  presence?: Data | null;
  /** the browser goes there, once */
  leave?: { url: string; seq: number } | null;
  server_time: string;
}

export interface JourneyInfo {
  /** null while nothing was sent: the first step of a workflow that nobody has begun */
  id: string | null;
  workflow: string;
  line: string;
  title: string;
  version?: string;
  revision: number;
  status: 'active' | 'done' | 'expired' | 'broken';
  base: string;
  language?: string;
  channel?: string;
}

export type StepKind =
  | 'form'
  | 'choice'
  | 'comparison'
  | 'review'
  | 'wait'
  | 'tracker'
  | 'redirect'
  | 'message'
  | 'upload';

export interface Step {
  id: string;
  kind: StepKind;
  title: string;
  intro?: string | null;
  path: string;
  url: string;
  progress?: { sections: Section[] } | null;
  form?: FormView | null;
  view?: { title?: string; blocks: Block[] } | null;
  review?: { sections: ReviewSection[]; submit: string } | null;
  redirect?: Redirect | null;
  wait?: { text: string; since: string; deadline?: string | null; next?: string | null } | null;
  events: Accepted[];
  back?: string | null;
  changeable?: { step: string; title: string; path: string }[];
  waits?: { for: string; since: string; deadline?: string | null; open?: number; of?: number }[];
  stream?: string | null;
  consents?: Data[];
  hide?: string[];
}

export interface Section {
  id: string;
  title: string;
  state: 'done' | 'current' | 'todo';
}
export interface Accepted {
  type: string;
  schema?: Schema;
}
export interface Message {
  code: string;
  level: Level;
  pointer?: string | null;
  text: string;
}
export interface Redirect {
  url: string;
  method?: 'GET' | 'POST';
  fields?: Record<string, string>;
  label?: string;
}
export interface ReviewSection {
  title: string;
  step: string;
  path?: string;
  changeable?: boolean;
  rows: ReviewRow[];
  parts?: ReviewPart[];
}
/** One row of a list of objects. */
export interface ReviewPart {
  title: string;
  pointer: string;
  rows: ReviewRow[];
}
export interface ReviewRow {
  label: string;
  value: Value;
  pointer?: string;
}

/** JSON Schema 2020-12 with our `x-` keys. */
// biome-ignore lint/suspicious/noExplicitAny: a schema is open by nature
export type Schema = Record<string, any>;
// biome-ignore lint/suspicious/noExplicitAny: a uiSchema is open by nature
export type Ui = Record<string, any>;

export interface FormView {
  id: string;
  title?: string;
  intro?: string;
  schema: Schema;
  data?: Data;
  /** for each list that people add rows to, the highest number that a row ever had */
  rows?: Record<string, number>;
  draft?: boolean;
  submit?: string;
}

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
  state: 'asked' | 'quoted' | 'declined' | 'failed';
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
}
export interface TableBlock extends BlockHead {
  columns: { title: string; align?: 'left' | 'right' | 'center' }[];
  rows: Value[][];
}
export interface LinksBlock extends BlockHead {
  items: { label: string; href: string }[];
}
export interface StepsBlock extends BlockHead {
  items: { title: string; text?: string }[];
}
export interface FaqBlock extends BlockHead {
  items: { question: string; answer: string }[];
}
export interface CardsBlock extends BlockHead {
  items: { title: string; text: string; icon?: string; image?: string | null; href?: string; link?: string }[];
}
export interface HeroBlock extends BlockHead {
  text?: string;
  /** address of a drawing */
  image?: string | null;
  points?: Value[];
  /** the heading that its title is */
  level?: 'h1' | 'h2';
}

export interface Difference {
  pointer: string;
  yours: unknown;
  theirs: unknown;
}
export interface FieldProblem {
  pointer: string;
  code?: string;
  text: string;
}
/** RFC 9457 problem details with the keys of this product. */
export interface Problem {
  type?: string;
  title?: string;
  status: number;
  code?: string;
  detail?: string;
  errors?: FieldProblem[];
  view?: StepView;
  difference?: Difference[];
  retry_after_s?: number;
}

export interface Site {
  name: string;
  /** parts of the surroundings that this page leaves out */
  hide?: string[];
  /** how often a page says that somebody is there, and for how long without a sign of the person */
  presence?: { every_ms: number; idle_ms: number };
  reports?: Reports;
}
/** How errors of a page are reported. */
export interface Reports {
  url: string;
  wait_ms: number;
  max: number;
  /** names that may be missing: noise */
  libraries: string[];
}
export interface Boot {
  view?: StepView;
  site?: Site;
  /** why a form that was sent before the scripts came was refused */
  problem?: Problem;
}
