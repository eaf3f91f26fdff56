//! A workflow: a pure machine beside what only the product knows of its states and calls.

mod actions;
mod calls;
mod cel;
mod closure;
mod compile;
mod contracts;
mod definite_assignment;
mod desugar;
mod invoke;
mod library;
mod listed;
mod locations;
mod merge;
mod params;
mod part;
mod shown;
pub(crate) mod standalone;
mod step;
mod steps;
mod tracking;
mod ttl;
mod values;
mod verified;
mod verify;

pub(crate) use compile::compile;
pub(crate) use desugar::SECTION_STEP_KEYS;
pub(crate) use library::Library;
pub(crate) use values::LineValues;

/// The checker's closed lists of keys.
#[cfg(test)]
pub(crate) mod keys {
    pub use super::calls::INVOKE_KEYS;
    pub use super::library::{ROOT_KEYS, STATE_KEYS};
    pub use super::part::{HOST_KEYS, PART_KEYS};
    pub use super::steps::STEP_KEYS;
}
pub use invoke::{Invoke, Reuse, SYSTEM, Source};
pub use listed::{LISTED, Listed};
pub use step::{Accept, Face, Only, Redirect, Step, StepKind, Trail, VIEWER, Waits};
pub use tracking::Report;
pub use ttl::Ttl;

use crate::catalog::Catalog;
use crate::contract::{Contract, Contracts};
use crate::form::Form;
use crate::host::{OnDemand, ProductHost};
use crate::story::Story;
use crate::table::{Table, Tables};
use crate::texts::FlowTexts;
use crate::values::Now;
use crate::variants::{Alternatives, Audience, Variant};
use crate::view::View;
use chrono_tz::Tz;
use engine_statechart::expression::{Expression, Names};
use engine_statechart::source::{Node, Span};
use engine_statechart::{Machine, Problem, Vocabulary};
use indexmap::IndexMap;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// One published version of a workflow, with everything that is pinned to it.
pub struct Workflow {
    /// `<line>/<name>`: the path of its folder below workflows/.
    pub id: String,
    pub line: String,
    /// Address of its first page, starting with `/`.
    pub base: String,
    pub title: String,
    pub(crate) titles: Alternatives<String>,
    pub timezone: Tz,
    /// Language of messages that have no text in the journey's own.
    pub language: String,
    /// Language of the workflow's words.
    pub spoken: String,
    /// The workflow in other languages: only words differ.
    pub(crate) languages: BTreeMap<String, Arc<Workflow>>,
    /// Each change of step is told there, in order.
    pub track: Option<Report>,
    /// Who is there is told there.
    pub presence: Option<Report>,
    /// What lists say of the workflow's requests.
    pub listed: Listed,
    /// Time after which an idle journey expires.
    pub ttl: Ttl,
    /// Way in which the session is signed in at the journey's end; `None`: not at all.
    pub signs_in: Option<SignIn>,
    /// Hash of the closure: 32 hex digits.
    pub version: String,
    /// Path and hash of every pinned file, in path order.
    pub closure: Vec<(String, String)>,
    pub machine: Machine,
    /// What its expressions know.
    pub vocabulary: Vocabulary,
    pub params: Value,
    /// What its own states and views name.
    pub(crate) values: Arc<Names>,
    pub sections: Vec<Section>,
    /// Who is on the way on the progress line.
    pub scene: Option<String>,
    /// Further paths of pages → paths of their steps.
    pub aliases: BTreeMap<String, String>,
    /// Purpose of a link → events that it lets a person send at every step.
    pub links: BTreeMap<String, Vec<String>>,
    /// Delay names → what a new version does with a running one.
    pub delays: BTreeMap<String, OnVersion>,
    /// Keys of the context that something defines; empty where not all could be read.
    pub(crate) context: BTreeSet<String>,
    pub(crate) steps: IndexMap<String, Step>,
    pub(crate) invokes: IndexMap<String, Invoke>,
    pub(crate) forms: BTreeMap<String, Arc<Form>>,
    pub(crate) views: BTreeMap<String, Arc<View>>,
    pub(crate) tables: Tables,
    pub(crate) texts: FlowTexts,
    pub(crate) stories: Vec<Arc<Story>>,
    /// The contracts of its calls, as this version holds them.
    pub(crate) contracts: Contracts,
    /// State → events that it forbids.
    pub(crate) forbidden: BTreeMap<String, BTreeSet<String>>,
    /// Final states without a step → the step that they go on showing.
    pub(crate) closed: BTreeMap<String, String>,
    /// Step shown in each state of the machine, in its order: the state's own or the nearest ancestor's.
    pub(crate) shown: Vec<Option<Nearest>>,
}

/// The step that a state shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    /// Position of the step in `steps`.
    step: usize,
    /// How many states the step's own stands in.
    depth: usize,
}

/// One part of the progress line.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    pub id: String,
    pub title: String,
}

