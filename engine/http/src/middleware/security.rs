//! Headers of every answer (security rule 32).

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use engine_settings::Settings;

/// Made once at the start; set on an answer unless the handler has set its own.
#[derive(Debug, Clone)]
pub struct SecurityHeaders(Vec<(HeaderName, HeaderValue)>);

impl SecurityHeaders {
    pub fn new(settings: &Settings) -> SecurityHeaders {
        let mut list = vec![
            (header::CONTENT_SECURITY_POLICY, policy(&form_targets(settings))),
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
fn form_targets(settings: &Settings) -> Vec<String> {
    let hosts = settings.partners.hosts.values().filter(|host| host.redirect).map(|host| host.url.clone());
    let sandbox = settings.sandbox.enabled.then(|| settings.sandbox_url());
    let mut origins: Vec<String> = hosts
        .chain(sandbox)
        .chain([settings.public_url()])
        .filter_map(|url| url::Url::parse(&url).ok())
        .map(|url| url.origin().ascii_serialization())
        .collect();
    origins.sort();
    origins.dedup();
    origins
}

fn policy(form_targets: &[String]) -> HeaderValue {
    let mut form_action = String::from("'self'");
    for origin in form_targets {
        form_action.push(' ');
        form_action.push_str(origin);
    }
    let text = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; \
         form-action {form_action}; frame-ancestors 'none'; base-uri 'none'; object-src 'none'"
    );
    HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static("default-src 'none'"))
}
