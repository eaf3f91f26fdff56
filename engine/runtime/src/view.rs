//! The contract of a step: what a person's screen gets, and nothing else.

use crate::people::ProofOfWork;
use engine_definitions as definitions;
use engine_definitions::Frozen;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use utoipa::ToSchema;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StepView {
    pub journey: JourneyView,
    pub step: Step,
    pub messages: Vec<MessageView>,
    /// What the browser's pings carry, where the workflow says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<HashMap<String, Value>>)]
    pub presence: Option<Value>,
    /// The browser goes there, once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leave: Option<LeaveView>,
    /// Work whose result goes along with the next event as `X-Proof`: without it a code would be refused here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<ProofOfWork>,
    /// RFC 3339, UTC.
    pub server_time: String,
}

/// How serious a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    #[default]
    Info,
    Success,
    Warning,
    Error,
}

impl Level {
    /// The level of this name in a definition; information without one.
    pub fn from_name(name: Option<&str>) -> Level {
        match name {
            Some("success") => Level::Success,
            Some("warning") => Level::Warning,
            Some("error") => Level::Error,
            _ => Level::Info,
        }
    }
}

/// Whether a journey still goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = JourneyStatus)]
pub enum Status {
    Active,
    Done,
    Expired,
}

impl From<engine_store::JourneyStatus> for Status {
    fn from(status: engine_store::JourneyStatus) -> Status {
        match status {
            engine_store::JourneyStatus::Active => Status::Active,
            engine_store::JourneyStatus::Done => Status::Done,
            engine_store::JourneyStatus::Expired => Status::Expired,
        }
    }
}

impl From<Status> for engine_store::JourneyStatus {
    fn from(status: Status) -> engine_store::JourneyStatus {
        match status {
            Status::Active => engine_store::JourneyStatus::Active,
            Status::Done => engine_store::JourneyStatus::Done,
            Status::Expired => engine_store::JourneyStatus::Expired,
        }
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Status::Active => "active",
            Status::Done => "done",
            Status::Expired => "expired",
        })
    }
}

/// What kind of page a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    Form,
    Choice,
    Comparison,
    Review,
    Wait,
    Tracker,
    Redirect,
    #[default]
    Message,
    Upload,
}

impl From<definitions::StepKind> for StepKind {
    fn from(kind: definitions::StepKind) -> StepKind {
        match kind {
            definitions::StepKind::Form => StepKind::Form,
            definitions::StepKind::Choice => StepKind::Choice,
            definitions::StepKind::Comparison => StepKind::Comparison,
            definitions::StepKind::Review => StepKind::Review,
            definitions::StepKind::Wait => StepKind::Wait,
            definitions::StepKind::Tracker => StepKind::Tracker,
            definitions::StepKind::Redirect => StepKind::Redirect,
            definitions::StepKind::Message => StepKind::Message,
            definitions::StepKind::Upload => StepKind::Upload,
        }
    }
}

/// An address that a partner asks for while the shown step waits: ours, or allowed by the settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LeaveView {
    pub url: String,
    /// Followed once per number.
    pub seq: i64,
}

