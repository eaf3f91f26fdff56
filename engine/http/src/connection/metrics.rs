//! What is counted when it is asked for: the queue, the incidents, the breakers. Written in Prometheus' text form
//! beside what the recorder has, because a label that is gone must be gone from the page too.

use engine_partners::Partners;
use engine_runtime::Runtime;
use engine_store::{EffectState, StoreError};
use std::fmt::Write;

/// Incidents beyond this many are not counted.
const INCIDENTS_MAX: u32 = 10_000;

/// Lines for the end of `/metrics`. A database that does not answer leaves only what this process knows.
pub async fn page(runtime: &Runtime, partners: &Partners) -> String {
    let mut page = Page::default();
    for (name, state) in partners.breakers() {
        let (partner, operation) = name.split_once('/').unwrap_or((&name, ""));
        page.gauge(
            "partner_breaker_state",
            "0 closed, 1 half-open, 2 open",
            &[("partner", partner), ("operation", operation)],
            f64::from(state.level()),
        );
    }
    page.gauge("journey_publication_number", "Publication that this node serves", &[], runtime.publication() as f64);
    if let Err(error) = queue(runtime, &mut page).await {
        tracing::warn!(%error, "the queue cannot be counted");
    }
    page.text
}

async fn queue(runtime: &Runtime, page: &mut Page) -> Result<(), StoreError> {
    let now_ms = runtime.now_ms();
    let late = |oldest_ms: i64| (now_ms - oldest_ms).max(0) as f64 / 1000.0;
    let (timers, effects): (Vec<_>, Vec<_>) =
        runtime.store().backlog().await?.into_iter().partition(|row| row.kind == "timer");
    for row in &effects {
        let state = engine_runtime::operations::state_name(row.state);
        page.gauge(
            "journey_effects_waiting",
            "Effects that are not over",
            &[("kind", &row.kind), ("lane", &row.lane), ("state", state)],
            row.count as f64,
        );
    }
    for row in effects.iter().filter(|row| row.state == EffectState::Pending) {
        page.gauge(
            "journey_effects_late_seconds",
            "How long the oldest pending effect is due",
            &[("kind", &row.kind), ("lane", &row.lane)],
            late(row.oldest_ms),
        );
    }
    let parked: i64 = effects.iter().filter(|row| row.state == EffectState::Parked).map(|row| row.count).sum();
    page.gauge("journey_effects_parked", "Effects that wait for an operator", &[], parked as f64);
    page.gauge(
        "journey_timers_waiting",
        "Timers that have not fired",
        &[],
        timers.iter().map(|row| row.count).sum::<i64>() as f64,
    );
    page.gauge(
        "journey_timers_late_seconds",
        "How long the oldest timer is due",
        &[],
        timers.iter().map(|row| late(row.oldest_ms)).fold(0.0, f64::max),
    );
    let open = runtime.store().incidents(true, INCIDENTS_MAX).await?.len();
    page.gauge("journey_incidents_open", "Incidents that wait for an operator", &[], open as f64);
    Ok(())
}

#[derive(Default)]
struct Page {
    text: String,
    last: &'static str,
}

impl Page {
    /// One line; all lines of a name must follow each other.
    fn gauge(&mut self, name: &'static str, help: &str, labels: &[(&str, &str)], value: f64) {
        if self.last != name {
            self.last = name;
            let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} gauge");
        }
        let labels: Vec<String> = labels.iter().map(|(key, value)| format!("{key}=\"{}\"", escape(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.text, "{name}{labels} {value}");
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::Page;

    #[test]
    fn lines_are_prometheus_text() {
        let mut page = Page::default();
        page.gauge("a_total", "All", &[("lane", "x\"y\n"), ("state", "parked")], 2.0);
        page.gauge("a_total", "All", &[], 0.5);
        assert_eq!(
            page.text,
            "# HELP a_total All\n# TYPE a_total gauge\na_total{lane=\"x\\\"y\\n\",state=\"parked\"} 2\na_total 0.5\n"
        );
    }
}
