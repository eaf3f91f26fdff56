//! Values of views as a person reads them: money, dates, percentages; the same words as the web theme's.

use chrono::{DateTime, FixedOffset, NaiveDate};
use serde_json::Value;

/// `"text"`, number, `{"paise"}`, `{"date"}`, `{"percent"}`, `{"text"}`.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Null => "—".into(),
        Value::Bool(true) => "Yes".into(),
        Value::Bool(false) => "No".into(),
        Value::Number(number) => number.as_i64().map_or_else(|| number.to_string(), grouped),
        Value::String(text) if text.is_empty() => "—".into(),
        Value::String(text) if text.len() == 10 => date(text),
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(shown).collect::<Vec<_>>().join(", "),
        Value::Object(map) => {
            if let Some(paise) = map.get("paise").and_then(Value::as_i64) {
                money(paise, false)
            } else if let Some(iso) = map.get("date").and_then(Value::as_str) {
                date(iso)
            } else if let Some(percent) = map.get("percent") {
                format!("{percent}%")
            } else {
                map.get("text").and_then(Value::as_str).unwrap_or_default().to_owned()
            }
        }
    }
}

/// Is this a figure, which lines up with others?
pub fn is_figure(value: &Value) -> bool {
    value.is_number() || value.as_object().is_some_and(|map| map.contains_key("paise") || map.contains_key("percent"))
}

/// Paise as rupees with Indian grouping; the paise when there are some or `exact` asks for them: `₹1,23,456`, `₹99.50`.
pub fn money(paise: i64, exact: bool) -> String {
    let sign = if paise < 0 { "−" } else { "" };
    let (rupees, rest) = (paise.unsigned_abs() / 100, paise.unsigned_abs() % 100);
    let whole = digits(rupees);
    if rest == 0 && !exact { format!("{sign}₹{whole}") } else { format!("{sign}₹{whole}.{rest:02}") }
}

/// Three digits, then pairs: 1,23,45,678.
pub fn grouped(number: i64) -> String {
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{}", digits(number.unsigned_abs()))
}

fn digits(number: u64) -> String {
    let digits = number.to_string();
    let (head, tail) = digits.split_at(digits.len().saturating_sub(3));
    if head.is_empty() {
        return tail.to_owned();
    }
    let mut out = String::with_capacity(digits.len() + 4);
    for (index, digit) in head.chars().enumerate() {
        if index > 0 && (head.len() - index).is_multiple_of(2) {
            out.push(',');
        }
        out.push(digit);
    }
    out + "," + tail
}

/// `2026-11-21` → `21 Nov 2026`; a moment → `21 Nov, 3:30 pm` in India; other text stays.
pub fn date(iso: &str) -> String {
    if iso.len() == 10 {
        return NaiveDate::parse_from_str(iso, "%Y-%m-%d")
            .map_or_else(|_| iso.to_owned(), |day| day.format("%-d %b %Y").to_string());
    }
    let india = FixedOffset::east_opt(5 * 3600 + 1800);
    match (DateTime::parse_from_rfc3339(iso), india) {
        (Ok(moment), Some(india)) => moment.with_timezone(&india).format("%-d %b, %-I:%M %P").to_string(),
        _ => iso.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values() {
        for (value, text) in [
            (json!({"paise": 12_345_600}), "₹1,23,456"),
            (json!({"paise": -9_950}), "−₹99.50"),
            (json!({"paise": 100_000}), "₹1,000"),
            (json!({"paise": 1_234_567_800}), "₹1,23,45,678"),
            (json!({"date": "2026-11-21T10:00:00.000Z"}), "21 Nov, 3:30 pm"),
            (json!("2026-11-21"), "21 Nov 2026"),
            (json!({"percent": 12.5}), "12.5%"),
            (json!(123_456), "1,23,456"),
            (json!([1, "two"]), "1, two"),
            (json!(null), "—"),
        ] {
            assert_eq!(shown(&value), text);
        }
        assert_eq!(money(100_000, true), "₹1,000.00");
    }
}
