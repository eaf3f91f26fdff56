//! The contract of a step: what a person's screen gets, and nothing else.

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
    pub presence: Option<Value>,
    /// The browser goes there, once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leave: Option<LeaveView>,
    /// RFC 3339, UTC.
    pub server_time: String,
}

/// An address that a partner asks for while the shown step waits: ours, or allowed by the settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LeaveView {
    pub url: String,
    /// Followed once per number.
    pub seq: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JourneyView {
    /// `null` before the first answer.
    pub id: Option<String>,
    pub workflow: String,
    pub line: String,
    pub title: String,
    pub version: String,
    pub revision: i64,
    /// `active`, `done`, `expired`, `broken`.
    pub status: String,
    pub base: String,
    pub language: String,
    pub channel: String,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Step {
    /// Id of the state.
    pub id: String,
    /// `form`, `choice`, `comparison`, `review`, `wait`, `tracker`, `redirect`, `message`, `upload`.
    pub kind: String,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intro: Option<String>,
    pub path: Option<String>,
    pub url: String,
    pub progress: Progress,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<FormPart>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<Review>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<WaitPart>,
    /// What the actor may send now.
    pub events: Vec<Accepted>,
    /// Address of the previous step, when Back is possible.
    pub back: Option<String>,
    pub changeable: Vec<Changeable>,
    pub waits: Vec<Wait>,
    pub stream: Option<String>,
    pub consents: Vec<Value>,
    /// Page chrome to leave out: `header`, `footer`.
    pub hide: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Progress {
    pub sections: Vec<ProgressSection>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProgressSection {
    pub id: String,
    pub title: String,
    /// `done`, `current`, `todo`.
    pub state: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FormPart {
    pub id: String,
    /// JSON Schema of an object; how a field is drawn stands in its `x-ui`.
    #[schema(value_type = Object)]
    pub schema: Frozen,
    pub data: Value,
    /// For each list that people add rows to, the highest number that a row ever had: its key is not used again.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rows: BTreeMap<String, u32>,
    /// True when `data` holds something typed but not yet submitted.
    pub draft: bool,
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
    pub path: Option<String>,
    pub changeable: bool,
    pub rows: Vec<ReviewRow>,
    /// The rows of a list, one part each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<ReviewPart>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ReviewPart {
    pub title: String,
    /// Where the row stands in its form.
    pub pointer: String,
    pub rows: Vec<ReviewRow>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ReviewRow {
    pub label: String,
    pub value: Value,
    pub pointer: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WaitPart {
    pub text: String,
    pub since: String,
    pub deadline: Option<String>,
    pub next: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Accepted {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Changeable {
    pub step: String,
    pub title: String,
    pub path: Option<String>,
}

/// A call that is under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Wait {
    #[serde(rename = "for")]
    pub purpose: String,
    pub since: String,
    pub deadline: Option<String>,
    pub open: usize,
    pub of: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MessageView {
    pub code: String,
    /// `info`, `success`, `warning`, `error`.
    pub level: String,
    pub pointer: Option<String>,
    pub text: String,
}

/// A person's journey in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JourneySummary {
    pub id: String,
    pub workflow: String,
    pub title: String,
    pub status: String,
    pub step: String,
    pub url: String,
    pub updated_at: String,
}

pub type Fields = Map<String, Value>;
