//! What a partner tells us unasked: verified by the caller over the raw bytes, read here.

use super::Credential;
use engine_statechart::template::Mapping;
use engine_statechart::{EvalError, Host, Scope, expression::Expression};
use serde_json::{Map, Value};

#[derive(Debug)]
pub struct Webhook {
    pub name: String,
    pub partner: String,
    pub verify: WebhookVerify,
    pub(crate) once: Expression,
    pub(crate) correlate: Expression,
    pub(crate) events: Vec<EventRule>,
}

/// How the caller proves the sender.
#[derive(Clone, Debug, PartialEq)]
pub struct WebhookVerify {
    /// `hmac_sha256_hex` over the raw body.
    pub kind: String,
    /// Lower case.
    pub header: String,
    pub secret: Credential,
    /// Oldest accepted age of the time that `timestamp_header` carries.
    pub window_ms: Option<i64>,
    pub timestamp_header: Option<String>,
}

#[derive(Debug)]
pub(crate) struct EventRule {
    pub when: Option<Expression>,
    pub event: String,
    pub data: Mapping,
    pub actual: Mapping,
    pub mismatch: Option<String>,
}

/// One webhook in our words.
#[derive(Clone, Debug, PartialEq)]
pub struct WebhookEvent {
    /// Business key; the same fact told twice has the same one.
    pub once: String,
    /// Finds the journey.
    pub reference: String,
    pub event: String,
    pub data: Map<String, Value>,
    /// Compared with what the correlation expects, member by member.
    pub actual: Value,
    /// The event instead when `actual` differs from what is expected.
    pub mismatch: Option<String>,
}

impl Webhook {
    pub fn verify_rule(&self) -> &WebhookVerify {
        &self.verify
    }

    /// Every event name it can send, mismatches included.
    pub fn event_names(&self) -> impl Iterator<Item = &str> {
        self.events.iter().flat_map(|e| std::iter::once(e.event.as_str()).chain(e.mismatch.as_deref()))
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
            let data = match rule.data.eval(&scope)? {
                Value::Object(map) => map,
                _ => Map::new(),
            };
            return Ok(Some(WebhookEvent {
                once: crate::text::plain(&self.once.eval(&scope)?),
                reference: crate::text::plain(&self.correlate.eval(&scope)?),
                event: rule.event.clone(),
                data,
                actual: rule.actual.eval(&scope)?,
                mismatch: rule.mismatch.clone(),
            }));
        }
        Ok(None)
    }
}
