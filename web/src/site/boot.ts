/** What a page brings along for the scripts: its view, the site around it. */
import type { FormView, Problem, StepView } from '../contract/api';
import type { Block, CalculatorBlock } from '../contract/blocks';
import type { Words } from '../contract/words';
import type { Kept } from './keeps';

export interface Site {
  name: string;
  /** what the app says by itself, in the language of the page */
  words?: { [Name in keyof Words]?: string };
  /** other languages, each in its own words */
  offers?: LanguageOffer[];
  /** the product that the page belongs to */
  product?: string;
  /** keys of the storage for what is begun here, and which of them this page's journeys take */
  storage?: Record<string, boolean>;
  /** what the browser keeps of answers of our calls */
  keeps?: Kept[];
  /** the mark of who is signed in, as far as the server knows; worth nothing without the session */
  token?: string;
  /** parts of the surroundings that this page leaves out */
  hide?: string[];
  /** the same for other pages of the journey, by their path, where it differs */
  hide_at?: Record<string, string[]>;
  /** how often a page says that somebody is there, and for how long without a sign of the person */
  presence?: { every_ms: number; idle_ms: number };
  reports?: Reports;
  /** times of a page by name, in milliseconds */
  timers?: Record<string, number>;
  /** ways to a person */
  help?: Help;
  /** addresses of scripts that come at their time */
  chat?: string;
  analytics?: string;
  /** the call by which it is found out whether the visitor is the agent that the address named */
  check?: string;
}
export interface LanguageOffer {
  language: string;
  text: string;
  yes: string;
  close: string;
}
export interface Help {
  call?: { number: string; display: string };
  whatsapp?: string;
  /** the page where one asks to be called */
  call_back?: string;
  /** the call that gives what people ask at a step */
  questions?: string;
}
/** How errors of a page are reported. */
export interface Reports {
  url: string;
  wait_ms: number;
  max: number;
  /** names that may be missing: noise */
  libraries: string[];
}
/** A journey that stands in a page, at its first step. */
export interface Place {
  view: StepView;
  /** it is a dialog that opens with this hash; further steps have their path */
  hash?: string;
  /** the dialog opens by itself once the page was looked at for so long, once a visit */
  after_ms?: number;
  /** the same once nothing was done on the page for so long */
  idle_ms?: number;
  /** its first step stands here, the others on their own pages */
  goes_on?: boolean;
  /** where it leads when it is over; without, its last step stays */
  end?: string;
}
export interface Own {
  title: string;
  blocks: Block[];
  /** a form, and the endpoint that takes it */
  asks?: { form: FormView; to: string };
  /** events of its buttons, and the endpoint that each calls */
  on?: Record<string, string>;
}
export interface Boot {
  view?: StepView;
  place?: Place;
  /** a form in the page, and what follows from its answers */
  calculator?: CalculatorBlock;
  /** a page of the person who is logged in */
  own?: Own;
  /** the page is somebody's, and nobody is logged in */
  login?: boolean;
  site?: Site;
  /** why a form that was sent before the scripts came was refused */
  problem?: Problem;
}
