//! A mapped request → one exchange: address, credentials and headers. Secrets are added here and only here.

use super::CallFile;
use super::exchange::Exchange;
use super::target::{NoTarget, Target};
use crate::multipart;
use base64::Engine as _;
use engine_definitions::{Auth, Body, Credential, HEADERS_OURS, OutgoingRequest};
use engine_settings::{Host, Secret, Settings};
use engine_statechart::Host as Functions;
use reqwest::Method;
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderName, HeaderValue};
use serde_json::Value;
use std::borrow::Cow;
use std::time::Duration;

/// The secrets and files that may go to one host.
pub struct Secrets<'a> {
    pub settings: &'a Settings,
    pub host: &'a Host,
    /// Files of the call's input.
    pub files: &'a [CallFile],
}

#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    #[error(transparent)]
    Target(#[from] NoTarget),
    #[error("secret `{0}` is not set, or may not go to this host")]
    Secret(String),
    #[error("header `{0}` cannot be sent")]
    Header(String),
    #[error("unknown method")]
    Method,
}

pub fn exchange(
    request: OutgoingRequest,
    target: &Target,
    secrets: &Secrets<'_>,
    key: &str,
    timeout: Duration,
) -> Result<Exchange, RequestError> {
    let mut headers = vec![header("idempotency-key", key)?];
    for (name, value) in &request.headers {
        if HEADERS_OURS.contains(&name.to_ascii_lowercase().as_str()) {
            return Err(RequestError::Header(name.clone()));
        }
        headers.push(header(name, value)?);
    }
    if !headers.iter().any(|(name, _)| *name == ACCEPT) {
        headers.push((ACCEPT, HeaderValue::from_static("application/json, */*;q=0.5")));
    }
    headers.extend(credentials(&request.auth, secrets)?);
    let body = match request.body {
        Body::None => None,
        Body::Json(value) => Some(("application/json".to_owned(), value.to_string().into_bytes())),
        Body::Form(pairs) => {
            let text = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
            Some(("application/x-www-form-urlencoded".to_owned(), text.into_bytes()))
        }
        Body::Multipart(pairs) => Some(multipart::write(&pairs, secrets.files, key)),
    };
    let method = Method::from_bytes(request.method.as_bytes()).map_err(|_| RequestError::Method)?;
    Ok(Exchange { method, url: target.url(&request.path, &request.query)?, headers, body, timeout })
}

fn credentials(auth: &Auth, secrets: &Secrets<'_>) -> Result<Option<(HeaderName, HeaderValue)>, RequestError> {
    let (name, value) = match auth {
        Auth::None => return Ok(None),
        Auth::Basic { user, password } => {
            let pair = format!("{}:{}", secrets.value(user)?.expose(), secrets.value(password)?.expose());
            (AUTHORIZATION.as_str(), format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(pair)))
        }
        Auth::Bearer { token } => (AUTHORIZATION.as_str(), format!("Bearer {}", secrets.value(token)?.expose())),
        Auth::Header { name, value } => (name.as_str(), secrets.value(value)?.expose().clone()),
    };
    let (name, mut value) = header(name, &value)?;
    value.set_sensitive(true);
    Ok(Some((name, value)))
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), RequestError> {
    let wrong = || RequestError::Header(name.to_owned());
    Ok((HeaderName::try_from(name).map_err(|_| wrong())?, HeaderValue::try_from(value).map_err(|_| wrong())?))
}

impl Secrets<'_> {
    fn value(&self, credential: &Credential) -> Result<Secret, RequestError> {
        match credential {
            Credential::Literal(text) => Ok(Secret::new(text.clone())),
            Credential::Secret(name) => self.secret_named(name).ok_or_else(|| RequestError::Secret(name.clone())),
        }
    }

    fn secret_named(&self, name: &str) -> Option<Secret> {
        self.settings.secret(name).filter(|_| self.settings.secret_allowed(name, self.host))
    }
}

/// Signatures in an operation's mappings.
impl Functions for Secrets<'_> {
    fn variable(&self, _name: &str) -> Option<Cow<'_, Value>> {
        None
    }

    fn call(&self, name: &str, args: &mut [Value]) -> Result<Value, String> {
        match (name, args) {
            ("hmac_sha256_hex", [Value::String(secret), Value::String(text)]) => {
                let value = self
                    .secret_named(secret)
                    .ok_or_else(|| format!("secret `{secret}` is not set, or may not go to this host"))?;
                Ok(crate::signature::hmac_sha256_hex(value.expose().as_bytes(), text.as_bytes()).into())
            }
            ("file", [Value::String(id)]) => {
                let file = self.files.iter().find(|file| file.id == *id);
                file.map(CallFile::to_value).ok_or_else(|| "there is no such file".to_owned())
            }
            (_, args) => {
                crate::functions::call(name, args).unwrap_or_else(|| Err(format!("`{name}` works only in the sandbox")))
            }
        }
    }
}
