//! Headers of every answer.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use engine_settings::{Host, Settings};
use std::collections::BTreeSet;

/// Made once at the start; set on an answer unless the handler has set its own.
#[derive(Debug, Clone)]
pub struct SecurityHeaders(Vec<(HeaderName, HeaderValue)>);

impl SecurityHeaders {
    pub fn new(settings: &Settings) -> SecurityHeaders {
        let mut list = vec![
            (header::CONTENT_SECURITY_POLICY, policy(settings)),
            (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
            (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
            (header::REFERRER_POLICY, HeaderValue::from_static("strict-origin-when-cross-origin")),
            (
                HeaderName::from_static("permissions-policy"),
                HeaderValue::from_static(
                    "camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()",
                ),
            ),
            (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
            (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
            // What depends on a session must not be kept; the few public answers say so themselves.
            (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        ];
        if settings.production() {
            list.push((
                header::STRICT_TRANSPORT_SECURITY,
                HeaderValue::from_static("max-age=31536000; includeSubDomains"),
            ));
        }
        SecurityHeaders(list)
    }

    pub fn apply(&self, headers: &mut HeaderMap) {
        for (name, value) in &self.0 {
            headers.entry(name).or_insert_with(|| value.clone());
        }
    }
}

/// Origins to which a page may post a form: our public one, and those of partners that show hosted pages.
fn form_targets(settings: &Settings) -> String {
    origins(settings, |host| host.redirect, settings.sandbox.enabled, [settings.public_url()])
}

/// Origins of pages within ours: those of partners that show a captcha.
fn frames(settings: &Settings) -> String {
    origins(settings, |host| host.frame, settings.sandbox.enabled && settings.otp.captcha.is_some(), [])
}

/// Origins whose scripts run in our pages, with a space before each.
fn scripts(settings: &Settings) -> String {
    origins(settings, |host| host.script, false, [])
}

/// Origins of these partners, of the sandbox if it counts, and `more`; each once, with a space before it.
fn origins(
    settings: &Settings,
    wanted: impl Fn(&Host) -> bool,
    sandbox: bool,
    more: impl IntoIterator<Item = String>,
) -> String {
    let hosts = settings.partners.hosts.values().filter(|host| wanted(host)).map(|host| host.url.clone());
    let sandbox = sandbox.then(|| [settings.sandbox_url(), settings.public_url()]).into_iter().flatten();
    let found = hosts.chain(sandbox).chain(more).filter_map(|url| url::Url::parse(&url).ok());
    let found: BTreeSet<String> = found.map(|url| url.origin().ascii_serialization()).collect();
    found.into_iter().fold(String::new(), |list, origin| format!("{list} {origin}"))
}

fn policy(settings: &Settings) -> HeaderValue {
    let frames = match frames(settings) {
        none if none.is_empty() => String::new(),
        frames => format!("frame-src{frames}; "),
    };
    let scripts = scripts(settings);
    let text = format!(
        "default-src 'none'; script-src 'self'{scripts}; style-src 'self'; img-src 'self' data:{scripts}; font-src 'self'; \
         connect-src 'self'{scripts}; manifest-src 'self'; \
         {frames}form-action 'self'{}; frame-ancestors 'none'; base-uri 'none'; object-src 'none'",
        form_targets(settings)
    );
    HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static("default-src 'none'"))
}
