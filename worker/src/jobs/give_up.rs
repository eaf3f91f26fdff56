//! Work whose attempts, or claims, are used up without an end: the last one was interrupted. Whoever waits for it is
//! told now, not at a deadline.

use super::{Attempt, End};
use engine_runtime::RuntimeError;
use engine_runtime::effect::Effect;
use engine_store::{MessageState, Spent};
use serde_json::json;

pub(super) async fn give_up(attempt: &Attempt<'_>, spent: Spent) -> Result<End, RuntimeError> {
    let (context, effect) = (attempt.context, attempt.effect);
    let code = spent.code();
    let mut reason = json!({"code": code});
    if let (Some(reason), Some(last)) = (reason.as_object_mut(), &effect.outcome) {
        reason.insert("last".into(), last.clone());
    }
    tracing::warn!(effect = %effect.key, kind = effect.kind, code, "given up");
    Ok(match Effect::read(effect) {
        Ok(Effect::Call(payload)) => {
            context.runtime.work.give_up(effect, &payload, spent).await?;
            End::Settled
        }
        Ok(Effect::Notify(order)) => {
            if context.runtime.store().message(&effect.key).await?.is_some_and(|m| m.state == MessageState::Sent) {
                return Ok(End::Done(json!({"sent": true})));
            }
            context.runtime.work.message_failed(effect, &order, reason).await?;
            End::Settled
        }
        Ok(Effect::Track(_)) | Err(_) => End::Park(reason),
    })
}
