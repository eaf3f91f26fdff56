//! Values of views as a person reads them: money, dates, percentages.

use serde_json::Value;

/// `"text"`, number, `{"paise"}`, `{"date"}`, `{"percent"}`, `{"text"}`; a list is joined by commas.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Null => "–".into(),
        Value::Bool(true) => "Yes".into(),
        Value::Bool(false) => "No".into(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(shown).collect::<Vec<_>>().join(", "),
        Value::Object(map) => {
            if let Some(paise) = map.get("paise").and_then(Value::as_i64) {
                money(paise)
            } else if let Some(iso) = map.get("date").and_then(Value::as_str) {
                date(iso)
            } else if let Some(percent) = map.get("percent") {
                format!("{}%", shown(percent))
            } else if let Some(text) = map.get("text") {
                shown(text)
            } else {
                String::new()
            }
        }
    }
}

/// Paise as rupees with Indian grouping; the paise only when there are some: `₹1,23,456`, `₹99.50`.
pub fn money(paise: i64) -> String {
    let sign = if paise < 0 { "-" } else { "" };
    let (rupees, rest) = (paise.unsigned_abs() / 100, paise.unsigned_abs() % 100);
    let whole = grouped(rupees);
    if rest == 0 { format!("{sign}₹{whole}") } else { format!("{sign}₹{whole}.{rest:02}") }
}

/// Three digits, then pairs: 1,23,45,678.
pub fn grouped(number: u64) -> String {
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

/// `2026-11-21…` → `21 Nov 2026`; other text stays.
pub fn date(iso: &str) -> String {
    chrono::NaiveDate::parse_from_str(iso.get(..10).unwrap_or(iso), "%Y-%m-%d").map_or_else(|_| iso.to_owned(), |day| day.format("%-d %b %Y").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values() {
        for (value, text) in [
            (json!({"paise": 12_345_600}), "₹1,23,456"),
            (json!({"paise": -9_950}), "-₹99.50"),
            (json!({"paise": 100_000}), "₹1,000"),
            (json!({"paise": 1_234_567_800}), "₹1,23,45,678"),
            (json!({"date": "2026-11-21T10:00:00Z"}), "21 Nov 2026"),
            (json!({"percent": 12.5}), "12.5%"),
            (json!([1, "two"]), "1, two"),
            (json!(null), "–"),
        ] {
            assert_eq!(shown(&value), text);
        }
    }
}
