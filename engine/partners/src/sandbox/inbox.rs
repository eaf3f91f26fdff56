//! `/sandbox/inbox`: every SMS, e-mail and WhatsApp text that the product sent, newest first.

use super::{Sandbox, SandboxError, html};
use crate::memory::{INBOX, LIST_MAX};
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Deserialize, Default)]
pub struct Filter {
    /// A number or address; digits are compared from their end, so that `+91` does not matter.
    to: Option<String>,
    channel: Option<String>,
}

/// A message as it was put into [`INBOX`].
#[derive(Deserialize, Serialize)]
#[serde(default)]
struct Message {
    #[serde(skip_deserializing)]
    id: String,
    channel: String,
    to: Value,
    subject: Option<String>,
    text: String,
    html: Option<String>,
    /// Name of the file that came with it.
    file: Option<String>,
    time_ms: i64,
}

impl Default for Message {
    fn default() -> Self {
        Message {
            id: String::new(),
            channel: "sms".into(),
            to: Value::Null,
            subject: None,
            text: String::new(),
            html: None,
            file: None,
            time_ms: 0,
        }
    }
}

pub async fn show(State(sandbox): State<Sandbox>, Query(filter): Query<Filter>) -> Result<Response, SandboxError> {
    let messages = messages(&sandbox, &filter).await?;
    let cards: String = messages.iter().map(card).collect();
    let main = if messages.is_empty() {
        "<p>No message yet. This page looks again every three seconds.</p>".to_owned()
    } else {
        cards
    };
    Ok(html::page("Inbox", Some(3), &format!("<h1>Inbox</h1>{main}")))
}

pub async fn json(State(sandbox): State<Sandbox>, Query(filter): Query<Filter>) -> Result<Json<Value>, SandboxError> {
    Ok(Json(json!({"messages": messages(&sandbox, &filter).await?})))
}

/// The HTML part of an e-mail, shut off from everything.
pub async fn html_part(State(sandbox): State<Sandbox>, Path(id): Path<String>) -> Result<Response, SandboxError> {
    let found = sandbox.memory().get(INBOX, &id).await?.and_then(|message| message["html"].as_str().map(str::to_owned));
    let Some(part) = found else {
        return Ok(html::note(StatusCode::NOT_FOUND, "No such message", "It has no HTML part, or it is gone."));
    };
    let policy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:";
    Ok(([(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, policy)], part)
        .into_response())
}

async fn messages(sandbox: &Sandbox, filter: &Filter) -> Result<Vec<Message>, SandboxError> {
    let stored = sandbox.memory().list(INBOX, LIST_MAX).await?;
    let read = stored.into_iter().filter_map(|(id, value)| Some(Message { id, ..serde_json::from_value(value).ok()? }));
    Ok(read.filter(|message| fits(message, filter)).collect())
}

fn fits(message: &Message, filter: &Filter) -> bool {
    let channel = filter.channel.as_ref().is_none_or(|channel| channel == &message.channel);
    let to = filter.to.as_ref().is_none_or(|wanted| {
        let given = html::text(&message.to);
        given.eq_ignore_ascii_case(wanted)
            || (digits(wanted).len() >= 10 && digits(&given).ends_with(&last_ten(wanted)))
    });
    channel && to
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

fn last_ten(text: &str) -> String {
    let digits = digits(text);
    digits[digits.len().saturating_sub(10)..].to_owned()
}

/// The text, escaped, with its addresses as links.
fn link_addresses(text: &str) -> String {
    let words = text.split_inclusive(char::is_whitespace).map(|word| {
        let address = word.trim_end();
        let escaped = html::escape(word);
        if ["http://", "https://"].iter().any(|scheme| address.starts_with(scheme)) {
            format!("<a href=\"{}\">{escaped}</a>", html::escape(address))
        } else {
            escaped
        }
    });
    words.collect()
}

fn card(message: &Message) -> String {
    let subject =
        message.subject.as_ref().map(|subject| format!("<h2>{}</h2>", html::escape(subject))).unwrap_or_default();
    let part = match message.html {
        Some(_) => format!("<p><a href=\"/sandbox/inbox/{}\">HTML part</a></p>", html::escape(&message.id)),
        None => String::new(),
    };
    let file = message.file.as_ref().map(|file| format!("<p>With {}</p>", html::escape(file))).unwrap_or_default();
    format!(
        "<article class=\"card\"><span class=\"tag\">{}</span> <strong>{}</strong> <span class=\"soft\">{}</span>{subject}<pre>{}</pre>{part}{file}</article>",
        html::escape(&message.channel),
        html::escape(&html::text(&message.to)),
        html::time(message.time_ms),
        link_addresses(&message.text)
    )
}
