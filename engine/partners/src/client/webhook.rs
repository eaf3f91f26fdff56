//! Who sent a webhook: the signature over its raw bytes, and its age where the partner tells it.

use crate::signature::verify_hmac_sha256_hex;
use axum::http::HeaderMap;
use engine_definitions::{Credential, WebhookVerify};
use engine_settings::Settings;

/// Why a webhook is not believed. The sender learns nothing of this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WebhookRefused {
    #[error("the signature is missing")]
    Unsigned,
    #[error("the signature is wrong")]
    Forged,
    #[error("the time is missing or outside of the window")]
    Stale,
    #[error("its secret is not set")]
    NoSecret,
    #[error("unknown kind of signature")]
    Kind,
}

pub fn verify(
    settings: &Settings,
    rule: &WebhookVerify,
    headers: &HeaderMap,
    raw: &[u8],
    now_ms: i64,
) -> Result<(), WebhookRefused> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if rule.kind != "hmac_sha256_hex" {
        return Err(WebhookRefused::Kind);
    }
    let Credential::Secret(secret) = &rule.secret else { return Err(WebhookRefused::NoSecret) };
    let secret = settings.secret(secret).ok_or(WebhookRefused::NoSecret)?;
    let given = text(&rule.header).ok_or(WebhookRefused::Unsigned)?;
    if !verify_hmac_sha256_hex(secret.expose().as_bytes(), raw, given) {
        return Err(WebhookRefused::Forged);
    }
    // A sender that signs no time is held to its event's id instead, which the store takes only once.
    match (&rule.timestamp_header, rule.window_ms) {
        (Some(header), Some(window_ms)) => {
            let sent_ms = text(header).and_then(time_ms).ok_or(WebhookRefused::Stale)?;
            if now_ms.abs_diff(sent_ms) <= window_ms.unsigned_abs() { Ok(()) } else { Err(WebhookRefused::Stale) }
        }
        (Some(_) | None, Some(_) | None) => Ok(()),
    }
}

/// Seconds or milliseconds since 1970, or RFC 3339.
fn time_ms(text: &str) -> Option<i64> {
    match text.trim().parse::<i64>() {
        Ok(number) if number.abs() < 100_000_000_000 => Some(number * 1_000),
        Ok(number) => Some(number),
        Err(_) => chrono::DateTime::parse_from_rfc3339(text.trim()).ok().map(|time| time.timestamp_millis()),
    }
}