/// Way in which a session is signed in at a journey's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignIn {
    /// The person whose number was verified in it.
    Person,
    /// The person whose number was verified in it, as one of the staff, with a second factor.
    Staff,
    /// Somebody who is signed in already; the number that was verified in it becomes theirs.
    Number,
    /// Somebody who is signed in already; the e-mail address that was verified in it becomes theirs.
    Email,
    /// Nobody any more: a person who is signed in, and verified the number of the account once more, is forgotten.
    Forget,
}

/// What happens to a running delay when a journey moves to another version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OnVersion {
    #[default]
    KeepDeadline,
    KeepRest,
    Restart,
}

impl OnVersion {
    pub fn as_str(self) -> &'static str {
        match self {
            OnVersion::KeepDeadline => "keep_deadline",
            OnVersion::KeepRest => "keep_rest",
            OnVersion::Restart => "restart",
        }
    }
}

impl Workflow {
    /// The current step: the innermost active state with a step, else the nearest ancestor's.
    /// `active` as in a snapshot, document order.
    pub fn step(&self, active: &[String]) -> Option<&Step> {
        // One region may have a step of its own while another only finds an ancestor's: the deepest wins.
        let nearest = |id: &String| *self.shown.get(self.machine.place(id)?)?;
        let deepest = active.iter().filter_map(nearest).rev().max_by_key(|nearest| nearest.depth)?;
        self.steps.get_index(deepest.step).map(|(_, step)| step)
    }

    /// The step shown in a state: see [`Workflow::shown`].
    fn nearest(&self, state: &str) -> Option<Nearest> {
        let own = |state: &str| self.steps.get_full(self.closed.get(state).map_or(state, String::as_str));
        let (step, _, found) = self.machine.ancestors(state).find_map(own)?;
        Some(Nearest { step, depth: self.machine.ancestors(&found.node).count() })
    }

    /// One of its values, as an expression; `None`: there is none of this name, or it takes arguments.
    pub fn value(&self, name: &str) -> Option<Expression> {
        let is_plain = self.values.arity(name) == Some(0);
        is_plain.then(|| self.expression(name).ok()).flatten()
    }

    /// An expression as it could stand in the flow: its values, tables and functions are known. An error is what is
    /// wrong with it.
    pub fn expression(&self, text: &str) -> Result<Expression, Vec<Problem>> {
        let text = crate::source::Value::String(text.to_owned());
        let node = crate::source::Node::new(Span::unknown(), text).with_names(&self.values);
        let mut problems = Vec::new();
        Expression::read(&node, &self.vocabulary, &[], &mut problems).ok_or(problems)
    }

    /// Its values without arguments that a text of expressions names, each once.
    pub fn values_named(&self, text: &str) -> Vec<&str> {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let words: BTreeSet<&str> = text.split(|c| !is_letter(c)).filter_map(|word| word.split('.').next()).collect();
        let named = self.values.values().filter(|(name, _)| words.contains(name));
        named.map(|(name, _)| name).filter(|name| self.values.arity(name) == Some(0)).collect()
    }

    /// The value of this name as it was written.
    pub fn written(&self, name: &str) -> Option<&Node> {
        self.values.written(name)
    }

    pub(crate) fn value_names(&self) -> impl Iterator<Item = &str> {
        self.values.values().map(|(name, _)| name)
    }

