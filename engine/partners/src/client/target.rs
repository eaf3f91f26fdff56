//! Where a call goes: partner → host alias → settings → address. The settings are the allow-list.

use engine_settings::{Host, Settings};
use url::Url;

/// A partner's address in this set-up.
#[derive(Debug, Clone)]
pub struct Target {
    /// Base of all its operations, as this process reaches it; no slash at the end.
    pub base: String,
    /// The same, as a customer's browser reaches it.
    pub public: String,
    pub host: Host,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum NoTarget {
    #[error("host alias `{0}` is not bound in the settings")]
    Unbound(String),
    #[error("the address of host alias `{0}` is not an http address")]
    Malformed(String),
}

/// Address of a partner: its alias's binding, or in the sandbox a folder of its own. `base_path` is appended either way.
pub fn target(settings: &Settings, alias: &str, partner: &str, base_path: &str) -> Result<Target, NoTarget> {
    let host = settings.host(alias).ok_or_else(|| NoTarget::Unbound(alias.to_owned()))?;
    let base_path = base_path.trim_matches('/');
    let join = |start: &str| {
        let start = start.trim_end_matches('/');
        if base_path.is_empty() { start.to_owned() } else { format!("{start}/{base_path}") }
    };
    let (base, public) = if settings.partners.hosts.contains_key(alias) {
        (join(&host.url), join(&host.url))
    } else {
        (join(&format!("{}/partners/{partner}", settings.sandbox_url())), join(&format!("{}/sandbox/partners/{partner}", settings.public_url())))
    };
    match Url::parse(&base) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.host().is_some() => Ok(Target { base, public, host }),
        Ok(_) | Err(_) => Err(NoTarget::Malformed(alias.to_owned())),
    }
}

impl Target {
    /// The address of a request: each segment and each query value is encoded, so none can leave its place.
    pub fn url(&self, segments: &[String], query: &[(String, String)]) -> Result<Url, NoTarget> {
        let malformed = || NoTarget::Malformed(self.base.clone());
        let mut url = Url::parse(&self.base).map_err(|_| malformed())?;
        // A segment that the address standard reads as "here" or "up" cannot be encoded away.
        if segments.iter().any(|segment| matches!(segment.as_str(), "" | "." | "..")) {
            return Err(malformed());
        }
        url.path_segments_mut().map_err(|()| malformed())?.pop_if_empty().extend(segments);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        Ok(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(alias: &str, url: &str) -> Settings {
        let mut settings = Settings::default();
        settings.server.address = "127.0.0.1:9".into();
        settings.server.public_url = Some("https://shop.example/".into());
        if !alias.is_empty() {
            settings.partners.hosts.insert(alias.into(), Host { url: url.into(), ..settings.host("x").unwrap() });
        }
        settings
    }

    #[test]
    fn addresses() {
        let check = |url: &str, base_path: &str, segments: &[&str], expected: &str| {
            let target = target(&settings("a", url), "a", "p", base_path).unwrap();
            let segments: Vec<String> = segments.iter().map(|s| s.to_string()).collect();
            assert_eq!(target.url(&segments, &[("k".into(), "a b&c=d".into())]).unwrap().as_str(), expected);
        };
        check("https://api.example", "", &["v1", "orders"], "https://api.example/v1/orders?k=a+b%26c%3Dd");
        check("https://api.example/x/", "/y/", &["a/../b", "ü?#"], "https://api.example/x/y/a%2F..%2Fb/%C3%BC%3F%23?k=a+b%26c%3Dd");
        check("http://api.example:81", "y", &["%2e%2e"], "http://api.example:81/y/%252e%252e?k=a+b%26c%3Dd");
    }

    #[test]
    fn unbound_means_sandbox_or_nothing() {
        let mut settings = settings("", "");
        let found = target(&settings, "hosts", "p1", "/base").unwrap();
        assert_eq!((found.base.as_str(), found.public.as_str()), ("http://127.0.0.1:9/sandbox/partners/p1/base", "https://shop.example/sandbox/partners/p1/base"));
        assert!(found.host.allow_private);
        settings.sandbox.enabled = false;
        assert_eq!(target(&settings, "hosts", "p1", "").unwrap_err(), NoTarget::Unbound("hosts".into()));
    }

    #[test]
    fn no_way_out_of_the_address() {
        let found = target(&settings("a", "https://api.example/x"), "a", "p", "").unwrap();
        for segment in ["..", ".", ""] {
            assert!(found.url(&[segment.to_owned()], &[]).is_err(), "{segment}");
        }
        for url in ["file:///etc/passwd", "api.example", "ftp://api.example"] {
            assert!(target(&settings("a", url), "a", "p", "").is_err(), "{url}");
        }
    }
}
