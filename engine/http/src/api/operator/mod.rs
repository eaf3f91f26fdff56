//! `/api/v1/operator/…`: stuck work, incidents and histories, for operators only.
//!
//! An operator sends `Authorization: Bearer …` with a token of `journey operator token`. Everybody else gets what an
//! unknown address gets, before anything of the request is looked at.

pub mod effects;
pub mod history;
pub mod incidents;
pub mod webhooks;

use crate::app::App;
use crate::problem::{Code, Problem};
use crate::visitor::session::route;
use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;
use engine_runtime::Actor;

/// Who asks. The token is no cookie, so no foreign page can send it: changing requests need no header beside it.
pub struct Operator(pub Actor);

impl FromRequestParts<App> for Operator {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Operator, Problem> {
        let given = parts
            .headers
            .get(header::AUTHORIZATION)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.strip_prefix("Bearer "));
        let token = given.filter(|token| token.len() == 64 && token.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let known = match token {
            Some(token) => app.runtime.people.operator(token).await?,
            None => None,
        };
        let may = |actor: &Actor| actor.may_call(app.runtime.catalog().policy(), &route(parts));
        known.filter(may).map(Operator).ok_or_else(|| Problem::new(Code::NotFound))
    }
}
