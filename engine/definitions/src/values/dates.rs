//! Dates are ISO texts (`2026-11-21`), moments RFC 3339 UTC of fixed width
//! (`2026-11-21T10:00:00.000Z`), so that they compare as texts.

use super::type_error;
use chrono::{
    DateTime, Datelike, Days, Locale, Months, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat, TimeZone, Timelike,
    Utc,
};
use chrono_tz::Tz;
use serde_json::Value;

/// One moment as data: `now` and, in the workflow's zone, `today`.
/// The zone of what names none: where the product is sold.
pub const ZONE: Tz = Tz::Asia__Kolkata;

#[derive(Clone, Debug, PartialEq)]
pub struct Now {
    pub ms: i64,
    pub now: Value,
    pub today: Value,
    pub timezone: Tz,
}

impl Now {
    /// `ms` since 1970, UTC.
    pub fn at(ms: i64, timezone: Tz) -> Now {
        let utc = moment(ms);
        let today = utc.with_timezone(&timezone).date_naive();
        Now { ms, now: Value::String(show_time(ms)), today: Value::String(today.to_string()), timezone }
    }

    /// `ms` since 1970, of a day in UTC.
    pub fn utc(ms: i64) -> Now {
        Now::at(ms, Tz::UTC)
    }

    pub fn today(&self) -> &str {
        self.today.as_str().unwrap_or_default()
    }

    pub fn now(&self) -> &str {
        self.now.as_str().unwrap_or_default()
    }
}

/// Names of days and months as India writes them in a language.
pub fn locale(language: &str) -> Locale {
    Locale::try_from(format!("{language}_IN").as_str()).unwrap_or(Locale::en_IN)
}

fn moment(ms: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(ms).unwrap_or_default()
}

/// Writes a moment as RFC 3339, UTC, with milliseconds.
pub fn show_time(ms: i64) -> String {
    moment(ms).to_rfc3339_opts(SecondsFormat::Millis, true)
}

pub fn time_value(ms: i64) -> Value {
    Value::String(show_time(ms))
}

/// A date, of four-digit years.
pub fn parse_date(text: &str) -> Option<NaiveDate> {
    if text.len() != 10 {
        return None;
    }
    NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()
}

/// Milliseconds of an RFC 3339 moment.
pub fn parse_time(text: &str) -> Option<i64> {
    DateTime::parse_from_rfc3339(text).ok().map(|t| t.timestamp_millis())
}

/// A moment, or the start of a day in the zone, as milliseconds.
pub fn time(value: &Value, tz: Tz) -> Result<i64, String> {
    let text = value.as_str().ok_or_else(|| type_error("a date or time", value))?;
    if let Some(ms) = parse_time(text) {
        return Ok(ms);
    }
    let date = parse_date(text).ok_or("the text is not a date or time")?;
    let midnight = date.and_hms_opt(0, 0, 0).ok_or("the date is out of range")?;
    Ok(local_ms(tz, midnight))
}

pub fn date(value: &Value, tz: Tz) -> Result<NaiveDate, String> {
    let text = value.as_str().ok_or_else(|| type_error("a date", value))?;
    parse_date(text)
        .or_else(|| parse_time(text).map(|ms| moment(ms).with_timezone(&tz).date_naive()))
        .ok_or_else(|| "the text is not a date".into())
}

/// Counts whole days from one date to another; negative when `to` is earlier.
pub fn days(from: &Value, to: &Value, tz: Tz) -> Result<Value, String> {
    Ok(Value::from((date(to, tz)? - date(from, tz)?).num_days()))
}

/// Counts completed years on a day.
pub fn age(born: &Value, on: &Value, tz: Tz) -> Result<Value, String> {
    let (born, on) = (date(born, tz)?, date(on, tz)?);
    let before_birthday = (on.month(), on.day()) < (born.month(), born.day());
    Ok(Value::from(i64::from(on.year()) - i64::from(born.year()) - i64::from(before_birthday)))
}

/// Adds `n` times `unit` milliseconds to a moment, or takes them away when negative.
pub fn add_ms(value: &Value, n: &Value, unit: i64, tz: Tz) -> Result<Value, String> {
    let n = n.as_i64().ok_or_else(|| type_error("an integer", n))?;
    let ms =
        n.checked_mul(unit).and_then(|ms| time(value, tz).ok()?.checked_add(ms)).ok_or("the time is out of range")?;
    DateTime::from_timestamp_millis(ms)
        .filter(|t| (0..10_000).contains(&t.year()))
        .ok_or("the time is out of range")?;
    Ok(time_value(ms))
}

/// The moment at a time of day (`18:00`) of a date in the zone.
pub fn at_time(day: &Value, clock: &str, tz: Tz) -> Result<Value, String> {
    let clock = NaiveTime::parse_from_str(clock, "%H:%M").map_err(|_| "the time of day looks like 18:00")?;
    Ok(time_value(local_ms(tz, date(day, tz)?.and_time(clock))))
}

/// Milliseconds of a local time; one that a change of clocks leaves out is read as UTC.
pub fn local_ms(tz: Tz, local: NaiveDateTime) -> i64 {
    let found = tz.from_local_datetime(&local);
    found
        .earliest()
        .or_else(|| found.latest())
        .map_or_else(|| local.and_utc().timestamp_millis(), |t| t.timestamp_millis())
}

