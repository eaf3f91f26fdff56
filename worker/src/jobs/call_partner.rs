//! A partner call: looked up live, made with the effect's key, its reply one event of the journey.

use super::{Attempt, Context, End, operation_of};
use crate::backoff::full_jitter;
use engine_definitions::Retry;
use engine_partners::CallOutcome;
use engine_runtime::RuntimeError;
use engine_runtime::effect::{CallFailure, CallPayload, CallResult, DocumentBytes};
use engine_runtime::fact::Outcome;
use engine_store::EffectRecord;
use serde_json::json;

pub(super) async fn call(attempt: &Attempt<'_>, payload: &CallPayload) -> Result<End, RuntimeError> {
    let (context, effect) = (attempt.context, attempt.effect);
    let catalog = context.runtime.catalog();
    let Some((partner, operation)) = operation_of(&catalog, &payload.target) else {
        return settle(context, effect, payload, CallFailure::of("no_operation").into()).await;
    };
    let input = context.runtime.work.unseal(&effect.key.journey, &payload.input);
    let result = match attempt.call(&catalog, partner, operation, &input).await {
        CallOutcome::Done { output, correlate, document } => {
            let document =
                document.map(|d| DocumentBytes { name: d.name, media_type: d.media_type, bytes: d.bytes.to_vec() });
            let correlate = correlate.into_iter().map(|c| (c.reference, c.expect)).collect();
            CallResult { outcome: Outcome::Output(output), correlate, document }
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
            let message = Some(error.message).filter(|m| !m.is_empty());
            CallFailure { code: error.code, row: error.row, message, pointer: None, kind: error.kind }.into()
        }
    };
    settle(context, effect, payload, result).await
}

async fn settle(
    context: &Context,
    effect: &EffectRecord,
    payload: &CallPayload,
    result: CallResult,
) -> Result<End, RuntimeError> {
    context.runtime.work.settle(effect, payload, result).await?;
    Ok(End::Settled)
}
