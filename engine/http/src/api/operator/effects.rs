//! `/api/v1/operator/effects`: orders to partners and messages; what is parked is retried or given up.

use super::Operator;
use crate::app::{App, run_to_end};
use crate::problem::{Code, Problem, refusals};
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use engine_runtime::operations::{EffectView, Effects};
use engine_store::EffectKey;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

refusals!(NotThere: BodyInvalid, NotFound);
refusals!(Refused: NotFound, NotPossible);

#[derive(Deserialize, IntoParams)]
pub struct EffectsQuery {
    /// `pending`, `running`, `done`, `parked` (without it), `cancelled`, or `all`.
    state: Option<String>,
    /// `call`, `notify`, or a workflow's own.
    kind: Option<String>,
    /// Queue lane, such as a partner's id.
    lane: Option<String>,
    journey: Option<String>,
    /// Most effects, at most 1,000; 100 without it.
    limit: Option<u32>,
}

/// Effects, by order of creation.
#[utoipa::path(get, path = "/api/v1/operator/effects", operation_id = "list_effects", tag = "operator", params(EffectsQuery),
    responses((status = 200, body = Vec<EffectView>), NotThere))]
pub async fn list(
    operator: Operator,
    State(app): State<App>,
    Query(query): Query<EffectsQuery>,
) -> Result<Json<Vec<EffectView>>, Problem> {
    let state = Effects::state_named(query.state.as_deref().unwrap_or("parked"));
    let state = state.ok_or_else(|| {
        Problem::new(Code::BodyInvalid).detail("state: pending, running, done, parked, cancelled or all")
    })?;
    let wanted = Effects {
        state,
        kind: query.kind,
        lane: query.lane,
        journey: query.journey,
        limit: query.limit.unwrap_or(100),
    };
    Ok(Json(app.runtime.operations.effects(&operator.0, wanted).await?))
}

/// Try a parked effect again, with fresh attempts and the same idempotency key.
#[utoipa::path(post, path = "/api/v1/operator/effects/{key}/retry", operation_id = "retry_effect", tag = "operator", params(("key" = String, Path, description = "journey.seq.index")),
    responses((status = 204), Refused))]
pub async fn retry(operator: Operator, State(app): State<App>, Path(key): Path<String>) -> Result<StatusCode, Problem> {
    let (runtime, key) = (app.runtime.clone(), known_key(&key)?);
    run_to_end(async move { runtime.operations.retry_effect(&operator.0, &key).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What a release did.
#[derive(Serialize, ToSchema)]
pub struct Released {
    /// False when nothing was held.
    released: bool,
}

/// After a restore from a backup: what waits goes out.
#[utoipa::path(post, path = "/api/v1/operator/effects/release", operation_id = "release_effects", tag = "operator",
    responses((status = 200, body = Released), NotThere))]
pub async fn release(operator: Operator, State(app): State<App>) -> Result<Json<Released>, Problem> {
    let runtime = app.runtime.clone();
    let released = run_to_end(async move { runtime.operations.release_sends(&operator.0).await }).await?;
    Ok(Json(Released { released }))
}

/// Give a parked effect up; a call that is still awaited fails with the code `skipped`.
#[utoipa::path(post, path = "/api/v1/operator/effects/{key}/skip", operation_id = "skip_effect", tag = "operator", params(("key" = String, Path, description = "journey.seq.index")),
    responses((status = 204), Refused))]
pub async fn skip(operator: Operator, State(app): State<App>, Path(key): Path<String>) -> Result<StatusCode, Problem> {
    let (runtime, key) = (app.runtime.clone(), known_key(&key)?);
    run_to_end(async move { runtime.operations.skip_effect(&operator.0, &key).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn known_key(text: &str) -> Result<EffectKey, Problem> {
    text.parse().map_err(|()| Problem::new(Code::NotFound))
}
