//! What can have happened to a journey. Its history is a list of these, and nothing but [`crate::turn::Turn::apply`]
//! gives them their consequence: live, in a story, and when the history is played again.
//!
//! A new fact: a variant here, its consequence in `turn/apply.rs`; the compiler names the rest.

use crate::effect::{CallFailure, Target};
use engine_store::{EffectKey, EventRecord};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "data", rename_all = "snake_case")]
pub enum Fact {
    Started,
    /// Begun by somebody for a customer.
    StartedFor(Assisted),
    /// The customer asks an advisor to help, with a code that the customer reads out to them.
    Invited {
        code: String,
    },
    /// Somebody came with it, in this role.
    Helped {
        role: String,
        /// Name by which operators know who helps.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// When their session ends; nought in histories from before: as late as it can.
        #[serde(default, skip_serializing_if = "is_nought")]
        until_ms: i64,
    },
    /// The session of whoever helps has ended.
    HelperLeft,
    /// The customer ended the access of whoever helps, or began it for them.
    HelpEnded,
    /// A checked answer of the shown step. In the history a secret field says only that there was one.
    Submitted {
        data: Value,
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        secret: Map<String, Value>,
        /// Sent once more on the way forward after a change.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        again: bool,
        /// Something of it was sent as it was shown covered: whoever wrote it has written it still.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        kept: bool,
    },
    /// A checked event that the shown step accepts from people.
    Sent {
        event: String,
        #[serde(default, skip_serializing_if = "Value::is_null")]
        data: Value,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        again: bool,
    },
    /// Something typed was kept; with it only where the workflow itself takes the event.
    Saved {
        #[serde(default, skip_serializing_if = "Value::is_null")]
        data: Value,
    },
    WentBack,
    /// Back to a step of the trail, to change its answers.
    Changed {
        step: String,
    },
    /// An event from outside: a webhook, a partner's page, the product itself.
    Received {
        event: String,
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        data: Map<String, Value>,
    },
    /// A webhook told what stands among the records; the machine does not hear of it.
    Noted {
        record: String,
        key: String,
        data: Map<String, Value>,
    },
    /// A timer of the machine.
    TimerFired {
        timer: String,
    },
    /// The one call of an invoke, or a source of the product's own, has ended.
    CallEnded {
        invoke: String,
        result: Outcome,
    },
    /// One call of a fan-out.
    Answered {
        invoke: String,
        key: String,
        result: Outcome,
        /// When it was given, if that was to an earlier call (`reuse`).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        given_ms: Option<i64>,
    },
    /// A fan-out is over: every call was answered, or its deadline came.
    AllAnswered {
        invoke: String,
    },
    /// An answer that nobody awaits any more (**runs**).
    Dropped {
        target: Target,
        run: i64,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        key: String,
        result: Outcome,
    },
    /// An operator has work done again.
    Retried {
        work: Work,
        /// The call that is awaited again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        awaited: Option<Awaited>,
    },
    /// A message that somebody's press ordered is not sent: the gate had counted enough.
    Withheld {
        message: String,
    },
    /// The person no longer agrees to what they agreed to in this journey, and said so elsewhere.
    Withdrew {
        purpose: String,
        /// What the person had agreed to, word for word.
        text: String,
        /// When.
        given_at: String,
    },
    /// The person agrees once more to what they took back, and said so elsewhere.
    AgreedAgain {
        purpose: String,
        /// What the person agrees to, word for word.
        text: String,
    },
    /// The journey was idle for its time to live.
    Expired,
    /// A tracking partner wants the person elsewhere while this step is shown.
    LedAway {
        step: String,
        url: String,
    },
    /// A turn failed, and changed nothing but the tries of passwords that it made: purpose → tries left.
    Failed {
        incident: String,
        place: String,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        tries: BTreeMap<String, i32>,
    },
}

/// Who began a journey for a customer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assisted {
    pub role: String,
    /// Name by which operators know who acts for the customer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Whether the session of who acts held a token for what brought the customer: their number is not verified at
    /// first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skips_otp: bool,
}

/// What a call came to, as history and machine have it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Output(Value),
    Error(CallFailure),
}

/// A call of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Awaited {
    pub invoke: String,
    pub run: i64,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub key: String,
    pub index: i32,
}

/// Work that can be done again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    #[serde(with = "key_text")]
    Effect(EffectKey),
    Timer(String),
    /// Partner, and the key under which the webhook came once.
    Webhook(String, String),
}

impl Work {
    /// The name of this kind of work in operators' lists.
    pub fn name(&self) -> &'static str {
        match self {
            Work::Effect(_) => "effect",
            Work::Timer(_) => "timer",
            Work::Webhook(..) => "webhook",
        }
    }

    /// The work that an incident's detail names.
    pub fn of(detail: &Value) -> Option<Work> {
        serde_json::from_value(detail.get("work")?.clone()).ok()
    }

    /// The detail of an incident, with the work beside it.
    pub(crate) fn beside(detail: Value, work: Option<&Work>) -> Value {
        let Some(work) = work.and_then(|work| serde_json::to_value(work).ok()) else { return detail };
        let mut map = match detail {
            Value::Object(map) => map,
            Value::Null => Map::new(),
            other => Map::from_iter([("detail".to_owned(), other)]),
        };
        map.insert("work".into(), work);
        Value::Object(map)
    }
}

