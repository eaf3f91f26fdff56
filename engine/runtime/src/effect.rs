//! Payloads of effects: what a job reads. Ids and inputs only; partners and messages are looked up live.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Where a call goes; the operation is found when the call is made, since partners are always live. Kept as
/// `partner/operation` or `partner:contract`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "KeptTarget")]
pub enum Target {
    Operation { partner: String, operation: String },
    Contract { contract: String, partner: String },
}

/// Effects of older programs name the parts.
#[derive(Deserialize)]
#[serde(untagged)]
enum KeptTarget {
    Text(String),
    Operation { partner: String, operation: String },
    Contract { contract: String, partner: String },
}

impl From<Target> for String {
    fn from(target: Target) -> String {
        target.to_string()
    }
}

impl TryFrom<KeptTarget> for Target {
    type Error = String;

    fn try_from(kept: KeptTarget) -> Result<Target, String> {
        match kept {
            KeptTarget::Operation { partner, operation } => Ok(Target::Operation { partner, operation }),
            KeptTarget::Contract { contract, partner } => Ok(Target::Contract { contract, partner }),
            // a contract's name has a slash of its own
            KeptTarget::Text(text) => match (text.split_once(':'), text.split_once('/')) {
                (Some((partner, contract)), _) => {
                    Ok(Target::Contract { contract: contract.into(), partner: partner.into() })
                }
                (None, Some((partner, operation))) => {
                    Ok(Target::Operation { partner: partner.into(), operation: operation.into() })
                }
                (None, None) => Err(format!("`{text}` is neither partner/operation nor partner:contract")),
            },
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
}

/// A link with a purpose, valid for so long after its order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkOrder {
    pub purpose: String,
    pub valid_ms: i64,
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
    /// `partner/operation`; without one it is only kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub input: Value,
}

/// What a call came to, as the machine will hear it.
#[derive(Debug, Clone, PartialEq)]
pub enum CallResult {
    Done { output: Value, correlate: Vec<(String, Value)>, document: Option<DocumentBytes> },
    Failed { code: String, row: String, message: Option<String>, pointer: Option<String>, kind: FailureKind },
}

/// Who said no, as `event.error.kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The partner understood and says no.
    Declined,
    /// Our request was wrong for the partner.
    Refused,
    /// No usable answer.
    Failed,
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
    use serde_json::json;

    #[test]
    fn a_target_is_kept_as_text() {
        let (partner, operation) = ("courier".to_string(), "book".to_string());
        let book = Target::Operation { partner: partner.clone(), operation };
        let quote = Target::Contract { contract: "parcel/quote".into(), partner };
        for (target, kept) in
            [(&book, json!("courier/book")), (&book, json!({"partner": "courier", "operation": "book"}))]
        {
            assert_eq!(serde_json::from_value::<Target>(kept).ok().as_ref(), Some(target));
        }
        for target in [book, quote] {
            let text = serde_json::to_value(&target).unwrap_or_default();
            assert!(text.is_string());
            assert_eq!(serde_json::from_value(text).ok(), Some(target));
        }
    }
}
