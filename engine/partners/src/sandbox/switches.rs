//! `/sandbox`: trouble on demand, per partner and operation, and what was called.

use super::{Sandbox, SandboxError, calls, html};
use crate::memory::{LIST_MAX, Memory};
use axum::Json;
use axum::extract::{FromRequest, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What an operation does instead of its script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    Normal,
    /// Answers after `delay_ms` (3 s).
    Slow,
    /// Answers just before the caller gives up (or after `delay_ms`).
    Late,
    /// Answers 503, and does nothing.
    Fail,
    /// Does its work and never answers.
    Hang,
    /// Does its work and breaks the connection.
    Reset,
    /// Does its work and answers something unreadable.
    Garbage,
    /// Sends its webhooks twice.
    Twice,
}

impl Mode {
    pub const ALL: [Mode; 8] =
        [Mode::Normal, Mode::Slow, Mode::Late, Mode::Fail, Mode::Hang, Mode::Reset, Mode::Garbage, Mode::Twice];

    fn name(self) -> &'static str {
        match self {
            Mode::Normal => "normal",
            Mode::Slow => "slow",
            Mode::Late => "late",
            Mode::Fail => "fail",
            Mode::Hang => "hang",
            Mode::Reset => "reset",
            Mode::Garbage => "garbage",
            Mode::Twice => "twice",
        }
    }
}

/// A switch as it is set. The narrowest one that fits a call counts: operation, partner, `*`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    /// Id of a partner, or `*`.
    pub partner: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    pub mode: Mode,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// Number of calls for which it holds, then back to normal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
    /// Number of calls in a hundred for which it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<u32>,
}

const BUCKET: &str = "switches";

/// The switch for this call, with one of its `times` used up. `dice` is below 100.
pub async fn of_call(
    memory: &dyn Memory,
    partner: &str,
    operation: &str,
    dice: u32,
) -> Result<Option<Switch>, SandboxError> {
    let set = memory.list(BUCKET, LIST_MAX).await?;
    for key in [format!("{partner}/{operation}"), partner.to_owned(), "*".to_owned()] {
        let Some((_, stored)) = set.iter().find(|(k, _)| *k == key) else { continue };
        let Ok(switch) = serde_json::from_value::<Switch>(stored.clone()) else { continue };
        if switch.percent.is_some_and(|percent| dice >= percent) {
            return Ok(None);
        }
        let left = match switch.times {
            None => return Ok(Some(switch)),
            Some(times) => times.saturating_sub(1),
        };
        let next = if left == 0 { Value::Null } else { json!(Switch { times: Some(left), ..switch.clone() }) };
        // Whoever loses this race was a call more than the switch was set for.
        return Ok(memory.swap(BUCKET, &key, Some(stored.clone()), next).await?.then_some(switch));
    }
    Ok(None)
}

pub async fn set(State(sandbox): State<Sandbox>, request: Request) -> Result<Response, SandboxError> {
    let json = request
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    let switch = if json {
        Json::<Switch>::from_request(request, &()).await.map_err(|rejection| rejection.body_text())
    } else {
        axum::Form::<ByHand>::from_request(request, &())
            .await
            .map_err(|rejection| rejection.body_text())
            .map(|axum::Form(form)| Json(form.into()))
    };
    let Json(switch) = match switch {
        Ok(switch) => switch,
        Err(why) => return Ok((StatusCode::UNPROCESSABLE_ENTITY, Json(json!({"error": why}))).into_response()),
    };
    let key = match &switch.operation {
        Some(operation) => format!("{}/{operation}", switch.partner),
        None => switch.partner.clone(),
    };
    let value = if switch.mode == Mode::Normal { Value::Null } else { json!(switch) };
    sandbox.memory().put(BUCKET, &key, value).await?;
    Ok(if json { Json(switch).into_response() } else { Redirect::to("/sandbox").into_response() })
}

/// All switches that are set.
pub async fn json(State(sandbox): State<Sandbox>) -> Result<Json<Value>, SandboxError> {
    let set = sandbox.memory().list(BUCKET, LIST_MAX).await?;
    Ok(Json(json!({"switches": set.into_iter().map(|(_, switch)| switch).collect::<Vec<_>>()})))
}

/// The form of the page: empty fields mean nothing.
#[derive(Deserialize)]
struct ByHand {
    partner: String,
    operation: String,
    mode: Mode,
}

impl From<ByHand> for Switch {
    fn from(form: ByHand) -> Switch {
        let operation = (!form.operation.is_empty()).then_some(form.operation);
        Switch { partner: form.partner, operation, mode: form.mode, delay_ms: None, times: None, percent: None }
    }
}

pub async fn show(State(sandbox): State<Sandbox>) -> Result<Response, SandboxError> {
    let set = sandbox.memory().list(BUCKET, LIST_MAX).await?;
    let mode = |key: &str| {
        set.iter()
            .find(|(k, _)| k == key)
            .and_then(|(_, v)| serde_json::from_value::<Switch>(v.clone()).ok())
            .map_or(Mode::Normal, |s| s.mode)
    };
    let mut main = String::from("<h1>Partners</h1><p>Choose how a fake partner behaves from its next call on.</p>");
    main.push_str(&form("*", "", "Every partner", mode("*")));
    for partner in sandbox.operations() {
        let changed = mode(&partner.id) != Mode::Normal
            || partner.operations.iter().any(|o| mode(&format!("{}/{o}", partner.id)) != Mode::Normal);
        let open = if changed { " open" } else { "" };
        main.push_str(&format!("<details{open}><summary>{}</summary>", html::escape(&partner.name)));
        main.push_str(&form(&partner.id, "", "All its operations", mode(&partner.id)));
        for operation in &partner.operations {
            main.push_str(&form(&partner.id, operation, operation, mode(&format!("{}/{operation}", partner.id))));
        }
        main.push_str("</details>");
    }
    main.push_str(&calls::table(&sandbox));
    Ok(html::page("Partners", None, &main))
}

fn form(partner: &str, operation: &str, label: &str, mode: Mode) -> String {
    let id = html::escape(&format!("{partner}-{operation}"));
    let options: String = Mode::ALL
        .iter()
        .map(|m| format!("<option{}>{}</option>", if *m == mode { " selected" } else { "" }, m.name()))
        .collect();
    format!(
        "<form class=\"row\" method=\"post\" action=\"/sandbox/switches\"><input type=\"hidden\" name=\"partner\" value=\"{}\"><input type=\"hidden\" name=\"operation\" value=\"{}\">\
         <div><label for=\"{id}\">{}</label><select id=\"{id}\" name=\"mode\">{options}</select></div><button>Set</button></form>",
        html::escape(partner),
        html::escape(operation),
        html::escape(label)
    )
}