/// `journey.seq.index`
mod key_text {
    use super::EffectKey;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(key: &EffectKey, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(key)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<EffectKey, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|()| D::Error::custom(format!("`{text}` is no effect")))
    }
}

impl Fact {
    /// Reads a fact of the history; fails on one that this program does not know.
    pub fn read(event: &EventRecord) -> Result<Fact, serde_json::Error> {
        let mut written = Map::from_iter([("kind".to_owned(), Value::from(event.kind.as_str()))]);
        if !event.data.is_null() {
            written.insert("data".into(), event.data.clone());
        }
        serde_json::from_value(Value::Object(written))
    }

    /// Kind and data, as the history keeps them. What somebody sent goes over as it is.
    pub(crate) fn into_row(mut self) -> Result<(String, Value), serde_json::Error> {
        let sent = match &mut self {
            Fact::Submitted { data, .. } | Fact::Sent { data, .. } | Fact::Saved { data } => data.take(),
            _ => Value::Null,
        };
        let Value::Object(mut written) = serde_json::to_value(self)? else { return Ok(Default::default()) };
        let Some(Value::String(kind)) = written.get_mut("kind").map(Value::take) else { return Ok(Default::default()) };
        let mut data = written.get_mut("data").map(Value::take).unwrap_or_default();
        if !sent.is_null() {
            data["data"] = sent;
        }
        Ok((kind, data))
    }

    /// What happened in one word: of an event its own name.
    pub fn name(&self) -> String {
        match self {
            Fact::Sent { event, .. } | Fact::Received { event, .. } => event.clone(),
            other => other.clone().into_row().map(|(kind, _)| kind).unwrap_or_default(),
        }
    }

    /// What somebody wrote or a partner said.
    pub fn data(&self) -> Option<&Map<String, Value>> {
        match self {
            Fact::Submitted { data, .. } | Fact::Sent { data, .. } | Fact::Saved { data } => data.as_object(),
            Fact::Received { data, .. } | Fact::Noted { data, .. } => Some(data),
            Fact::CallEnded { result: Outcome::Output(output), .. }
            | Fact::Answered { result: Outcome::Output(output), .. } => output.as_object(),
            Fact::Started
            | Fact::StartedFor(_)
            | Fact::Invited { .. }
            | Fact::Helped { .. }
            | Fact::HelperLeft
            | Fact::HelpEnded
            | Fact::WentBack
            | Fact::Changed { .. }
            | Fact::TimerFired { .. }
            | Fact::CallEnded { .. }
            | Fact::Answered { .. }
            | Fact::AllAnswered { .. }
            | Fact::Dropped { .. }
            | Fact::Retried { .. }
            | Fact::Withheld { .. }
            | Fact::Withdrew { .. }
            | Fact::AgreedAgain { .. }
            | Fact::Expired
            | Fact::LedAway { .. }
            | Fact::Failed { .. } => None,
        }
    }
}

fn is_nought(n: &i64) -> bool {
    *n == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// How each is kept, and that it comes back.
    #[test]
    fn a_fact_comes_back_as_it_was_kept() {
        let key = EffectKey { journey: "j".into(), seq: 3, index: 1 };
        let failure = CallFailure::of("no_answer");
        for (fact, kind, data) in [
            (Fact::Started, "started", Value::Null),
            (
                Fact::StartedFor(Assisted { role: "clerk".into(), name: String::new(), skips_otp: true }),
                "started_for",
                json!({"role": "clerk", "skips_otp": true}),
            ),
            (
                Fact::Submitted { data: json!({"a": 1}), secret: Map::new(), again: false, kept: false },
                "submitted",
                json!({"data": {"a": 1}}),
            ),
            (
                Fact::Sent { event: "e".into(), data: json!({"a": 1}), again: false },
                "sent",
                json!({"event": "e", "data": {"a": 1}}),
            ),
            (
                Fact::Sent { event: "e".into(), data: Value::Null, again: true },
                "sent",
                json!({"event": "e", "again": true}),
            ),
            (Fact::Saved { data: json!({"a": 1}) }, "saved", json!({"data": {"a": 1}})),
            (
                Fact::Helped { role: "clerk".into(), name: "ravi".into(), until_ms: 9 },
                "helped",
                json!({"role": "clerk", "name": "ravi", "until_ms": 9}),
            ),
            (Fact::WentBack, "went_back", Value::Null),
            (Fact::Retried { work: Work::Effect(key), awaited: None }, "retried", json!({"work": {"effect": "j.3.1"}})),
            (
                Fact::CallEnded { invoke: "i".into(), result: Outcome::Error(failure) },
                "call_ended",
                json!({"invoke": "i", "result": {"error": {"code": "no_answer", "kind": "failed"}}}),
            ),
        ] {
            let written = fact.clone().into_row().expect("JSON");
            assert_eq!(written, (kind.to_owned(), data));
            let event = EventRecord { seq: 1, kind: written.0, data: written.1, by: Value::Null, at_ms: 0 };
            assert_eq!(Fact::read(&event).expect("a fact"), fact);
        }
    }

    #[test]
    fn an_unknown_fact_is_an_error() {
        let event = EventRecord { seq: 1, kind: "guessed".into(), data: json!({}), by: Value::Null, at_ms: 0 };
        assert!(Fact::read(&event).is_err());
    }
}
