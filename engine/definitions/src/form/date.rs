//! `x-date: {min, max}`: `today`, a date, or a distance from today: `-99y`, `+90d`, `+3m`.

use crate::values::parse_date;
use chrono::{Days, Months, NaiveDate};
use serde_json::Value;

/// A day of the calendar as `2026-11-21`, in exactly these ten characters.
pub fn is_day(text: &str) -> bool {
    let shape = text.bytes().enumerate().all(|(i, b)| if i == 4 || i == 7 { b == b'-' } else { b.is_ascii_digit() });
    shape && parse_date(text).is_some()
}

/// A bound as a date; `None` when the text is none.
pub fn bound(text: &str, today: &str) -> Option<String> {
    if let Some(date) = parse_date(text) {
        return Some(date.to_string());
    }
    let today = parse_date(today)?;
    if text == "today" {
        return Some(today.to_string());
    }
    let (is_past, rest) = match (text.strip_prefix('-'), text.strip_prefix('+')) {
        (Some(rest), _) => (true, rest),
        (_, Some(rest)) => (false, rest),
        _ => return None,
    };
    let unit = rest.chars().last()?;
    let n: u32 = rest[..rest.len() - unit.len_utf8()].parse().ok()?;
    let date = match unit {
        'd' => days(today, n, is_past),
        'w' => days(today, n.checked_mul(7)?, is_past),
        'm' => months(today, n, is_past),
        'y' => months(today, n.checked_mul(12)?, is_past),
        _ => None,
    };
    date.map(|d| d.to_string())
}

fn days(from: NaiveDate, n: u32, is_past: bool) -> Option<NaiveDate> {
    let n = Days::new(u64::from(n));
    if is_past { from.checked_sub_days(n) } else { from.checked_add_days(n) }
}

fn months(from: NaiveDate, n: u32, is_past: bool) -> Option<NaiveDate> {
    let n = Months::new(n);
    if is_past { from.checked_sub_months(n) } else { from.checked_add_months(n) }
}

/// `21 Nov 2026`
pub fn words(date: &str, language: &str) -> String {
    let shown = |day: NaiveDate| day.format_localized("%-d %b %Y", crate::values::locale(language)).to_string();
    parse_date(date).map_or_else(|| date.to_owned(), shown)
}

/// The first and the last day that is taken, where they are known.
#[derive(Default)]
pub struct Bounds {
    min: Option<String>,
    max: Option<String>,
}

impl Bounds {
    /// Reads the bounds of an `x-date` with days in it.
    pub fn read(rule: &Value) -> Bounds {
        let bound = |key: &str| rule.get(key).and_then(Value::as_str).filter(|bound| is_day(bound)).map(str::to_owned);
        Bounds { min: bound("min"), max: bound("max") }
    }

    /// The bound that a day breaks: `x-date.min` or `x-date.max`. Days compare as texts; what is no day is left to
    /// `format`.
    pub fn broken_bound(&self, day: &str) -> Option<&'static str> {
        if (self.min.is_none() && self.max.is_none()) || !is_day(day) {
            return None;
        }
        if self.min.as_deref().is_some_and(|min| day < min) {
            return Some("x-date.min");
        }
        self.max.as_deref().is_some_and(|max| day > max).then_some("x-date.max")
    }
}

#[cfg(test)]
mod tests {
    use super::bound;

    #[test]
    fn reads_bounds() {
        for (text, expected) in [
            ("today", Some("2024-02-29")),
            ("-18y", Some("2006-02-28")),
            ("+90d", Some("2024-05-29")),
            ("+1m", Some("2024-03-29")),
            ("-1w", Some("2024-02-22")),
            ("2020-01-01", Some("2020-01-01")),
            ("18y", None),
            ("-y", None),
            ("", None),
        ] {
            assert_eq!(bound(text, "2024-02-29").as_deref(), expected, "{text}");
        }
    }
}