    /// A state as stories name it: without the root.
    pub fn state_name<'n>(&self, node: &'n str) -> &'n str {
        node.strip_prefix(self.machine.id()).and_then(|rest| rest.strip_prefix('.')).unwrap_or(node)
    }

    /// The step of a state that is named so.
    pub fn step_named(&self, name: &str) -> Option<&Step> {
        self.steps.values().find(|step| self.state_name(&step.node) == name)
    }

    /// Whether a step leads to a partner's own page, or waits beside one that does: what is done there comes later.
    pub fn is_at_partner_page(&self, node: &str) -> bool {
        let around = |node: &str| node.rsplit_once('.').map(|(parent, _)| parent.to_owned());
        let waits = |step: &Step| matches!(step.kind, StepKind::Redirect | StepKind::Wait);
        let leads = |step: &Step| step.redirect.is_some() && around(&step.node) == around(node);
        self.step_by_node(node).is_some_and(waits) && self.steps.values().any(leads)
    }

    pub fn step_by_node(&self, node: &str) -> Option<&Step> {
        self.steps.get(node)
    }

    /// Steps whose page path is `path`, aliases followed.
    pub fn step_by_path<'a>(&'a self, path: &'a str) -> impl Iterator<Item = &'a Step> {
        let path = self.aliases.get(path).map_or(path, String::as_str);
        self.steps.values().filter(move |s| s.path.as_deref() == Some(path))
    }

    /// Steps in document order.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.values()
    }

    /// What a link of this purpose lets a person send while a step is shown; `None`: it does not even show it.
    pub fn link_events(&self, purpose: &str, node: &str) -> Option<Vec<String>> {
        let step = self.steps.get(node).and_then(|step| step.links.get(purpose));
        let all = self.links.get(purpose);
        (step.is_some() || all.is_some()).then(|| step.into_iter().chain(all).flatten().cloned().collect())
    }

    /// Whether it sends one-time passwords: who is not known again could not enter one.
    pub fn sends_codes(&self) -> bool {
        self.invokes.values().any(|invoke| matches!(&invoke.source, Source::System(name) if name == "otp.send"))
    }

    pub fn invoke(&self, id: &str) -> Option<&Invoke> {
        self.invokes.get(id)
    }

    pub fn invokes(&self) -> impl Iterator<Item = &Invoke> {
        self.invokes.values()
    }

    pub fn form(&self, id: &str) -> Option<&Arc<Form>> {
        self.forms.get(id)
    }

    pub fn view(&self, id: &str) -> Option<&Arc<View>> {
        self.views.get(id)
    }

    pub fn table(&self, id: &str) -> Option<&Arc<Table>> {
        self.tables.get(id)
    }

    pub fn stories(&self) -> &[Arc<Story>] {
        &self.stories
    }

    /// Contracts of its calls, as this version holds them.
    pub fn contracts(&self) -> impl Iterator<Item = &Arc<Contract>> {
        self.contracts.values()
    }

    /// The contract of a call.
    pub fn contract(&self, invoke: &Invoke) -> Option<&Arc<Contract>> {
        self.contracts.get(invoke.contract.as_deref()?)
    }

    /// What is known of an error of a call: the columns of its code in the pinned contract.
    pub fn error_columns(&self, invoke: &Invoke, code: &str, row: &str) -> Map<String, Value> {
        self.contract(invoke).map(|contract| contract.errors.of(code, row)).unwrap_or_default()
    }

    /// Names under which its forms and the answers of its partners hold personal data, each with its kind.
    pub fn personal_names(&self) -> BTreeMap<&str, &str> {
        let of_forms = self.forms.values().flat_map(|form| form.personal_names());
        of_forms.chain(self.answered_names()).collect()
    }

    /// Names under which the answers of its partners hold personal data, each with its kind.
    pub fn answered_names(&self) -> impl Iterator<Item = (&str, &str)> {
        self.contracts.values().flat_map(|contract| contract.output.personal_fields())
    }

    /// Codes of its partners' errors that tell something personal, each with its kind.
    pub fn answered_codes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.contracts.values().flat_map(|contract| contract.errors.personal())
    }

    /// Whether `on: {event: {}}` forbids a built-in event in a state or above it, up to the nearest step.
    pub fn forbids(&self, node: &str, event: &str) -> bool {
        for id in self.machine.ancestors(node) {
            if self.forbidden.get(id).is_some_and(|events| events.contains(event)) {
                return true;
            }
            if self.steps.contains_key(id) {
                return false;
            }
        }
        false
    }

    /// A text of the flow, its parts, its line or all lines, as pinned with this version; the code when there is none.
    pub fn text(&self, code: &str, fields: &Map<String, Value>) -> String {
        self.texts.text(code, fields)
    }

    /// A text of the flow, its parts, its line or all lines, as pinned with this version; `None` when there is no such
    /// code.
    pub fn find_text(&self, code: &str, fields: &Map<String, Value>) -> Option<String> {
        self.texts.find_text(code, fields)
    }

    /// The workflow as it reads in a language; in English where it was not translated.
    pub fn in_language(&self, language: &str) -> &Workflow {
        self.languages.get(language).map_or(self, Arc::as_ref)
    }

    /// Its title for this audience.
    pub fn title_for(&self, audience: &Audience) -> &str {
        self.titles.find(audience).unwrap_or(&self.title)
    }

    /// The variants of the flow and its steps.
    pub(crate) fn variants(&self) -> impl Iterator<Item = &Variant> {
        let of_steps = self.steps.values().flat_map(|step| step.faces.variants());
        self.titles.variants().iter().chain(of_steps)
    }

    /// A step in words that need nothing of a journey: its title, or where that has places its section's.
    pub fn step_words(&self, step: &Step) -> Option<String> {
        let own = step.face.title.as_ref().filter(|title| title.names().next().is_none());
        let section = || self.sections.iter().find(|section| Some(&section.id) == step.section.as_ref());
        own.map(|title| title.render_lax(&Value::Null)).or_else(|| section().map(|section| section.title.clone()))
    }

    pub fn now(&self, ms: i64) -> Now {
        Now::at(ms, self.timezone)
    }

    /// Variables and functions of its expressions. Tables are its own, reference data is live.
    pub fn host<'a>(&'a self, now: &'a Now, journey: &'a dyn OnDemand, live: &'a Catalog) -> ProductHost<'a> {
        ProductHost {
            journey: Some(journey),
            params: Some(&self.params),
            company: Some(&live.site(&self.language).company),
            language: &self.spoken,
            ..ProductHost::plain(now, &self.tables, &live.masters, &live.calendars)
        }
    }
}
