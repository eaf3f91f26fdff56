//! The paper of a journey or of a page as a PDF, and the page behind the code on a journey's.

use crate::app::App;
use crate::pages::html::Content;
use crate::pages::site;
use crate::pages::{self, Ask};
use crate::problem::{Code, Problem};
use crate::visitor::session::Visitor;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engine_definitions::{SitePage, Special, format_date, money, plain_text};
use engine_paper::{Fact, Look, Paper, PaperPart, Row};
use engine_runtime::rfc3339;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

const PLACE: &str = "/v/";

/// File name and bytes.
pub async fn pdf(app: &App, visitor: &Visitor, journey: &str) -> Result<(String, Vec<u8>), Problem> {
    let found = app.runtime.journeys.paper(&visitor.actor, journey).await;
    let found = found.map_err(|refusal| visitor.refuse(app, refusal))?;
    let bytes = print(app, &visitor.actor.language, &found.title, &found.blocks).await?;
    Ok((format!("{}.pdf", found.title), bytes))
}

/// A page of the site, as it is shown to everybody.
pub async fn of_page(app: &App, language: &str, page: &SitePage) -> Result<Response, Problem> {
    let bytes = print(app, language, &page.title, &page.blocks).await?;
    let kind = HeaderValue::from_static("application/pdf");
    let mut response = ([(header::CONTENT_TYPE, kind)], bytes).into_response();
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("cookie"));
    Ok(response)
}

async fn print(app: &App, language: &str, title: &str, blocks: &[Value]) -> Result<Vec<u8>, Problem> {
    let catalog = app.runtime.catalog();
    let site = catalog.site(language);
    let words = Words { language, public: &app.settings.public_url(), said: &site.said };
    let made = Value::from(rfc3339(app.runtime.now_ms()));
    let paper = Paper {
        title: title.to_owned(),
        brand: site.name.clone(),
        made: words.date(&made),
        legal: site.legal.clone(),
        parts: blocks.iter().filter_map(|block| words.part(block)).collect(),
        language: language.to_owned(),
    };
    render(paper).await
}

/// Bytes of a paper as a PDF.
pub async fn render(paper: Paper) -> Result<Vec<u8>, Problem> {
    let written = tokio::task::spawn_blocking(move || engine_paper::pdf(&paper)).await;
    let written = written.map_err(|error| error.to_string()).and_then(|pdf| pdf.map_err(|error| error.to_string()));
    written.map_err(|error| {
        tracing::error!(error, "a paper could not be written");
        Problem::new(Code::Internal)
    })
}

/// What whoever holds the code may see; every other address below is a page that is not there.
pub async fn page(ask: &Ask<'_>) -> Option<Response> {
    let code = ask.facts.path.strip_prefix(PLACE)?;
    let shown = async {
        let record = ask.app.runtime.journeys.proof(code).await?;
        let about = |record| Map::from_iter([("record".to_owned(), record)]);
        let (language, now) = (&ask.facts.language, ask.app.runtime.now_ms());
        Ok(record.and_then(|record| site::special_about(ask.catalog, language, Special::Proof, about(record), now)))
    };
    let mut response = match shown.await {
        Ok(Some(proof)) => pages::page_with(ask, StatusCode::OK, &proof.title, &Content::Blocks(&proof.blocks)).await,
        Ok(None) => pages::special(ask, StatusCode::NOT_FOUND, Special::NotFound, None).await,
        Err(problem) => pages::problem_page(ask, &problem).await,
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
    /// What the web app says by itself, by name.
    said: &'w BTreeMap<String, String>,
}

impl Words<'_> {
    /// What of a view belongs on paper; what one presses does not.
    fn part(&self, block: &Value) -> Option<PaperPart> {
        let text = |key: &str| block[key].as_str().unwrap_or_default().to_owned();
        let title = text("title");
        let listed = |name: &str, text: &str| {
            list(block, "items").map(|item| (words(&item[name]), words(&item[text]))).collect()
        };
        Some(match block["block"].as_str()? {
            "facts" => {
                let facts = list(block, "items").map(|item| self.fact(item)).collect();
                PaperPart::Facts { title, facts, card: block["style"] == "keep" }
            }
            "breakup" => PaperPart::Table { title, rows: list(block, "lines").map(|line| self.row(line)).collect() },
            "text" | "prose" | "notice" => PaperPart::Text { title, text: plain_text(&block["text"]) },
            "coverage" => {
                PaperPart::Table { title, rows: list(block, "items").map(|item| self.cover(block, item)).collect() }
            }
            "table" => PaperPart::Table { title, rows: list(block, "rows").map(|cells| self.cells(cells)).collect() },
            "faq" => PaperPart::List { title, items: listed("question", "answer") },
            "steps" | "cards" => PaperPart::List { title, items: listed("title", "text") },
            "seal" => {
                let address = format!("{}{}", self.public, block["url"].as_str()?);
                PaperPart::Code { title, text: text("text"), address }
            }
            _ => return None,
        })
    }

    fn fact(&self, item: &Value) -> Fact {
        let look = if item["kind"] == "plate" { Look::Plate } else { Look::Plain };
        let (label, value) = (words(&item["label"]), self.format_value(&item["value"], false));
        Fact { label, value, hint: words(&item["hint"]), look }
    }

    fn row(&self, line: &Value) -> Row {
        Row {
            label: words(&line["label"]),
            detail: words(&line["detail"]),
            value: self.format_value(&line["value"], true),
            is_total: line["kind"] == "total",
        }
    }

    /// Whether something is covered; of several kinds, by which of them.
    fn cover(&self, block: &Value, item: &Value) -> Row {
        let columns: Vec<&Value> = list(block, "columns").collect();
        let cell = |value: &Value| match (value.as_bool(), columns.len()) {
            (Some(true), 1) => self.word("covered"),
            (Some(false), 1) => self.word("not_covered"),
            (Some(is_so), _) => self.word(if is_so { "yes" } else { "no" }),
            (None, _) => self.format_value(value, false),
        };
        let value = if let [_] = columns[..] {
            cell(&item["values"][0])
        } else {
            let each = columns.iter().zip(list(item, "values"));
            let each = each.map(|(column, value)| format!("{}: {}", words(&column["title"]), cell(value)));
            each.collect::<Vec<_>>().join(", ")
        };
        Row { label: words(&item["label"]), detail: String::new(), value, is_total: false }
    }

    fn cells(&self, cells: &Value) -> Row {
        let mut said = cells.as_array().into_iter().flatten().map(|cell| self.format_value(cell, true));
        let label = said.next().unwrap_or_default();
        let mut rest: Vec<String> = said.collect();
        let value = rest.pop().unwrap_or_default();
        Row { label, detail: rest.join(", "), value, is_total: false }
    }

    fn word(&self, name: &str) -> String {
        self.said.get(name).cloned().unwrap_or_default()
    }

    /// The browser's `ui/format.ts` says the same. `exact`: paise also where there are none.
    fn format_value(&self, value: &Value, exact: bool) -> String {
        let rupees = |paise: &Value| {
            let shown = money::show(paise).unwrap_or_default().replace('-', "−");
            if exact { shown } else { shown.trim_end_matches(".00").to_owned() }
        };
        match value {
            Value::Null => "—".into(),
            Value::String(text) if text.is_empty() => "—".into(),
            Value::String(_) => words(value),
            Value::Number(number) => number.as_u64().map_or_else(|| number.to_string(), money::group_digits),
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
