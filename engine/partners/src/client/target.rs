//! Where a call goes: partner → host alias → settings → address. The settings are the allow-list.

use engine_definitions::Partner;
use engine_settings::{Host, Settings};
use serde_json::Value;
use url::Url;

/// A partner's place in this set-up.
#[derive(Debug, Clone)]
pub struct Target {
    /// What its paths are appended to, as this process reaches it; no slash at the end.
    pub root: String,
    /// Address with the partner's base path, as a customer's browser reaches it; no slash at the end.
    pub public: String,
    pub host: Host,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum NoTarget {
    #[error("host alias `{0}` is not bound in the settings")]
    Unbound(String),
    #[error("the address of host alias `{0}` is not an http address")]
    Malformed(String),
    #[error("the path would leave its place")]
    Path,
}

/// A partner as it is in this set-up: its `data` with the settings' values over it, and `data.url`, its address for
/// browsers.
pub fn bound(settings: &Settings, partner: &Partner) -> Result<(Partner, Target), NoTarget> {
    let target = target(settings, &partner.host, &partner.id, &partner.base_path)?;
    let values = target.host.data.iter().map(|(name, value)| (name.clone(), Value::from(value.clone())));
    let bound = partner.with_data(values.chain([("url".to_owned(), Value::from(target.public.clone()))]));
    Ok((bound, target))
}

/// Target of an alias: its binding, or in the sandbox a folder of the partner.
pub fn target(settings: &Settings, alias: &str, partner: &str, base_path: &str) -> Result<Target, NoTarget> {
    let host = settings.host(alias).ok_or_else(|| NoTarget::Unbound(alias.to_owned()))?;
    let (root, public) = if settings.partners.hosts.contains_key(alias) {
        (host.url.trim_end_matches('/').to_owned(), host.url.trim_end_matches('/').to_owned())
    } else {
        (
            format!("{}/partners/{partner}", settings.sandbox_url()),
            format!("{}/sandbox/partners/{partner}", settings.public_url()),
        )
    };
    match Url::parse(&root) {
        Ok(url)
            if matches!(url.scheme(), "http" | "https")
                && url.host().is_some()
                && url.query().is_none()
                && url.fragment().is_none() =>
        {
            Ok(Target { root, public: format!("{public}{base_path}"), host })
        }
        Ok(_) | Err(_) => Err(NoTarget::Malformed(alias.to_owned())),
    }
}

impl Target {
    /// The address of a request. `path` is percent-encoded and starts with `/`; query values are encoded here.
    pub fn url(&self, path: &str, query: &[(String, String)]) -> Result<Url, NoTarget> {
        let mut url = Url::parse(&self.root).map_err(|_| NoTarget::Path)?;
        let whole = format!("{}{path}", url.path().trim_end_matches('/'));
        url.set_path(&whole);
        // The address standard reads some segments as "here" or "up", encoded too: what it changed would be elsewhere.
        if url.path() != whole {
            return Err(NoTarget::Path);
        }
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
        let check = |url: &str, path: &str, expected: &str| {
            let target = target(&settings("a", url), "a", "p", "").unwrap();
            assert_eq!(target.url(path, &[("k".into(), "a b&c=d".into())]).unwrap().as_str(), expected);
        };
        check("https://api.example", "/v1/orders", "https://api.example/v1/orders?k=a+b%26c%3Dd");
        check(
            "https://api.example/x/",
            "/y/a%2F..%2Fb/%C3%BC%3F%23",
            "https://api.example/x/y/a%2F..%2Fb/%C3%BC%3F%23?k=a+b%26c%3Dd",
        );
    }

    #[test]
    fn unbound_means_sandbox_or_nothing() {
        let mut settings = settings("", "");
        let found = target(&settings, "hosts", "p1", "/base").unwrap();
        assert_eq!(
            (found.root.as_str(), found.public.as_str()),
            ("http://127.0.0.1:9/sandbox/partners/p1", "https://shop.example/sandbox/partners/p1/base")
        );
        assert!(found.host.allow_private);
        settings.sandbox.enabled = false;
        assert_eq!(target(&settings, "hosts", "p1", "").unwrap_err(), NoTarget::Unbound("hosts".into()));
    }

    #[test]
    fn no_way_out_of_the_address() {
        let found = target(&settings("a", "https://api.example/x"), "a", "p", "").unwrap();
        for path in ["/..", "/%2E%2E/admin", "/y/%2e/z", "/a?b", "/a#b", "/a b", "/a\\b"] {
            assert!(found.url(path, &[]).is_err(), "{path}");
        }
        for url in ["file:///etc/passwd", "api.example", "ftp://api.example", "https://api.example/?q"] {
            assert!(target(&settings("a", url), "a", "p", "").is_err(), "{url}");
        }
    }
}