/// Adds days, or takes them away when negative; a moment keeps its time of day.
pub fn add_days(value: &Value, n: &Value) -> Result<Value, String> {
    let n = n.as_i64().ok_or_else(|| type_error("an integer", n))?;
    shift(value, |d| {
        if n < 0 {
            d.checked_sub_days(Days::new(n.unsigned_abs()))
        } else {
            d.checked_add_days(Days::new(n.unsigned_abs()))
        }
    })
}

/// Adds years, or takes them away when negative; 29 February becomes the 28th.
pub fn add_years(value: &Value, n: &Value) -> Result<Value, String> {
    let n = n.as_i64().ok_or_else(|| type_error("an integer", n))?;
    let months = u32::try_from(n.unsigned_abs().saturating_mul(12)).map_err(|_| "the date is out of range")?;
    shift(value, |d| {
        if n < 0 { d.checked_sub_months(Months::new(months)) } else { d.checked_add_months(Months::new(months)) }
    })
}

fn shift(value: &Value, by: impl Fn(NaiveDate) -> Option<NaiveDate>) -> Result<Value, String> {
    let text = value.as_str().ok_or_else(|| type_error("a date", value))?;
    let far = || "the date is out of range".to_owned();
    let fits = |d: &NaiveDate| (0..10_000).contains(&d.year());
    if let Some(day) = parse_date(text) {
        return by(day).filter(fits).map(|d| Value::String(d.to_string())).ok_or_else(far);
    }
    let ms = parse_time(text).ok_or("the text is not a date")?;
    let utc = moment(ms);
    let day = by(utc.date_naive()).filter(fits).ok_or_else(far)?;
    Ok(time_value(day.and_time(utc.time()).and_utc().timestamp_millis()))
}

/// A time of day as people say it in a language: 4:30 pm, शाम 4:30 बजे. The browser says the same (`clock` of its words).
pub fn clock(time: NaiveTime, language: &str) -> String {
    const PARTS: [&str; 6] = ["रात", "सुबह", "सुबह", "दोपहर", "शाम", "रात"];
    let (is_afternoon, twelve) = time.hour12();
    let time_of_it = format!("{twelve}:{:02}", time.minute());
    match language {
        "hi" => format!("{} {time_of_it} बजे", PARTS[time.hour() as usize / 4]),
        _ => format!("{time_of_it} {}", if is_afternoon { "pm" } else { "am" }),
    }
}

/// Pattern letters: d dd M MM MMM MMMM yy yyyy EEE EEEE H HH h hh mm a; `'text'` is literal. `h:mm a` is written as the
/// language has it.
pub fn format_date(value: &Value, pattern: &str, tz: Tz, language: &str) -> Result<Value, String> {
    let text = value.as_str().ok_or_else(|| type_error("a date", value))?;
    let local = match parse_date(text) {
        Some(day) => day.and_hms_opt(0, 0, 0),
        None => parse_time(text).map(|ms| moment(ms).with_timezone(&tz).naive_local()),
    }
    .ok_or("the text is not a date")?;
    let locale = locale(language);
    let word = |pattern: &str| local.and_utc().format_localized(pattern, locale).to_string();
    let mut out = String::new();
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("h:mm a") {
            out.push_str(&clock(local.time(), language));
            rest = after;
            continue;
        }
        let length = rest.chars().take_while(|x| *x == c).count();
        let hour = local.hour();
        let twelve = if hour % 12 == 0 { 12 } else { hour % 12 };
        match (c, length) {
            ('\'', _) => {
                let end = rest[1..].find('\'').ok_or("the pattern's quote is not closed")?;
                out.push_str(&rest[1..1 + end]);
                rest = &rest[end + 2..];
                continue;
            }
            ('d', 1) => out.push_str(&local.day().to_string()),
            ('d', 2) => out.push_str(&format!("{:02}", local.day())),
            ('M', 1) => out.push_str(&local.month().to_string()),
            ('M', 2) => out.push_str(&format!("{:02}", local.month())),
            ('M', 3) => out.push_str(&word("%b")),
            ('M', 4) => out.push_str(&word("%B")),
            ('y', 2) => out.push_str(&format!("{:02}", local.year().rem_euclid(100))),
            ('y', 4) => out.push_str(&format!("{:04}", local.year())),
            ('E', 3) => out.push_str(&word("%a")),
            ('E', 4) => out.push_str(&word("%A")),
            ('H', 1) => out.push_str(&hour.to_string()),
            ('H', 2) => out.push_str(&format!("{hour:02}")),
            ('h', 1) => out.push_str(&twelve.to_string()),
            ('h', 2) => out.push_str(&format!("{twelve:02}")),
            ('m', 2) => out.push_str(&format!("{:02}", local.minute())),
            ('a', 1) => out.push_str(if hour < 12 { "am" } else { "pm" }),
            (c, _) if c.is_ascii_alphabetic() => {
                return Err(format!("unknown letters `{}` in the date pattern", c.to_string().repeat(length)));
            }
            (c, n) => (0..n).for_each(|_| out.push(c)),
        }
        rest = &rest[c.len_utf8() * length..];
    }
    Ok(Value::String(out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_as_the_browser_says_them() {
        let cases: Value = serde_json::from_str(include_str!("../../../../tests/forms/clock.json")).expect("JSON");
        for case in cases.as_array().expect("a list") {
            for language in ["en", "hi"] {
                let said = format_date(&case["at"], "h:mm a", ZONE, language);
                assert_eq!(said.as_ref(), Ok(&case[language]), "{case}");
            }
        }
    }
}
