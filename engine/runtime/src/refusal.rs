//! Why something was not done, as the caller learns it. `http` turns each into a problem (RFC 9457).

use crate::core::RuntimeError;
use crate::view::StepView;
use engine_definitions::FieldError;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// What another hand changed since the caller looked.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Difference {
    /// JSON Pointer into the answers.
    pub pointer: String,
    pub yours: Value,
    pub theirs: Value,
}

#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// Unknown, or not yours: the same answer.
    #[error("not found")]
    NotFound,
    #[error("the journey has moved on")]
    Stale { view: Box<StepView>, difference: Vec<Difference> },
    /// The offer has another price than the one that its reader saw.
    #[error("the price has changed")]
    Repriced { view: Box<StepView> },
    #[error("some answers are not valid")]
    Invalid { errors: Vec<FieldError> },
    /// This event cannot be sent at this step.
    #[error("not possible at this step")]
    NotAccepted { view: Box<StepView> },
    /// An operator asked for something that is not possible any more, or never was.
    #[error("{reason}")]
    NotPossible { reason: String },
    #[error("the key was used for another request")]
    KeyReused,
    #[error("the key is missing")]
    KeyMissing,
    #[error("the journey has expired")]
    Expired { base: String },
    #[error("too many tries")]
    Limited { retry_after_ms: i64 },
    /// So many messages were asked for from this network that the next one needs a proof.
    #[error("a proof is needed")]
    Proof,
    #[error("busy")]
    Busy,
    /// The database cannot be reached or written; it may again later.
    #[error("not available")]
    Unavailable(#[source] engine_store::StoreError),
    /// An incident was recorded; what was typed is kept.
    #[error("something went wrong ({reference})")]
    Broken { reference: String },
    #[error("internal error")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl From<engine_store::StoreError> for Refusal {
    fn from(error: engine_store::StoreError) -> Self {
        match error {
            engine_store::StoreError::Busy => Refusal::Busy,
            error if error.outage().is_some() => Refusal::Unavailable(error),
            other => Refusal::Internal(Box::new(other)),
        }
    }
}

impl From<RuntimeError> for Refusal {
    fn from(error: RuntimeError) -> Self {
        match error {
            RuntimeError::Store(error) => error.into(),
            other => Refusal::Internal(Box::new(other)),
        }
    }
}
