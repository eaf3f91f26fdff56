//! Effects: what a journey orders and a job does. Ids and inputs only; partners and messages are looked up live.

use crate::fact::Outcome;
use engine_definitions::CallErrorKind;
use engine_store::EffectRecord;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The closed set of effects: a kind and what its job needs to know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "snake_case")]
pub enum Effect {
    Call(CallPayload),
    Notify(NotifyPayload),
    Track(TrackPayload),
}

impl Effect {
    /// Reads an effect as stored; fails on one that this program does not know.
    pub fn read(effect: &EffectRecord) -> Result<Effect, serde_json::Error> {
        serde_json::from_value(json!({"kind": effect.kind, "payload": effect.payload}))
    }

    /// Kind and payload, as they are stored.
    pub(crate) fn into_row(mut self) -> Result<(String, Value), serde_json::Error> {
        // What a partner is asked goes over as it is.
        let asked = match &mut self {
            Effect::Call(call) => call.input.take(),
            Effect::Notify(_) | Effect::Track(_) => Value::Null,
        };
        let mut written = serde_json::to_value(self)?;
        let kind = written["kind"].as_str().unwrap_or_default().to_owned();
        let mut payload = written["payload"].take();
        if !asked.is_null() {
            payload["input"] = asked;
        }
        Ok((kind, payload))
    }

    /// What it goes to: `partner/operation`, `partner:contract`, a message, a step.
    pub fn target(&self) -> String {
        match self {
            Effect::Call(call) => call.target.to_string(),
            Effect::Notify(notify) => notify.message.clone(),
            Effect::Track(track) => track.step.clone(),
        }
    }
}

/// The kind of effects of a journey that are done in their order.
pub const TRACK: &str = "track";

/// The lane of a message's orders.
pub fn message_lane(message: &str) -> String {
    format!("message:{message}")
}

/// Where a call goes; the operation is found when the call is made, since partners are always live. Kept as
/// `partner/operation` or `partner:contract`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Target {
    Operation { partner: String, operation: String },
    Contract { contract: String, partner: String },
}

impl From<Target> for String {
    fn from(target: Target) -> String {
        target.to_string()
    }
}

impl TryFrom<String> for Target {
    type Error = String;

    fn try_from(text: String) -> Result<Target, String> {
        // a contract's name has a slash of its own
        match (text.split_once(':'), text.split_once('/')) {
            (Some((partner, contract)), _) => {
                Ok(Target::Contract { contract: contract.into(), partner: partner.into() })
            }
            (None, Some((partner, operation))) => {
                Ok(Target::Operation { partner: partner.into(), operation: operation.into() })
            }
            (None, None) => Err(format!("`{text}` is neither partner/operation nor partner:contract")),
        }
    }
}

impl Target {
    pub fn partner(&self) -> &str {
        match self {
            Target::Operation { partner, .. } | Target::Contract { partner, .. } => partner,
        }
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Target::Operation { partner, operation } => write!(f, "{partner}/{operation}"),
            Target::Contract { contract, partner } => write!(f, "{partner}:{contract}"),
        }
    }
}

/// A partner call, of an invoke or of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallPayload {
    pub target: Target,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invoke: Option<String>,
    /// Key of the fan-out's row; empty for a single call.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub key: String,
    /// `seq` of the run that ordered it.
    pub run: i64,
    pub input: Value,
    /// Hash under which a success may be used again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reuse: Option<String>,
}

/// A message to a person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NotifyPayload {
    pub message: String,
    pub to: String,
    pub data: Value,
    /// The first that the message has is its language.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// Why it was not due at once: `{code, calendar, until}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<Value>,
    /// The one-time password that the sending job derives again; never stored in clear.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otp: Option<OtpRef>,
    /// Links that the sending job makes, by the name under which the text has them; never stored in clear.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub links: BTreeMap<String, LinkOrder>,
    /// Id of a document of the journey that goes with an e-mail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attach: Option<String>,
}

/// A link with a purpose, valid for so long after its order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkOrder {
    pub purpose: String,
    pub valid_ms: i64,
    /// Whether the message may go to a number that nobody has verified.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
    /// Whether the message went to somebody who has not shown the number or address to be theirs: the link leads to the
    /// account and opens nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_plain: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OtpRef {
    pub id: String,
    pub purpose: String,
}

/// What a tracking partner is told of a journey.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrackPayload {
    /// Name of what happened: a step's, or what the action says.
    pub step: String,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
    /// State whose step was shown then.
    pub at: String,
    /// Without one it is only kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Target>,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub input: Value,
}

/// What a partner's reply brought.
#[derive(Debug, Clone, PartialEq)]
pub struct CallResult {
    pub outcome: Outcome,
    /// References under which later events find the journey, with what they must agree with.
    pub correlate: Vec<(String, Value)>,
    pub document: Option<DocumentBytes>,
}

impl CallResult {
    pub fn output(output: Value) -> CallResult {
        CallResult { outcome: Outcome::Output(output), correlate: Vec::new(), document: None }
    }

    /// Adds one more field to the call's output.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> CallResult {
        if let Outcome::Output(Value::Object(fields)) = &mut self.outcome {
            fields.insert(name.to_owned(), value.into());
        }
        self
    }
}

impl From<CallFailure> for CallResult {
    fn from(failure: CallFailure) -> CallResult {
        CallResult { outcome: Outcome::Error(failure), correlate: Vec::new(), document: None }
    }
}

/// Why a call came to nothing, as `event.error` has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallFailure {
    pub code: String,
    /// Row of the contract's table of errors, when the partner's answer names one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub row: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    #[serde(default = "no_answer")]
    pub kind: CallErrorKind,
}

fn no_answer() -> CallErrorKind {
    CallErrorKind::Failed
}

impl CallFailure {
    /// No usable answer.
    pub fn of(code: &str) -> CallFailure {
        CallFailure { code: code.into(), row: String::new(), message: None, pointer: None, kind: CallErrorKind::Failed }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct DocumentBytes {
    pub name: String,
    pub media_type: String,
    pub bytes: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_kept_as_text() {
        let partner = "courier".to_string();
        let book = Target::Operation { partner: partner.clone(), operation: "book".into() };
        let quote = Target::Contract { contract: "parcel/quote".into(), partner };
        for (target, kept) in [(book, json!("courier/book")), (quote, json!("courier:parcel/quote"))] {
            assert_eq!(serde_json::to_value(&target).ok(), Some(kept.clone()));
            assert_eq!(serde_json::from_value(kept).ok(), Some(target));
        }
    }
}
