//! What a person knows a device of theirs again by: browser and system out of `User-Agent`, which itself is not kept.

use axum::http::{HeaderMap, header};
use serde_json::{Value, json};

/// What stands in the header, and what people call it; the first that is found counts.
const BROWSERS: [(&str, &str); 9] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
];
const SYSTEMS: [(&str, &str); 7] = [
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
];

/// `{browser, system}`; empty texts for what is not known.
pub fn of(headers: &HeaderMap) -> Value {
    let agent = headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    let called = |known: &[(&str, &'static str)]| {
        known.iter().find(|(mark, _)| agent.contains(mark)).map_or("", |(_, name)| *name)
    };
    json!({"browser": called(&BROWSERS), "system": called(&SYSTEMS)})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_has_the_names_that_people_use() {
        let check = |agent: &str, browser: &str, system: &str| {
            let headers = HeaderMap::from_iter([(header::USER_AGENT, agent.parse().expect("a header"))]);
            assert_eq!(of(&headers), json!({"browser": browser, "system": system}), "{agent}");
        };
        let webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
        check(
            &format!("Mozilla/5.0 (Linux; Android 14) {webkit} Chrome/130.0 Mobile Safari/537.36"),
            "Chrome",
            "Android",
        );
        check(
            &format!("Mozilla/5.0 (Windows NT 10.0) {webkit} Chrome/130.0 Safari/537.36 Edg/130.0"),
            "Edge",
            "Windows",
        );
        check(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18 like Mac OS X) Version/18.0 Mobile Safari/604.1",
            "Safari",
            "iPhone",
        );
        check("Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0", "Firefox", "Linux");
        check("parcel-robot", "", "");
    }
}
