//! Partners, what can be asked of them (operations) and what they tell us (webhooks). Everything
//! here is a pure mapping; engine-partners does the calls. Always live: never pinned by a journey.

mod compile;
mod load;
mod operation;
mod rehearsal;
mod rows;
mod sandbox;
mod webhook;

pub use compile::HEADERS_OURS;
#[cfg(test)]
pub(crate) use compile::{OPERATION_KEYS, PARTNER_KEYS};
pub(crate) use load::{PartnerReferences, Partners, partners};
pub use operation::{
    Body, CallError, CallErrorKind, Correlate, Example, Operation, OutgoingRequest, Reply, Retry, RetryPolicy,
    decode_segment,
};
pub(crate) use rehearsal::RehearsalHost;
pub use sandbox::{
    Button, Consequences, Fail, Go, Later, PageField, Remember, SandboxCase, SandboxPage, SandboxScript, SandboxWebhook,
};
pub(crate) use webhook::are_heard;
pub use webhook::{Tells as WebhookTells, Webhook, WebhookEvent, WebhookVerify};

use crate::layout::Owner;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A partner: where it is (an alias that operators bind), who we are there, what it offers.
#[derive(Clone, Debug)]
pub struct Partner {
    /// The file's name, or a row's `id`.
    pub id: String,
    pub name: String,
    /// Alias of a host in the settings.
    pub host: String,
    /// Prefix of all its operations' paths; starts with `/`, no `/` at the end; may be empty.
    pub base_path: String,
    /// Partners whose operations it has beside its own: of one file, or of each file with a row of its id.
    pub kits: Vec<String>,
    /// Readable in its operations as `partner.data`.
    pub data: Value,
    pub auth: Auth,
    /// Calls at the same time.
    pub concurrency: usize,
    pub breaker: Breaker,
    pub operations: BTreeMap<String, Arc<Operation>>,
    pub webhooks: BTreeMap<String, Arc<Webhook>>,
    /// `{id, name, host, data}`: the variable `partner` of its expressions.
    pub(crate) variable: Value,
}

impl Partner {
    pub fn operation(&self, id: &str) -> Option<&Arc<Operation>> {
        self.operations.get(id)
    }

    pub fn webhook(&self, name: &str) -> Option<&Arc<Webhook>> {
        self.webhooks.get(name)
    }

    /// Whether operations of this owner are its own.
    pub(crate) fn has(&self, owner: &Owner) -> bool {
        match owner {
            Owner::Partner(id) => *id == self.id,
            Owner::Kit(kit) => self.kits.contains(kit),
        }
    }

    /// The operation that declares a contract.
    pub fn for_contract(&self, contract: &str) -> Option<&Arc<Operation>> {
        self.operations.values().find(|o| o.contract_id() == Some(contract))
    }

    /// `partner/operation` of those that declare a contract.
    pub(crate) fn operations_of(&self, contract: &str) -> Vec<String> {
        let of = self.operations.iter().filter(|(_, operation)| operation.contract_id() == Some(contract));
        of.map(|(name, _)| format!("{}/{name}", self.id)).collect()
    }

    /// The partner in a set-up: these values over its `data`, in its expressions too.
    pub fn with_data(&self, values: impl IntoIterator<Item = (String, Value)>) -> Partner {
        let mut bound = self.clone();
        for data in [&mut bound.data, &mut bound.variable["data"]] {
            if !data.is_object() {
                *data = Value::Object(serde_json::Map::new());
            }
        }
        for (name, value) in values {
            bound.data[&name] = value.clone();
            bound.variable["data"][&name] = value;
        }
        bound
    }

    /// `{id, name, data}` as its expressions see it.
    pub fn variable(&self) -> &Value {
        &self.variable
    }
}

/// How a call proves who we are.
#[derive(Clone, Debug, PartialEq)]
pub enum Auth {
    None,
    Basic { user: Credential, password: Credential },
    Bearer { token: Credential },
    Header { name: String, value: Credential },
}

/// A literal, or the name of a secret (`secret://name`) that the settings hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Credential {
    Literal(String),
    Secret(String),
}

impl Credential {
    pub fn parse(text: &str) -> Credential {
        match text.strip_prefix("secret://") {
            Some(name) => Credential::Secret(name.to_owned()),
            None => Credential::Literal(text.to_owned()),
        }
    }
}

/// Rule by which no call is made for `open_ms` after `failures` in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Breaker {
    pub failures: u32,
    pub open_ms: i64,
}

/// Gives the call functions a fixed meaning while examples are checked.
pub(crate) struct ExampleHost;

impl engine_statechart::Host for ExampleHost {
    fn variable(&self, _name: &str) -> Option<std::borrow::Cow<'_, Value>> {
        None
    }

    fn call(&self, name: &str, args: &mut [Value]) -> Result<Value, String> {
        match (name, args) {
            ("recall", _) => Ok(Value::Null),
            ("recall_all", _) => Ok(Value::Array(Vec::new())),
            ("new_id", [prefix]) => Ok(Value::String(format!("{}example", crate::text::plain(prefix)))),
            ("file", [Value::String(_)]) => Ok(serde_json::json!({
                "name": "sample.jpg", "type": "image/jpeg", "size": 6, "sha256": "0".repeat(64), "base64": "c2FtcGxl"
            })),
            ("hmac_sha256_hex", _) => Ok(Value::String("0".repeat(64))),
            ("unix", [time]) => {
                let ms = time.as_str().and_then(crate::values::parse_time).ok_or("`unix` takes a time")?;
                Ok(Value::from(ms.div_euclid(1000)))
            }
            ("time_of", [seconds]) => {
                let seconds = seconds.as_i64().ok_or("`time_of` takes seconds")?;
                Ok(Value::String(crate::values::show_time(seconds.saturating_mul(1000))))
            }
            _ => Err(format!("unknown function `{name}`")),
        }
    }
}
