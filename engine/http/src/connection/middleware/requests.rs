//! Figures of requests. A handle is looked up once per route, method and status, and kept.

use axum::extract::MatchedPath;
use axum::http::{Method, StatusCode};
use metrics::{Counter, Histogram};
use std::collections::HashMap;
use std::sync::RwLock;
use std::time::Duration;

/// Name of requests that no route of the API took.
const PAGE: &str = "page";

type Handles = HashMap<String, (Counter, Histogram)>;

#[derive(Default)]
pub struct Requests(RwLock<HashMap<(StatusCode, &'static str), Handles>>);

impl Requests {
    /// Counts by the route's pattern, never by the address: its query may hold anything.
    pub fn count(&self, route: Option<&MatchedPath>, method: &Method, status: StatusCode, took: Duration) {
        let (route, method) = (route.map_or(PAGE, MatchedPath::as_str), method_name(method));
        let add = |(requests, seconds): &(Counter, Histogram)| {
            requests.increment(1);
            seconds.record(took.as_secs_f64());
        };
        let known = self.0.read().unwrap_or_else(|e| e.into_inner());
        if let Some(handles) = known.get(&(status, method)).and_then(|routes| routes.get(route)) {
            return add(handles);
        }
        drop(known);
        let requests = metrics::counter!("http_requests_total", "method" => method, "route" => route.to_owned(), "status" => status.as_str().to_owned());
        let seconds = metrics::histogram!("http_request_seconds", "route" => route.to_owned());
        let mut known = self.0.write().unwrap_or_else(|e| e.into_inner());
        add(known.entry((status, method)).or_default().entry(route.to_owned()).or_insert((requests, seconds)));
    }
}

fn method_name(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "DELETE" => "DELETE",
        _ => "other",
    }
}
