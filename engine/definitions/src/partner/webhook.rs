//! What a partner tells us unasked: verified by the caller over the raw bytes, read here.

use super::Credential;
use crate::layout::{FileKind, kind_of};
use crate::source::{Node, Nodes};
use engine_statechart::template::Mapping;
use engine_statechart::{EvalError, Host, Problem, Scope, did_you_mean, expression::Expression};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

#[derive(Debug)]
pub struct Webhook {
    pub name: String,
    pub partner: String,
    pub verify: WebhookVerify,
    pub(crate) once: Expression,
    pub(crate) correlate: Expression,
    pub(crate) events: Vec<EventRule>,
    pub(crate) window: Option<Window>,
}

/// Time at which a webhook was sent, as its signed body says, and how old that may be.
#[derive(Debug)]
pub(crate) struct Window {
    pub sent: Expression,
    pub age_ms: i64,
}

/// How the caller proves the sender.
#[derive(Clone, Debug, PartialEq)]
pub struct WebhookVerify {
    /// `hmac_sha256_hex` over the raw body.
    pub kind: String,
    /// Name of the header, in lower case.
    pub header: String,
    pub secret: Credential,
}

#[derive(Debug)]
pub(crate) struct EventRule {
    pub when: Option<Expression>,
    pub tells: Rule,
    /// What an operator does when nobody here knows the reference.
    pub unknown: Option<String>,
    /// An operator may tell it in the partner's place.
    pub by_hand: bool,
}

#[derive(Debug)]
pub(crate) enum Rule {
    Event { event: String, data: Mapping, actual: Mapping, mismatch: Option<String> },
    Record { kind: String, key: Expression, data: Mapping },
}

/// One webhook in our words.
#[derive(Clone, Debug, PartialEq)]
pub struct WebhookEvent {
    /// Business key of the webhook; the same fact told twice has the same one.
    pub once: String,
    /// Reference that finds the journey.
    pub reference: String,
    pub tells: Tells,
    /// An operator may tell it in the partner's place.
    pub by_hand: bool,
}

/// What a webhook does with the journey that it found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Tells {
    /// An event of the journey.
    Event {
        event: String,
        data: Map<String, Value>,
        /// Compared with what the correlation expects, member by member.
        actual: Map<String, Value>,
        /// Event to send instead when `actual` differs from what is expected.
        mismatch: Option<String>,
    },
    /// A record of the journey, whatever the journey is at, and also when it is over; the machine does not hear of it.
    Record { record: String, key: String, data: Map<String, Value> },
}

impl Tells {
    /// The event's name, or the kind of what it puts on record.
    pub fn name(&self) -> &str {
        match self {
            Tells::Event { event, .. } => event,
            Tells::Record { record, .. } => record,
        }
    }
}

/// How far the clock of a partner may be ahead of ours.
const AHEAD_MAX_MS: i64 = 5 * 60_000;

impl Webhook {
    pub fn verify_rule(&self) -> &WebhookVerify {
        &self.verify
    }

    /// Every event name it can send, mismatches included.
    pub fn event_names(&self) -> impl Iterator<Item = &str> {
        self.events.iter().flat_map(|rule| match &rule.tells {
            Rule::Event { event, mismatch, .. } => [Some(event.as_str()), mismatch.as_deref()].into_iter().flatten(),
            Rule::Record { .. } => [None, None].into_iter().flatten(),
        })
    }

    /// What an operator does when one of these events has a reference that nobody here knows.
    pub fn unknown(&self, event: &str) -> Option<&str> {
        let tells = |rule: &&EventRule| match &rule.tells {
            Rule::Event { event: own, mismatch, .. } => own == event || mismatch.as_deref() == Some(event),
            Rule::Record { kind, .. } => kind == event,
        };
        self.events.iter().find(tells)?.unknown.as_deref()
    }

    /// Whether it was sent within its window, and is dated no further ahead than clocks differ; without one at any time.
    pub fn is_timely(&self, body: &Value, host: &dyn Host, now_ms: i64) -> Result<bool, EvalError> {
        let Some(Window { sent, age_ms }) = &self.window else { return Ok(true) };
        let sent = sent.eval(&Scope::new().with_host(host).with("body", body))?;
        let is_within = |sent_ms: i64| {
            let age = now_ms.saturating_sub(sent_ms);
            (-AHEAD_MAX_MS..=*age_ms).contains(&age)
        };
        Ok(time_ms(&crate::text::plain(&sent)).is_some_and(is_within))
    }

    /// `None` when no rule applies: a webhook that does not interest us.
    pub fn read(
        &self,
        headers: &Map<String, Value>,
        body: &Value,
        host: &dyn Host,
    ) -> Result<Option<WebhookEvent>, EvalError> {
        let scope = Scope::new().with_host(host).with_map("headers", headers).with("body", body);
        for rule in &self.events {
            let applies = rule.when.as_ref().map_or(Ok(true), |w| w.eval_bool(&scope))?;
            if !applies {
                continue;
            }
            let map = |mapping: &Mapping| Ok(mapping.eval(&scope)?.as_object().cloned().unwrap_or_default());
            let tells = match &rule.tells {
                Rule::Event { event, data, actual, mismatch } => Tells::Event {
                    event: event.clone(),
                    data: map(data)?,
                    actual: map(actual)?,
                    mismatch: mismatch.clone(),
                },
                Rule::Record { kind, key, data } => Tells::Record {
                    record: kind.clone(),
                    key: crate::text::plain(&key.eval(&scope)?),
                    data: map(data)?,
                },
            };
            return Ok(Some(WebhookEvent {
                once: crate::text::plain(&self.once.eval(&scope)?),
                reference: crate::text::plain(&self.correlate.eval(&scope)?),
                tells,
                by_hand: rule.by_hand,
            }));
        }
        Ok(None)
    }
}

/// Seconds or milliseconds since 1970, or RFC 3339.
fn time_ms(text: &str) -> Option<i64> {
    match text.trim().parse::<i64>() {
        Ok(number) if number.abs() < 100_000_000_000 => Some(number * 1_000),
        Ok(number) => Some(number),
        Err(_) => chrono::DateTime::parse_from_rfc3339(text.trim()).ok().map(|time| time.timestamp_millis()),
    }
}

/// What a partner tells of a subject (`payment` of `payment.captured`) some workflow takes, where workflows take anything
/// of it: a line of business that is not here hears nothing. `events`: all that workflows take.
pub(crate) fn are_heard(nodes: &Nodes, events: &BTreeSet<&str>, problems: &mut Vec<Problem>) {
    let subject = |event: &str| event.split_once('.').map(|(subject, _)| subject.to_owned());
    let fits = |event: &str, name: &str| match event.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => event == name,
    };
    let webhooks = nodes.iter().filter(|(path, _)| matches!(kind_of(path), Some(FileKind::Webhook { .. })));
    let rules = webhooks.flat_map(|(_, node)| node.get("events").map_or(&[][..], Node::items));
    for at in rules.flat_map(|rule| ["event", "mismatch"].into_iter().filter_map(|key| rule.get(key))) {
        let name = at.as_str().unwrap_or_default();
        let Some(about) = subject(name) else { continue };
        let of_it: Vec<&str> = events.iter().copied().filter(|event| subject(event).as_ref() == Some(&about)).collect();
        if !of_it.is_empty() && !events.iter().any(|event| fits(event, name)) {
            let problem = Problem::warning("unheard", &at.span, format!("no workflow takes the event `{name}`"));
            problems.push(problem.maybe_hint(did_you_mean(name, of_it)));
        }
    }
}
