//! What a fake partner does by itself, now or later: it remembers, and it sends webhooks until they are taken.
//!
//! Every task lies in memory before it is due, so that a restart goes on where it stopped. A task belongs to whoever
//! leased it last; a webhook may arrive twice after a crash, with the same body, as at real partners.

use super::calls::Call;
use super::{Sandbox, SandboxError};
use crate::memory::{self, INBOX, LIST_MAX};
use crate::signature;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

/// One thing to do at its time: first remember, then send.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    pub partner: String,
    pub due_ms: i64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remember: Vec<Entry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<Hook>,
    #[serde(default)]
    pub attempts: u32,
    /// Moment until which the task is somebody's work.
    #[serde(default)]
    pub leased_ms: i64,
}

/// A value for the memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub bucket: String,
    pub key: String,
    pub value: Value,
    pub time_ms: i64,
}

/// A webhook to the product, signed when it is sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hook {
    pub name: String,
    pub headers: BTreeMap<String, String>,
    pub body: Value,
}

const BUCKET: &str = "later";
/// Attempts (in about ten minutes) after which a webhook is given up.
const ATTEMPTS_MAX: u32 = 20;
const LEASE_MS: i64 = 15_000;
/// How often tasks of a node that is gone are looked for.
const SWEEP: Duration = Duration::from_secs(10);

/// Does what is due at once and keeps the rest. `name` is stable, so that doing it again changes nothing.
pub async fn undertake(sandbox: &Sandbox, name: &str, tasks: &[Task]) -> Result<(), SandboxError> {
    for (i, task) in tasks.iter().enumerate() {
        let mut task = task.clone();
        if task.due_ms <= sandbox.now_ms() {
            remember(sandbox, &std::mem::take(&mut task.remember)).await?;
        }
        if task.webhook.is_none() && task.remember.is_empty() {
            continue;
        }
        let key = format!("{name}/{i}");
        let value = to_value(&task)?;
        sandbox.memory().swap(BUCKET, &key, None, value).await?;
        start(sandbox, key);
    }
    Ok(())
}

pub async fn remember(sandbox: &Sandbox, entries: &[Entry]) -> Result<(), SandboxError> {
    for entry in entries {
        if entry.bucket == INBOX {
            memory::put_message(sandbox.memory(), &entry.key, entry.value.clone(), entry.time_ms).await?;
        } else {
            sandbox.memory().put(&entry.bucket, &entry.key, entry.value.clone()).await?;
        }
    }
    Ok(())
}

/// Takes up what an earlier process left, now and again for as long as the sandbox exists.
pub async fn sweep(sandbox: Sandbox) {
    let weak = sandbox.downgrade();
    drop(sandbox);
    while let Some(sandbox) = weak.upgrade() {
        match sandbox.memory().list(BUCKET, LIST_MAX).await {
            Ok(found) => found.into_iter().for_each(|(key, _)| start(&sandbox, key)),
            Err(error) => tracing::warn!(%error, "the sandbox cannot read its tasks"),
        }
        drop(sandbox);
        tokio::time::sleep(SWEEP).await;
    }
}

/// Works on a task until it is done, unless this process already does.
fn start(sandbox: &Sandbox, key: String) {
    if !sandbox.take_up(&key) {
        return;
    }
    let sandbox = sandbox.clone();
    tokio::spawn(async move {
        if let Err(error) = work(&sandbox, &key).await {
            tracing::warn!(%error, "a task of the sandbox waits for the next sweep");
        }
        sandbox.put_down(&key);
    });
}

async fn work(sandbox: &Sandbox, key: &str) -> Result<(), SandboxError> {
    loop {
        let Some(stored) = sandbox.memory().get(BUCKET, key).await? else { return Ok(()) };
        let task: Task = serde_json::from_value(stored.clone()).map_err(|e| SandboxError::Stored(e.to_string()))?;
        let wait_ms = task.due_ms.max(task.leased_ms) - sandbox.now_ms();
        if wait_ms > 0 {
            tokio::time::sleep(Duration::from_millis(wait_ms.unsigned_abs())).await;
            continue;
        }
        let leased =
            to_value(&Task { leased_ms: sandbox.now_ms() + LEASE_MS, attempts: task.attempts + 1, ..task.clone() })?;
        if !sandbox.memory().swap(BUCKET, key, Some(stored), leased.clone()).await? {
            continue;
        }
        remember(sandbox, &task.remember).await?;
        let done = match &task.webhook {
            None => true,
            Some(hook) => send(sandbox, &task, hook).await || task.attempts + 1 >= ATTEMPTS_MAX,
        };
        // A value that came later in between is not overwritten by doing this again: it is forgotten here.
        let due_ms = sandbox.now_ms() + pause_ms(task.attempts);
        let next = if done {
            Value::Null
        } else {
            to_value(&Task { remember: Vec::new(), attempts: task.attempts + 1, due_ms, leased_ms: 0, ..task })?
        };
        sandbox.memory().swap(BUCKET, key, Some(leased), next).await?;
        if done {
            return Ok(());
        }
    }
}

/// Pause before the next attempt: 0.5, 1, 2 … up to 60 seconds.
fn pause_ms(attempts: u32) -> i64 {
    (500_i64 << attempts.min(7)).min(60_000)
}

/// One attempt; true when the product took it.
async fn send(sandbox: &Sandbox, task: &Task, hook: &Hook) -> bool {
    let body = hook.body.to_string();
    let signed = sandbox.signing(&task.partner, &hook.name).and_then(|(header, secret)| {
        let secret = sandbox.settings().secret(&secret)?;
        Some((header, signature::hmac_sha256_hex(secret.expose().as_bytes(), body.as_bytes())))
    });
    let url = format!("{}/api/v1/webhooks/{}/{}", sandbox.product_url(), task.partner, hook.name);
    let mut request = sandbox.client().post(url).header("content-type", "application/json").body(body);
    for (name, value) in hook.headers.iter().chain(signed.iter().map(|(name, value)| (name, value))) {
        request = request.header(name, value);
    }
    let status = match request.send().await {
        Ok(response) => response.status().as_u16(),
        Err(_) => 0,
    };
    let result = if status == 0 { "no answer".to_owned() } else { status.to_string() };
    let operation = format!("webhook {}", hook.name);
    sandbox.recent().add(Call {
        time_ms: sandbox.now_ms(),
        partner: task.partner.clone(),
        operation,
        key: String::new(),
        count: u64::from(task.attempts + 1),
        result,
    });
    (200..300).contains(&status)
}

fn to_value<T: Serialize>(value: &T) -> Result<Value, SandboxError> {
    serde_json::to_value(value).map_err(|e| SandboxError::Stored(e.to_string()))
}
