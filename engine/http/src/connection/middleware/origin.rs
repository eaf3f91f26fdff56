//! Changing requests come from our own pages: a custom header that no foreign page can send
//! without our consent, and an Origin that is ours.

use crate::problem::{Code, Problem};
use axum::http::{HeaderMap, header};
use engine_settings::Settings;

/// Origins that are ours.
#[derive(Debug, Clone)]
pub struct Origins {
    known: Vec<String>,
    /// Whether the page's own host is ours too, whatever name the machine is called by: in development.
    any_host: bool,
}

impl Origins {
    pub fn new(settings: &Settings) -> Origins {
        let all = settings.server.origins.iter().cloned().chain([settings.public_url()]);
        let known =
            all.filter_map(|text| url::Url::parse(&text).ok()).map(|url| url.origin().ascii_serialization()).collect();
        Origins { known, any_host: !settings.production() }
    }

    /// Is this an address of ours?
    pub fn is_ours(&self, url: &url::Url, headers: &HeaderMap) -> bool {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        self.knows(&url.origin().ascii_serialization(), host)
    }

    /// Checks a request of the API: header `X-Journey: 1`, and an Origin of ours where the browser names one.
    pub fn check(&self, headers: &HeaderMap) -> Result<(), Problem> {
        if headers.get("x-journey").is_none_or(|value| value != "1") {
            return Err(Problem::new(Code::Csrf).detail("the header X-Journey: 1 is missing"));
        }
        self.check_origin(headers)
    }

    /// Checks a form that a page of ours posts without scripts: the browser must say that it was one of ours.
    pub fn check_form(&self, headers: &HeaderMap) -> Result<(), Problem> {
        if !headers.contains_key(header::ORIGIN) && !headers.contains_key("sec-fetch-site") {
            return Err(Problem::new(Code::Csrf).detail("the form does not say where it comes from"));
        }
        self.check_origin(headers)
    }

    /// Checks the origin of reports, which a closing page sends without our header.
    pub fn check_origin(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let Some(origin) = headers.get(header::ORIGIN) else {
            let foreign = headers.get("sec-fetch-site").is_some_and(|site| site != "same-origin" && site != "none");
            return if foreign { Err(Problem::new(Code::Csrf)) } else { Ok(()) };
        };
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let ours = origin.to_str().is_ok_and(|origin| self.knows(origin, host));
        if ours { Ok(()) } else { Err(Problem::new(Code::Csrf).detail("the Origin is not ours")) }
    }

    fn knows(&self, origin: &str, host: Option<&str>) -> bool {
        let same_host = origin.split_once("://").is_some_and(|(_, authority)| host == Some(authority));
        (self.any_host && same_host) || self.known.iter().any(|known| known == origin)
    }
}
