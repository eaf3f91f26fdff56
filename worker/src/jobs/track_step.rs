//! A step of a journey as a partner tracks it: in order per journey, given up rather than in anybody's way.

use super::{Context, End};
use crate::backoff::full_jitter;
use engine_definitions::Retry;
use engine_partners::CallOutcome;
use engine_runtime::RuntimeError;
use engine_runtime::effect::TrackPayload;
use engine_store::EffectRecord;
use serde_json::{Value, json};

/// The kind whose effects of one journey are done in their order.
const KIND: &str = "track";
/// One that waits for an earlier one is called when that ends; should the call be lost, it looks again.
const LOOK_AGAIN_MS: i64 = 5_000;

pub(super) async fn track(context: &Context, effect: &EffectRecord) -> Result<End, RuntimeError> {
    let payload = serde_json::from_value::<TrackPayload>(effect.payload.clone()).ok();
    let Some((payload, (partner, operation))) = payload.as_ref().and_then(|p| Some((p, p.to.as_deref()?.split_once('/')?))) else {
        // Nobody is told: it stands in the history.
        return Ok(End::Done(json!({"recorded": true})));
    };
    if !context.runtime.store().first_in_line(&effect.key, KIND).await? {
        return Ok(End::Later { due_at_ms: context.runtime.now_ms() + LOOK_AGAIN_MS, reason: json!({"code": "in_line"}) });
    }
    let catalog = context.runtime.catalog();
    let Some((partner, operation)) = catalog.partner(partner).zip(catalog.operation(partner, operation)) else {
        return Ok(End::Park(json!({"code": "no_operation", "operation": payload.to})));
    };
    match context.partners.call(&catalog, partner, operation, &payload.input, &effect.key.to_string(), context.runtime.now_ms()).await {
        CallOutcome::Done { output, .. } => match output.get("redirect").and_then(Value::as_str).filter(|url| !url.is_empty()) {
            Some(url) => {
                context.runtime.lead_away(effect, payload, url).await?;
                Ok(End::Settled)
            }
            None => Ok(End::Done(json!({"tracked": true}))),
        },
        CallOutcome::Failed(error) => {
            let reason = json!({"code": error.code});
            let policy = &operation.retry;
            match error.retry {
                Retry::Later(after) => {
                    let wait = full_jitter(effect.attempts, policy.base_ms, policy.cap_ms).max(after.map_or(0, |ms| ms as i64));
                    Ok(End::Retry { after_ms: Some(wait), reason })
                }
                Retry::Never => Ok(End::Park(reason)),
            }
        }
    }
}

/// However it ended: the next of the journey is due, if this one is over. (If not, it finds itself not yet the first.)
pub(super) async fn after(context: &Context, effect: &EffectRecord) {
    if effect.kind != KIND {
        return;
    }
    if let Err(error) = context.runtime.store().call_next(&effect.key, KIND, context.runtime.now_ms()).await {
        tracing::warn!(effect = %effect.key, %error, "the next tracked step was not called; it looks again by itself");
    }
}
