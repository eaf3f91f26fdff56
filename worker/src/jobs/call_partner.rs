//! A partner call: looked up live, made with the effect's key, its reply one event of the journey.

use super::{Attempt, Context, End};
use crate::backoff::full_jitter;
use engine_definitions::{CallErrorKind, Retry};
use engine_partners::CallOutcome;
use engine_runtime::RuntimeError;
use engine_runtime::effect::{CallPayload, CallResult, DocumentBytes, FailureKind, Target};
use engine_store::EffectRecord;
use serde_json::json;

pub(super) async fn call(attempt: &Attempt<'_>) -> Result<End, RuntimeError> {
    let (context, effect) = (attempt.context, attempt.effect);
    let Ok(payload) = serde_json::from_value::<CallPayload>(effect.payload.clone()) else {
        return Ok(End::Park(json!({"code": "payload"})));
    };
    let catalog = context.runtime.catalog();
    let found = match &payload.target {
        Target::Operation { partner, operation } => catalog.partner(partner).zip(catalog.operation(partner, operation)),
        Target::Contract { contract, partner } => catalog.for_contract(contract, partner),
    };
    let Some((partner, operation)) = found else {
        return settle(context, effect, &payload, failed("no_operation")).await;
    };
    let input = context.runtime.unseal(&effect.key.journey, &payload.input);
    let result = match attempt.call(&catalog, partner, operation, &input).await {
        CallOutcome::Done { output, correlate, document } => {
            let document =
                document.map(|d| DocumentBytes { name: d.name, media_type: d.media_type, bytes: d.bytes.to_vec() });
            CallResult::Done {
                output,
                correlate: correlate.into_iter().map(|c| (c.reference, c.expect)).collect(),
                document,
            }
        }
        CallOutcome::NotBegun => return Ok(attempt.not_begun()),
        CallOutcome::Failed(error) => {
            let now = context.runtime.now_ms();
            let in_time = effect.deadline_ms.is_none_or(|deadline| now < deadline);
            if let (Retry::Later(after), true) = (error.retry, in_time && effect.may_retry()) {
                let policy = &operation.retry;
                let wait =
                    after.map_or_else(|| full_jitter(effect.attempt(), policy.base_ms, policy.cap_ms), |ms| ms as i64);
                return Ok(End::Retry { after_ms: Some(wait), reason: json!({"code": error.code}) });
            }
            CallResult::Failed {
                kind: kind_of(error.kind),
                code: error.code,
                row: error.row,
                message: Some(error.message).filter(|m| !m.is_empty()),
                pointer: None,
            }
        }
    };
    settle(context, effect, &payload, result).await
}

async fn settle(
    context: &Context,
    effect: &EffectRecord,
    payload: &CallPayload,
    result: CallResult,
) -> Result<End, RuntimeError> {
    context.runtime.settle(effect, payload, result).await?;
    Ok(End::Settled)
}

fn failed(code: &str) -> CallResult {
    CallResult::Failed {
        code: code.into(),
        row: String::new(),
        message: None,
        pointer: None,
        kind: FailureKind::Failed,
    }
}

fn kind_of(kind: CallErrorKind) -> FailureKind {
    match kind {
        CallErrorKind::Declined => FailureKind::Declined,
        CallErrorKind::Refused => FailureKind::Refused,
        CallErrorKind::Failed => FailureKind::Failed,
    }
}
