//! Named effects that no job of its own takes (`track` …): kept in the history, done.

use super::{Context, End};
use engine_runtime::RuntimeError;
use engine_store::EffectRecord;
use serde_json::json;

pub(super) async fn record(_context: &Context, effect: &EffectRecord) -> Result<End, RuntimeError> {
    tracing::info!(effect = %effect.key, kind = effect.kind, "recorded");
    Ok(End::Done(json!({"recorded": true})))
}
