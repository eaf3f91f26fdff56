//! Who sent a webhook: the signature over its raw bytes.

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
) -> Result<(), WebhookRefused> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if rule.kind != "hmac_sha256_hex" {
        return Err(WebhookRefused::Kind);
    }
    let Credential::Secret(secret) = &rule.secret else { return Err(WebhookRefused::NoSecret) };
    let secret = settings.secret(secret).ok_or(WebhookRefused::NoSecret)?;
    let given = text(&rule.header).ok_or(WebhookRefused::Unsigned)?;
    match verify_hmac_sha256_hex(secret.expose().as_bytes(), raw, given) {
        true => Ok(()),
        false => Err(WebhookRefused::Forged),
    }
}
