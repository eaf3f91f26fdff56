//! What was called: the latest requests of this process, and from memory every idempotency key with how often it came.

use super::operation::{REPLIES, Record};
use super::{Sandbox, SandboxError, html};
use axum::Json;
use axum::extract::{Query, State};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// One request that reached a fake partner, or one webhook that it sent.
#[derive(Debug, Clone, Serialize)]
pub struct Call {
    pub time_ms: i64,
    pub partner: String,
    pub operation: String,
    pub key: String,
    /// How often this key came, this time included.
    pub count: u64,
    /// What happened, such as `200` or `hang`.
    pub result: String,
}

/// The latest calls, newest first.
#[derive(Default)]
pub struct Recent(Mutex<VecDeque<Call>>);

const KEPT: usize = 200;

impl Recent {
    pub fn add(&self, call: Call) {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        calls.push_front(call);
        calls.truncate(KEPT);
    }

    fn all(&self) -> Vec<Call> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

#[derive(Deserialize)]
pub struct Filter {
    partner: Option<String>,
    operation: Option<String>,
    key: Option<String>,
}

/// `{recent: [call…], keys: [{partner, operation, key, count, time_ms}…]}`; `keys` survives a restart.
pub async fn json(State(sandbox): State<Sandbox>, Query(filter): Query<Filter>) -> Result<Json<Value>, SandboxError> {
    let fits = |partner: &str, operation: &str, key: &str| {
        let same = |wanted: &Option<String>, given: &str| wanted.as_deref().is_none_or(|wanted| wanted == given);
        same(&filter.partner, partner) && same(&filter.operation, operation) && same(&filter.key, key)
    };
    let recent: Vec<Call> =
        sandbox.recent().all().into_iter().filter(|call| fits(&call.partner, &call.operation, &call.key)).collect();
    let stored: Vec<Value> = match (&filter.partner, &filter.operation, &filter.key) {
        (Some(partner), Some(operation), Some(key)) => {
            sandbox.memory().get(REPLIES, &format!("{partner}/{operation}/{key}")).await?.into_iter().collect()
        }
        _ => sandbox.memory().list(REPLIES, u32::MAX >> 1).await?.into_iter().map(|(_, value)| value).collect(),
    };
    let records = stored.into_iter().filter_map(|value| serde_json::from_value::<Record>(value).ok());
    let keys: Vec<Value> = records
        .filter(|record| fits(&record.partner, &record.operation, &record.key))
        .map(|r| json!({"partner": r.partner, "operation": r.operation, "key": r.key, "count": r.count, "time_ms": r.time_ms}))
        .collect();
    Ok(Json(json!({"recent": recent, "keys": keys})))
}

/// The latest calls as markup.
pub fn table(sandbox: &Sandbox) -> String {
    let rows: String = sandbox.recent().all().iter().map(row).collect();
    format!(
        "<h2 id=\"calls\">Latest calls</h2><table aria-labelledby=\"calls\"><thead><tr><th scope=\"col\">Time (UTC)</th><th scope=\"col\">Partner</th>\
         <th scope=\"col\">Operation</th><th scope=\"col\">Idempotency key</th><th scope=\"col\">Times</th><th scope=\"col\">Result</th></tr></thead><tbody>{rows}</tbody></table>"
    )
}

fn row(call: &Call) -> String {
    let cells = [
        html::time(call.time_ms),
        call.partner.clone(),
        call.operation.clone(),
        call.key.clone(),
        call.count.to_string(),
        call.result.clone(),
    ];
    let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", html::escape(cell))).collect();
    format!("<tr>{cells}</tr>")
}
