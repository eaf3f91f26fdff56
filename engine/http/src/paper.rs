//! The paper of a journey as a PDF, and the page behind the code on it.

use crate::app::App;
use crate::html::Content;
use crate::pages::{self, Ask};
use crate::problem::{Code, Problem};
use crate::session::Visitor;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use engine_definitions::{Special, format_date, money};
use engine_paper::{Fact, Look, Paper, Part, Row};
use engine_runtime::rfc3339;
use serde_json::Value;

const PLACE: &str = "/v/";

/// File name and bytes.
pub async fn pdf(app: &App, visitor: &Visitor, journey: &str) -> Result<(String, Vec<u8>), Problem> {
    let found = app.runtime.journeys.paper(&visitor.actor, journey).await;
    let found = found.map_err(|refusal| visitor.refused(app, refusal))?;
    let (catalog, language) = (app.runtime.catalog(), visitor.actor.language.clone());
    let site = catalog.site(&language);
    let words = Words { language: &language, public: &app.settings.public_url() };
    let made = Value::from(rfc3339(app.runtime.now_ms()));
    let paper = Paper {
        title: found.title.clone(),
        brand: site.name.clone(),
        made: words.date(&made),
        legal: site.legal.clone(),
        parts: found.blocks.iter().filter_map(|block| words.part(block)).collect(),
        language: language.clone(),
    };
    Ok((format!("{}.pdf", found.title), written(paper).await?))
}

/// Its bytes.
pub async fn written(paper: Paper) -> Result<Vec<u8>, Problem> {
    let written = tokio::task::spawn_blocking(move || engine_paper::pdf(&paper)).await;
    let written = written.map_err(|error| error.to_string()).and_then(|pdf| pdf.map_err(|error| error.to_string()));
    written.map_err(|error| {
        tracing::error!(error, "a paper could not be written");
        Problem::new(Code::Internal)
    })
}

/// What whoever holds the code may see; every other address below is a page that is not there.
pub async fn page(ask: &Ask<'_>, visitor: impl Future<Output = Result<Visitor, Problem>>) -> Option<Response> {
    let code = ask.facts.path.strip_prefix(PLACE)?;
    let shown = async { Ok(ask.app.runtime.journeys.proof(&visitor.await?.actor, code).await?) };
    let mut response = match shown.await {
        Ok(Some(proof)) => pages::page_with(ask, StatusCode::OK, &proof.title, &Content::Blocks(&proof.blocks)).await,
        Ok(None) => pages::special(ask, StatusCode::NOT_FOUND, Special::NotFound, None).await,
        Err(problem) => pages::error_page(ask.app, ask.catalog, &problem).await,
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex"));
    Some(response)
}

/// Blocks and values as people read them.
struct Words<'w> {
    language: &'w str,
    /// Scheme and host of addresses.
    public: &'w str,
}

impl Words<'_> {
    /// What of a view belongs on paper; what one presses does not.
    fn part(&self, block: &Value) -> Option<Part> {
        let text = |key: &str| block[key].as_str().unwrap_or_default().to_owned();
        let title = text("title");
        Some(match block["block"].as_str()? {
            "facts" => {
                let facts = list(block, "items").map(|item| self.fact(item)).collect();
                Part::Facts { title, facts, card: block["style"] == "keep" }
            }
            "breakup" => Part::Table { title, rows: list(block, "lines").map(|line| self.row(line)).collect() },
            "text" => Part::Text { title, text: text("text") },
            "seal" => {
                let address = format!("{}{}", self.public, block["url"].as_str()?);
                Part::Code { title, text: text("text"), address }
            }
            _ => return None,
        })
    }

    fn fact(&self, item: &Value) -> Fact {
        let look = if item["kind"] == "plate" { Look::Plate } else { Look::Plain };
        Fact { label: words(&item["label"]), value: self.shown(&item["value"], false), look }
    }

    fn row(&self, line: &Value) -> Row {
        Row {
            label: words(&line["label"]),
            detail: words(&line["detail"]),
            value: self.shown(&line["value"], true),
            is_total: line["kind"] == "total",
        }
    }

    /// The browser's `ui/format.ts` says the same. `exact`: paise also where there are none.
    fn shown(&self, value: &Value, exact: bool) -> String {
        let rupees = |paise: &Value| {
            let shown = money::show(paise).unwrap_or_default().replace('-', "−");
            if exact { shown } else { shown.trim_end_matches(".00").to_owned() }
        };
        match value {
            Value::Null => "—".into(),
            Value::String(text) if text.is_empty() => "—".into(),
            Value::String(_) => words(value),
            Value::Number(number) => number.as_u64().map_or_else(|| number.to_string(), money::grouped),
            Value::Object(kind) => match kind.iter().next() {
                Some((name, paise)) if name == "paise" => rupees(paise),
                Some((name, day)) if name == "date" => self.date(day),
                Some((name, share)) if name == "percent" => format!("{share}%"),
                Some((_, text)) => words(text),
                None => String::new(),
            },
            Value::Bool(_) | Value::Array(_) => String::new(),
        }
    }

    fn date(&self, day: &Value) -> String {
        format_date(day, "d MMM yyyy", self.language).unwrap_or_else(|_| words(day))
    }
}

fn words(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn list<'b>(block: &'b Value, key: &str) -> impl Iterator<Item = &'b Value> {
    block[key].as_array().into_iter().flatten()
}