/// The journey that a step belongs to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = JourneyInfo)]
pub struct JourneyView {
    /// `null` before the first answer.
    #[schema(required)]
    pub id: Option<String>,
    pub workflow: String,
    pub line: String,
    pub title: String,
    pub version: String,
    pub revision: i64,
    /// The last event that this view knows of: a change with a number up to it brings nothing new.
    pub seq: i64,
    pub status: Status,
    pub base: String,
    pub language: String,
    pub channel: String,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Step {
    /// Id of the state.
    pub id: String,
    pub kind: StepKind,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intro: Option<String>,
    #[schema(required)]
    pub path: Option<String>,
    pub url: String,
    pub progress: Progress,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<FormPart>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<BlocksView>)]
    pub view: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<Review>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect: Option<RedirectPart>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<WaitPart>,
    /// What the actor may send now.
    pub events: Vec<Accepted>,
    /// Address of the previous step, when Back is possible.
    #[schema(required)]
    pub back: Option<String>,
    /// Steps that Change may go to.
    pub changeable: Vec<Changeable>,
    pub waits: Vec<Wait>,
    /// Address of the journey's changes.
    #[schema(required)]
    pub stream: Option<String>,
    /// What the form asks consent to.
    pub consents: Vec<ConsentPart>,
    /// Page chrome to leave out: `header`, `footer`.
    pub hide: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Progress {
    pub sections: Vec<ProgressSection>,
    /// Name of the drawing that goes along it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scene: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = Section)]
pub struct ProgressSection {
    pub id: String,
    pub title: String,
    pub state: SectionState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SectionState {
    Done,
    Current,
    Todo,
}

/// Blocks to draw, as the step's view has them.
#[derive(Serialize, ToSchema)]
pub struct BlocksView {
    pub title: Option<String>,
    pub intro: Option<String>,
    /// Blocks of the view; each names its `block`.
    #[schema(value_type = Vec<HashMap<String, Value>>)]
    pub blocks: Vec<Map<String, Value>>,
}

/// A hop to a partner's page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = Redirect)]
pub struct RedirectPart {
    pub url: String,
    /// `GET` or `POST`.
    pub method: String,
    /// What a form posts: texts.
    pub fields: BTreeMap<String, String>,
    /// The button's text.
    pub label: String,
}

/// A consent that a field of the form asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = Consent)]
pub struct ConsentPart {
    pub purpose: String,
    /// JSON Pointer of the field.
    pub pointer: String,
    pub given: bool,
}

/// The step's form and what is already answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = FormView)]
pub struct FormPart {
    pub id: String,
    /// JSON Schema 2020-12 with keys of ours that begin with `x-`; how a field is drawn stands in its `x-ui`.
    #[schema(value_type = HashMap<String, Value>)]
    pub schema: Frozen,
    #[schema(value_type = HashMap<String, Value>)]
    pub data: Value,
    /// For each list that people add rows to, the highest number that a row ever had: its key is not used again.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rows: BTreeMap<String, u32>,
    /// True when `data` holds something typed but not yet submitted.
    pub draft: bool,
    /// The button's text.
    pub submit: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Review {
    pub sections: Vec<ReviewSection>,
    /// The button's text.
    pub submit: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ReviewSection {
    pub title: String,
    pub step: String,
    #[schema(required)]
    pub path: Option<String>,
    pub changeable: bool,
    pub rows: Vec<ReviewRow>,
    /// The rows of a list, one part each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<ReviewPart>,
}

/// One row of a list of objects, changed as a whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ReviewPart {
    pub title: String,
    /// Where the row stands in its form.
    pub pointer: String,
    pub rows: Vec<ReviewRow>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ReviewRow {
    pub label: String,
    #[schema(value_type = Shown)]
    pub value: Value,
    pub pointer: String,
    /// What the answer is to a browser: parts of a name are said as one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autocomplete: Option<String>,
}

/// A value that is formatted where it is shown: text, a number, or one that says what it is.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = Value)]
pub enum Shown {
    Text(String),
    Number(f64),
    /// Yes or no.
    Truth(bool),
    Paise {
        paise: i64,
    },
    Date {
        date: String,
    },
    /// An instant; its time of day in India is shown.
    Time {
        time: String,
    },
    Percent {
        percent: f64,
    },
    /// Hundredths of a centimetre.
    Height {
        height: i64,
    },
    Marked {
        text: String,
    },
}

/// What is waited for. Times are for the browser's clock, which says them in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = WaitView)]
pub struct WaitPart {
    pub text: String,
    /// RFC 3339, UTC.
    pub since: String,
    /// RFC 3339, UTC: the latest end of the calls that are under way.
    #[schema(required)]
    pub deadline: Option<String>,
}

/// An event that may be sent now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Accepted {
    #[serde(rename = "type")]
    pub kind: String,
    /// JSON Schema of its data.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<HashMap<String, Value>>)]
    pub schema: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Changeable {
    pub step: String,
    pub title: String,
    #[schema(required)]
    pub path: Option<String>,
}

/// A call that is under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Wait {
    #[serde(rename = "for")]
    pub purpose: String,
    pub since: String,
    #[schema(required)]
    pub deadline: Option<String>,
    pub open: usize,
    pub of: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = Message)]
pub struct MessageView {
    pub code: String,
    pub level: Level,
    /// JSON Pointer of the answer that it is about.
    #[schema(required)]
    pub pointer: Option<String>,
    pub text: String,
}

/// A person's journey in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JourneySummary {
    pub id: String,
    pub workflow: String,
    pub title: String,
    pub status: Status,
    pub step: String,
    /// The step in words.
    pub step_title: String,
    pub waits_for: WaitsFor,
    /// What it is about, in the reader's language.
    pub about: About,
    pub url: String,
    /// RFC 3339, UTC.
    pub updated_at: String,
}

/// What a list says of a request; empty what is not known of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct About {
    /// The name of the thing.
    pub title: String,
    /// Name by which its owner knows the thing, such as a number plate.
    pub mark: String,
    /// Who offers what was chosen.
    pub provider: String,
    /// How far it is, with its figure.
    pub text: String,
}

/// Who is to do something next with a journey.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitsFor {
    /// The journey is over, or nothing is left to do.
    Nobody,
    /// The customer in person, where somebody else began it.
    Customer,
    /// An answer of a partner.
    Partner,
    /// Whoever has it open.
    Anybody,
}

pub type FieldMap = Map<String, Value>;
