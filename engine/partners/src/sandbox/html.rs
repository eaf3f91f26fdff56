//! The frame of a sandbox page. Every text goes through [`escape`]; there is no inline script or style.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

/// Scripts and styles of our own only; forms may lead anywhere, because partners' pages send people back. Our own pages
/// may show it in a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; form-action 'self' http: https:; base-uri 'none'; frame-ancestors 'self'";

/// A whole page; `main` is markup. With `refresh_s` it looks again every so many seconds.
pub fn page(title: &str, refresh_s: Option<u32>, main: &str) -> Response {
    let title = escape(title);
    let refresh = refresh_s.map(|s| format!(" data-refresh=\"{s}\"")).unwrap_or_default();
    let html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title}</title><link rel=\"stylesheet\" href=\"/sandbox/assets/sandbox.css\"><script type=\"module\" src=\"/sandbox/assets/sandbox.js\"></script></head>\
         <body{refresh}><header><strong>Sandbox</strong><nav aria-label=\"Sandbox\"><a href=\"/sandbox/inbox\">Inbox</a> · <a href=\"/sandbox\">Partners</a></nav></header>\
         <main>{main}</main><footer>Fake partners for development: no real money moves and no message leaves.</footer></body></html>"
    );
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "SAMEORIGIN"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    (headers, html).into_response()
}

/// A short page that only says something.
pub fn note(status: StatusCode, title: &str, text: &str) -> Response {
    let body = format!("<div class=\"card narrow\"><h1>{}</h1><p>{}</p></div>", escape(title), escape(text));
    let mut response = page(title, None, &body);
    *response.status_mut() = status;
    response
}

/// Tells the page around it `{token}`.
pub fn tell(token: &str) -> Response {
    let main = format!("<p class=\"card narrow\" role=\"status\" data-tell=\"{}\">Thank you.</p>", escape(token));
    page("Thank you", None, &main)
}

/// Sends the browser on: `GET` by a redirect with the fields in the query, `POST` by a page that posts them.
pub fn go(method: &str, url: &str, fields: &serde_json::Map<String, Value>) -> Response {
    if !safe(url) {
        return note(StatusCode::BAD_REQUEST, "No way on", "The address to go to is not an http address.");
    }
    if !method.eq_ignore_ascii_case("POST") {
        let query = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(fields.iter().map(|(k, v)| (k, text(v))))
            .finish();
        let mark = if query.is_empty() {
            ""
        } else if url.contains('?') {
            "&"
        } else {
            "?"
        };
        return (
            StatusCode::SEE_OTHER,
            [(header::LOCATION, format!("{url}{mark}{query}")), (header::CACHE_CONTROL, "no-store".into())],
        )
            .into_response();
    }
    let inputs: String = fields
        .iter()
        .map(|(k, v)| format!("<input type=\"hidden\" name=\"{}\" value=\"{}\">", escape(k), escape(&text(v))))
        .collect();
    let form = format!(
        "<div class=\"card narrow\"><h1>Going back</h1><form method=\"post\" action=\"{}\" data-go>{inputs}<button class=\"wide primary\">Continue</button></form></div>",
        escape(url)
    );
    page("Going back", None, &form)
}

/// An address within this site or by http.
fn safe(url: &str) -> bool {
    let own = url.starts_with('/') && !url.starts_with("//") && !url.contains('\\');
    let http = url::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
    (own || http) && !url.chars().any(char::is_control)
}

/// How a value reads in a text.
pub fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// `2026-11-21 10:04:05` of UTC milliseconds.
pub fn time(ms: i64) -> String {
    chrono::DateTime::from_timestamp_millis(ms)
        .map(|time| time.format("%Y-%m-%d %H:%M:%S").to_string())
        .unwrap_or_default()
}
