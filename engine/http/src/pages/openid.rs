//! `/openid`: staff sign in with the provider that the settings name. The browser goes there with a sealed note of its
//! attempt, and comes back to `/openid/back`; whoever the provider then names must be one of the staff.

use crate::app::{App, run_to_end};
use crate::connection::middleware::Class;
use crate::pages;
use crate::problem::{Code, Problem};
use crate::visitor::session::{Visitor, cookie};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engine_partners::{Attempt, OpenidError};
use engine_runtime::{SignsIn, StepView, new_token};
use serde::Deserialize;
use serde_json::{Value, json};

pub const BEGIN: &str = "/openid";
pub const BACK: &str = "/openid/back";
const COOKIE: &str = "__Host-openid";

/// What a provider adds to the address.
#[derive(Deserialize)]
pub struct Returned {
    #[serde(default)]
    code: String,
    #[serde(default)]
    state: String,
}

/// The way to the provider, on the first page of the staff's sign-in; nothing where there is none.
pub fn offer(app: &App, view: &mut StepView) {
    let openid = &app.settings.openid;
    let shown = view.step.view.get_or_insert_with(|| json!({"blocks": []}));
    if let Some(blocks) = shown.get_mut("blocks").and_then(Value::as_array_mut).filter(|_| openid.issuer.is_some()) {
        blocks.push(json!({"block": "links", "items": [{"label": openid.label, "href": BEGIN}]}));
    }
}

/// Sends the visitor to the provider; where there is none, nothing is here.
pub async fn begin(State(app): State<App>, headers: HeaderMap, visitor: Result<Visitor, Problem>) -> Response {
    let begun = async {
        app.limit(Class::Start, visitor?.client)?;
        let (address, attempt) = match app.partners.openid_begin(&redirect(&app), new_token, app.runtime.now_ms()).await
        {
            Ok(begun) => begun,
            Err(error) => return refuse(&app, error).await,
        };
        let text = serde_json::to_vec(&attempt).map_err(|_| Problem::new(Code::Internal))?;
        let sealed = app.runtime.people.seal_for(COOKIE, &text).ok_or_else(|| Problem::new(Code::Internal))?;
        let note = format!("{COOKIE}={sealed}; Path=/; Max-Age=600; HttpOnly; Secure; SameSite=Lax");
        Ok(leading(address.as_str(), &note))
    };
    answer(&app, &headers, begun.await).await
}

/// Back from the provider.
pub async fn back(
    State(app): State<App>,
    Query(returned): Query<Returned>,
    headers: HeaderMap,
    visitor: Result<Visitor, Problem>,
) -> Response {
    let signed = async {
        let mut visitor = visitor?;
        app.limit(Class::Start, visitor.client)?;
        let note = cookie(&headers, COOKIE).and_then(|sealed| app.runtime.people.open_for(COOKIE, sealed));
        let attempt: Option<Attempt> = note.and_then(|text| serde_json::from_slice(&text).ok());
        let Some(attempt) = attempt else { return refuse(&app, OpenidError::Attempt).await };
        let given = (returned.state.as_str(), returned.code.as_str());
        let found = app.partners.openid_finish(&attempt, given, &redirect(&app), app.runtime.now_ms()).await;
        let identity = match found {
            Ok(identity) => identity,
            Err(error) => return refuse(&app, error).await,
        };
        let runtime = app.runtime.clone();
        let member =
            run_to_end(async move { runtime.people.staff_of(&identity.subject, identity.email.as_deref()).await });
        let Some(member) = member.await? else { return nobody(&app).await };
        visitor.open(&app).await?;
        visitor.sign_in(&app, SignsIn::Staff(member), &headers).await?;
        Ok(visitor.answer(leading(&app.settings.openid.page, OVER)))
    };
    answer(&app, &headers, signed.await).await
}

/// The note of an attempt is used once.
const OVER: &str = "__Host-openid=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax";

fn redirect(app: &App) -> String {
    format!("{}{BACK}", app.settings.public_url())
}

fn leading(to: &str, note: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    for (name, value) in [(header::LOCATION, to), (header::SET_COOKIE, note), (header::CACHE_CONTROL, "no-store")] {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().append(name, value);
        }
    }
    response
}

async fn refuse(app: &App, error: OpenidError) -> Result<Response, Problem> {
    if error == OpenidError::Off {
        return Err(Problem::new(Code::NotFound));
    }
    tracing::warn!(%error, "a sign-in by the provider was refused");
    let (status, text) = match error {
        OpenidError::Away => {
            (StatusCode::SERVICE_UNAVAILABLE, "The sign-in service does not answer. Please try again in a minute.")
        }
        _ => {
            (StatusCode::FORBIDDEN, "What came back from the sign-in service was not valid here. Please sign in again.")
        }
    };
    Ok(message(app, status, text).await)
}

async fn nobody(app: &App) -> Result<Response, Problem> {
    let text = "You are known there, but nobody has given you a role here. Please ask whoever looks after the staff.";
    Ok(message(app, StatusCode::FORBIDDEN, text).await)
}

async fn message(app: &App, status: StatusCode, text: &str) -> Response {
    let catalog = app.runtime.catalog();
    let next = ("Try again", BEGIN);
    let mut page = pages::message_page(app, &catalog, status, "You are not signed in", text, next).await;
    page.headers_mut().append(header::SET_COOKIE, HeaderValue::from_static(OVER));
    page
}

async fn answer(app: &App, headers: &HeaderMap, result: Result<Response, Problem>) -> Response {
    match result {
        Ok(response) => response,
        Err(problem) => pages::error_page(app, BEGIN, headers, &problem).await,
    }
}
