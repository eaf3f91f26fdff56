//! Everything authored: workflows, forms, tables, partners, messages, texts, views, the site.
//! Files become a [`Catalog`] or a list of [`Problem`]s with file, line, column and hint.
//!
//! Pure: no clock, no network, no database; the file system only in `Files::read_dir`. It does not
//! know journeys (engine-runtime), does no calls (engine-partners), and no line of business: lines
//! are folders. YAML and JSON text is read in `source` and nowhere else.
//!
//! To add a kind of file: its place in `layout`, a module with `compile(id, node, problems)`, a line in
//! `load`, a getter in `catalog`, its keys in `schema`, a section in workflows/FORMAT.md. To add a function for
//! expressions: `host`. To add a product key: `workflow`.

mod account;
mod calendar;
mod catalog;
mod cells;
mod channels;
pub mod check;
pub mod content;
mod contract;
mod endpoint;
mod expressions;
mod extends;
mod fields;
mod files;
pub mod fmt;
mod form;
mod frozen;
mod host;
pub mod keys;
mod layout;
mod letterhead;
mod load;
mod localized;
mod master;
mod message;
mod outside;
mod partner;
mod pinned;
mod places;
mod policy;
mod prose;
mod records;
mod references;
mod releases;
pub mod schema;
mod shape;
mod single_file;
mod site;
pub mod source;
pub mod stats;
pub mod story;
mod table;
mod text;
mod texts;
mod translation;
mod uploads;
mod values;
mod variants;
mod view;
mod workflow;

/// Format of the language in which definitions are written; a version is stored with the one of its time. A new number
/// comes when files of an earlier one mean something else, and then what reads them stays: open journeys keep their
/// version for years.
pub const FORMAT: i32 = 1;

pub use account::{AccountParts, RecordKinds};
pub use calendar::{Calendar, Calendars};
pub use catalog::Catalog;
pub use channels::{
    AgentChecks, Agents, Arrival, Attribution, Brought, Channels, Check, Experiment, Partner as SitePartner, Seller,
    Touch,
};
pub use contract::{Contract, ErrorTable, Takes};
pub use endpoint::{
    By, Data, Deed, Endpoint, Envelope, Event, JourneyDeed, List, OF_JOURNEY, PartnerCall, PersonDeed, Proves, Refuses,
    Starts, TakesOver, Which, Who, scope as call_scope, text_of, value_of,
};
pub use engine_statechart::{EvalError, Problem, Severity};
pub use files::{FOLDERS, Files};
pub use form::{
    FieldError, Form, FormFields, FormView, digits, is_asked, is_personal_name, personal_kind, place_of, row_number,
};
pub use frozen::Frozen;
pub use host::{FUNCTIONS, OnDemand, ProductHost, mask, mask_personal};
pub use letterhead::Letterhead;
pub use load::{Loaded, load, load_beside, load_to_try, publishable};
pub use master::{Master, Masters};
pub use message::{Channel, House, Message, MessageError, Rendered};
pub use partner::{
    Auth, Body, Breaker, Button, CallError, CallErrorKind, Consequences, Correlate, Credential, Example, Fail, Go,
    HEADERS_OURS, Later, Operation, OutgoingRequest, PageField, Partner, Remember, Reply, Retry, RetryPolicy,
    SandboxCase, SandboxPage, SandboxScript, SandboxWebhook, Webhook, WebhookEvent, WebhookTells, WebhookVerify,
    decode_segment,
};
pub use pinned::{PinnedVersion, reload_closure};
pub use policy::{Policy, ROUTES, Right, Roles, RouteAsks, Whose};
pub use prose::plain_text;
pub use records::{AGREEMENT, CONSENT, KEPT, Law, Records, RecordsAsked};
pub use releases::{FILE as RELEASES, Releases};
pub use shape::{Misfit, Shape};
pub use single_file::{plain_machine, xstate_machine};
pub use site::{
    Address, Around, Asks, Calculated, Frame, Group, Listing, MENU_KEYS, MenuItem, PAGE_KINDS, PAPER_ENDING, Page,
    PageRequest, Product as SiteProduct, Rendered as SitePage, Script, Serves, Site, Special,
};
pub use story::Story;
pub use table::{Search, Table, Tables};
pub use text::{ENGLISH, Text};
pub use translation::{Sheet, Translated, sheets};
pub use uploads::{FILE_KINDS, UploadAnswer, UploadKind};
pub use values::{Now, ZONE, format_date, money};
pub use variants::{Audience, TARGETS};
pub use view::{COMPANY, View};
pub use workflow::{
    Accept, Invoke, Listed, OnVersion, Only, Redirect, Report, Reuse, Section, SignIn, Source, Step, StepKind, Trail,
    VIEWER, Waits, Workflow,
};
