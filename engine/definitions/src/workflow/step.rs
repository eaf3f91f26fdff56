//! What a journey shows and accepts in a state.

use crate::form::FieldError;
use crate::source::Node;
use crate::text::Text;
use crate::variants::{Alternatives, Audience};
use engine_statechart::expression::{Expression, Names};
use engine_statechart::source::Span;
use engine_statechart::template::Mapping;
use indexmap::IndexMap;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Who reads a step, as its `data` and `plain` name them.
pub const VIEWER: &str = "viewer";

#[derive(Debug)]
pub struct Step {
    /// Id of the state.
    pub node: String,
    pub kind: StepKind,
    pub form: Option<String>,
    /// What it shows to everybody whom none of its variants is for.
    pub face: Face,
    pub(crate) faces: Alternatives<Face>,
    /// Path of the step below the workflow's base; `Some("")` is the base itself.
    pub path: Option<String>,
    /// Path into the context (`owner`, `check.answers`) that takes the form's answers.
    pub into: Option<String>,
    pub section: Option<String>,
    /// All that a view gets; reads `viewer {role, roles, channel, partner, assists, name, mobile}`.
    pub data: IndexMap<String, Mapping>,
    pub prefill: Option<Mapping>,
    /// Field → a text that the person may keep or replace but not read, null for none: its end alone is shown.
    pub covered: Option<Mapping>,
    /// Whether a review shows mobile numbers and e-mails whole; reads `viewer` too.
    pub plain: Option<Expression>,
    /// Events that an actor may send, beside submit and the built-ins.
    pub accepts: IndexMap<String, Accept>,
    /// Purpose of a link → events that a person who came by such a link may send here; also without events it shows the
    /// step.
    pub links: BTreeMap<String, Vec<String>>,
    /// Values of which a change makes the answers asked again.
    pub depends: Vec<Expression>,
    pub satisfied: Option<Expression>,
    /// What is known on the way to where a `resume` leads: nobody is asked it, as long as the form takes it as it
    /// stands.
    pub known: Option<Expression>,
    /// Who is to do something here, where that is not what its kind says.
    pub waits_for: Option<Waits>,
    pub trail: Trail,
    pub redirect: Option<Redirect>,
    pub review: bool,
    /// Who alone may see it and act in it, where somebody acts for a customer; at least what its consequences ask for.
    pub only: Option<Only>,
    /// Events with which money or an agreement is taken: nobody sends them for a customer.
    pub takes: BTreeSet<String>,
    /// Who acts for a customer sees it, and does not send its answer.
    pub confirms: bool,
    /// The state whose step's view is its paper: this one, or one beside it.
    pub paper: Option<String>,
    pub(crate) span: Span,
    /// What names mean in its form.
    pub(crate) names: Option<Arc<Names>>,
}

/// What of a step its variants may change: nothing that decides how the journey goes on.
#[derive(Debug, Default)]
pub struct Face {
    pub view: Option<String>,
    /// Code of the text of a wait page.
    pub wait: Option<String>,
    pub title: Option<Text>,
    /// Label of the button.
    pub submit: Option<Text>,
    /// Parts of the page's frame that are left out: `header`, `footer`.
    pub hide: Vec<String>,
    /// What names mean in its view, which the host of a part may have given.
    pub(crate) names: Option<Arc<Names>>,
}

impl Face {
    /// The keys of a step that it is read from.
    pub(crate) const KEYS: [&str; 5] = ["view", "wait", "title", "submit", "hide"];

    pub fn view_names(&self) -> Option<&Names> {
        self.names.as_deref()
    }
}

impl Step {
    /// What it shows to this audience.
    pub fn face(&self, audience: &Audience) -> &Face {
        self.faces.find(audience).unwrap_or(&self.face)
    }

    /// What it shows to somebody.
    pub(crate) fn all_faces(&self) -> impl Iterator<Item = &Face> {
        std::iter::once(&self.face).chain(self.faces.all())
    }

    /// What names mean in its form: values of the flow or part that it is in.
    pub fn names(&self) -> Option<&Names> {
        self.names.as_deref()
    }
}

/// Whom a step is for in a journey that somebody began for a customer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Only {
    /// The customer: nobody does it in the customer's place.
    Customer,
    /// The customer, once the customer's number was verified in the journey, and not by a link alone.
    Verified,
}

impl Only {
    pub const ALL: [(&'static str, Only); 2] = [("customer", Only::Customer), ("verified", Only::Verified)];
}

/// Who is to do something at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// What the request was for is there, or never comes.
    Nobody,
    Customer,
    Partner,
}

impl Waits {
    pub const ALL: [(&'static str, Waits); 3] =
        [("nobody", Waits::Nobody), ("customer", Waits::Customer), ("partner", Waits::Partner)];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    Form,
    Choice,
    Comparison,
    Review,
    Wait,
    Tracker,
    Redirect,
    Message,
    Upload,
}

impl StepKind {
    pub const ALL: [(&'static str, StepKind); 9] = [
        ("form", StepKind::Form),
        ("choice", StepKind::Choice),
        ("comparison", StepKind::Comparison),
        ("review", StepKind::Review),
        ("wait", StepKind::Wait),
        ("tracker", StepKind::Tracker),
        ("redirect", StepKind::Redirect),
        ("message", StepKind::Message),
        ("upload", StepKind::Upload),
    ];

    pub fn as_str(self) -> &'static str {
        StepKind::ALL.iter().find(|(_, k)| *k == self).map_or("", |(name, _)| name)
    }
}

/// Whether `back` may come here: waits and one-time passwords skip, `close` forgets all before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trail {
    Keep,
    Skip,
    Close,
}

/// A hop to a partner's page. `url` and `fields` may read `return_url`: put it into their scope.
#[derive(Debug)]
pub struct Redirect {
    /// Who sends the person back.
    pub partner: Option<String>,
    pub url: Expression,
    /// Method of the request: `GET` or `POST`.
    pub method: String,
    /// Fields that are sent: a map; null without any.
    pub fields: Mapping,
    /// Code of the label's text.
    pub label: Option<String>,
}

/// An event that an actor may send: its payload's schema is closed and bounded.
#[derive(Debug)]
pub struct Accept {
    pub schema: Value,
    /// Roles, `link:<purpose>`; empty: everyone who may act on the journey.
    pub by: Vec<String>,
    /// Places of `by` in the file.
    pub(crate) by_at: Vec<Node>,
    pub(crate) validator: jsonschema::Validator,
}

impl Accept {
    /// Whether somebody with one of these roles may send it.
    pub fn is_for<'a>(&self, roles: impl IntoIterator<Item = &'a str>) -> bool {
        self.by.is_empty() || self.names(roles)
    }

    /// Whether it is for one of these roles by name.
    pub fn names<'a>(&self, roles: impl IntoIterator<Item = &'a str>) -> bool {
        roles.into_iter().any(|role| self.by.iter().any(|by| by == role))
    }

    /// Problems of a payload, by pointer.
    pub fn validate(&self, data: &Value) -> Vec<FieldError> {
        crate::form::plain_errors(&self.validator, data)
    }
}
