//! A step of a journey as a partner tracks it: in order per journey, given up rather than in anybody's way.

use super::{Attempt, Context, End, operation_of};
use crate::backoff::full_jitter;
use engine_definitions::Retry;
use engine_partners::CallOutcome;
use engine_runtime::RuntimeError;
use engine_runtime::effect::{TRACK, TrackPayload};
use engine_store::{EffectEnd, EffectRecord};
use serde_json::{Value, json};

/// One that waits for an earlier one is called when that ends; should its worker die before, it looks again.
const LOOK_AGAIN_MS: i64 = 5_000;

pub(super) async fn track(attempt: &Attempt<'_>, payload: &TrackPayload) -> Result<End, RuntimeError> {
    let (context, effect) = (attempt.context, attempt.effect);
    let Some(to) = &payload.to else {
        // Nobody is told: it stands in the history.
        return Ok(End::Done(json!({"recorded": true})));
    };
    if !context.runtime.store().first_in_line(&effect.key, TRACK).await? {
        return Ok(End::Later {
            due_at_ms: context.runtime.now_ms() + LOOK_AGAIN_MS,
            reason: json!({"code": "in_line"}),
        });
    }
    let catalog = context.runtime.catalog();
    let Some((partner, operation)) = operation_of(&catalog, to) else {
        return Ok(End::Park(json!({"code": "no_operation", "operation": to})));
    };
    match attempt.call(&catalog, partner, operation, &payload.input).await {
        CallOutcome::Done { output, .. } => {
            match output.get("redirect").and_then(Value::as_str).filter(|url| !url.is_empty()) {
                Some(url) => {
                    context.runtime.work.lead_away(effect, payload, url).await?;
                    Ok(End::Settled)
                }
                None => Ok(End::Done(json!({"tracked": true}))),
            }
        }
        CallOutcome::NotBegun => Ok(attempt.not_begun()),
        CallOutcome::Failed(error) => {
            let reason = json!({"code": error.code});
            let policy = &operation.retry;
            match error.retry {
                Retry::Later(after) => {
                    let wait = full_jitter(effect.attempt(), policy.base_ms, policy.cap_ms)
                        .max(after.map_or(0, |ms| ms as i64));
                    Ok(End::Retry { after_ms: Some(wait), reason })
                }
                Retry::Never => Ok(End::Park(reason)),
            }
        }
    }
}

/// Who ends one calls the next; who gave it back looks whether the one before has ended meanwhile. So of the two,
/// whichever comes last, one sees the other.
pub(super) async fn after(context: &Context, effect: &EffectRecord, end: Option<&EffectEnd>) {
    let (store, now_ms) = (context.runtime.store(), context.runtime.now_ms());
    let called = match end {
        None | Some(EffectEnd::Done { .. } | EffectEnd::Parked { .. } | EffectEnd::Cancelled { .. }) => {
            store.call_next(&effect.key, TRACK, now_ms).await
        }
        Some(EffectEnd::Later { .. }) => match store.first_in_line(&effect.key, TRACK).await {
            Ok(true) => store.call_effect(&effect.key, now_ms).await,
            other => other,
        },
        Some(EffectEnd::Retry { .. }) => Ok(false),
    };
    if let Err(error) = called {
        tracing::warn!(effect = %effect.key, %error, "a tracked step was not called; it looks again by itself");
    }
}
