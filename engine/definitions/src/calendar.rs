//! Opening hours: a zone, a week, holidays. One file, workflows/calendars.yaml, always live.

use crate::fields::MapReader;
use crate::source::Node;
use crate::values::dates::clock;
use crate::values::{ZONE, local_ms, parse_date, time_value};
use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveTime, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;
use engine_statechart::Problem;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Purposes of messages that may have hours: a one-time password or a receipt is never delayed.
pub const DELAYED: [&str; 2] = ["service", "marketing"];

#[derive(Clone, Debug, Default)]
pub struct Calendars {
    map: BTreeMap<String, Calendar>,
}

#[derive(Clone, Debug)]
pub struct Calendar {
    pub timezone: Tz,
    /// Purposes of messages that go out only while it is open.
    messages: Vec<String>,
    /// Opening times of each day, Monday first, from inclusive, to exclusive.
    week: [Vec<(NaiveTime, NaiveTime)>; 7],
    holidays: BTreeSet<NaiveDate>,
}

/// How far `next_open` looks.
const DAYS_MAX: u64 = 400;
const SLOT_MINUTES: std::ops::RangeInclusive<i64> = 5..=1_440;
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

impl Calendars {
    pub fn get(&self, name: &str) -> Option<&Calendar> {
        self.map.get(name)
    }

    /// The hours of a message's purpose; `None`: at any time.
    pub fn of_purpose(&self, purpose: &str) -> Option<(&str, &Calendar)> {
        self.map.iter().find(|(_, c)| c.messages.iter().any(|m| m == purpose)).map(|(name, c)| (name.as_str(), c))
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.map.keys().map(String::as_str)
    }

    /// `{name: {timezone, week: {mon-fri: "10:00-19:00", sat: ["10:00-13:00", …]}, holidays: [date]}}`
    pub fn compile(node: &Node, problems: &mut Vec<Problem>) -> Calendars {
        let mut map = BTreeMap::new();
        if !node.is_map() {
            problems.push(Problem::error("shape", &node.span, "the file is a map from calendar names to calendars"));
        }
        for (key, value) in node.map() {
            if let Some(calendar) = Calendar::compile(value, problems) {
                for purpose in &calendar.messages {
                    let at = value.get("messages").map_or(&value.span, |n| &n.span);
                    if !DELAYED.contains(&purpose.as_str()) {
                        problems.push(
                            Problem::error(
                                "value",
                                at,
                                format!("`{purpose}` is not a purpose of messages that may wait"),
                            )
                            .hint(DELAYED.join(", ")),
                        );
                    }
                    if let Some((other, _)) =
                        map.iter().find(|(_, c): &(&String, &Calendar)| c.messages.contains(purpose))
                    {
                        problems.push(Problem::error(
                            "duplicate-key",
                            at,
                            format!("`{other}` has the hours of `{purpose}` already"),
                        ));
                    }
                }
                map.insert(key.name.clone(), calendar);
            }
        }
        Calendars { map }
    }
}

impl Calendar {
    fn compile(node: &Node, problems: &mut Vec<Problem>) -> Option<Calendar> {
        let mut fields =
            MapReader::open(node, "a calendar", &["title", "timezone", "messages", "week", "holidays"], problems)?;
        let timezone = timezone(&mut fields)?;
        let messages = fields.texts("messages");
        let mut week: [Vec<(NaiveTime, NaiveTime)>; 7] = Default::default();
        for (key, value) in fields.entries("week") {
            let Some(days) = days(&key.name) else {
                fields.problems.push(
                    Problem::error("value", &key.span, format!("`{}` is not a day", key.name))
                        .hint("mon … sun, or mon-fri"),
                );
                continue;
            };
            for item in value.items() {
                match item.as_str().and_then(hours) {
                    Some(hours) => days.clone().for_each(|d| week[d].push(hours)),
                    None => fields.problems.push(Problem::error(
                        "value",
                        &item.span,
                        "opening hours look like `10:00-19:00`",
                    )),
                }
            }
        }
        week.iter_mut().for_each(|d| d.sort());
        let mut holidays = BTreeSet::new();
        for item in fields.list("holidays") {
            match item.as_str().and_then(parse_date) {
                Some(date) => {
                    holidays.insert(date);
                }
                None => {
                    fields.problems.push(Problem::error("value", &item.span, "a holiday is a date like 2026-01-26"))
                }
            }
        }
        if week.iter().all(Vec::is_empty) {
            fields.problems.push(Problem::error("value", &node.span, "the calendar is never open"));
            return None;
        }
        Some(Calendar { timezone, messages, week, holidays })
    }

    pub fn is_open(&self, ms: i64) -> bool {
        let local = at(ms).with_timezone(&self.timezone);
        self.hours(local.date_naive()).iter().any(|(from, to)| (*from..*to).contains(&local.time()))
    }

    /// The moment itself when open, else the next opening, both as milliseconds.
    pub fn next_open(&self, ms: i64) -> Result<i64, String> {
        if self.is_open(ms) {
            return Ok(ms);
        }
        let first = at(ms).with_timezone(&self.timezone).date_naive();
        for day in 0..DAYS_MAX {
            let Some(date) = first.checked_add_days(Days::new(day)) else { break };
            for (from, _) in self.hours(date) {
                let opening =
                    self.timezone.from_local_datetime(&date.and_time(*from)).earliest().map(|t| t.timestamp_millis());
                if let Some(opening) = opening.filter(|o| *o >= ms) {
                    return Ok(opening);
                }
            }
        }
        Err("the calendar does not open within a year".into())
    }

    /// Slots of a day that lie wholly within its opening times: `[{key, text, day}]`, where `key` is the moment at
    /// which a slot begins, `text` its time of day (R3-46, R9-62).
    pub fn slots(&self, day: NaiveDate, minutes: &Value, language: &str) -> Result<Vec<Value>, String> {
        let minutes = minutes.as_i64().filter(|m| SLOT_MINUTES.contains(m)).ok_or("a slot has 5 to 1440 minutes")?;
        let step = TimeDelta::minutes(minutes);
        let mut slots = Vec::new();
        for (from, to) in self.hours(day) {
            let end = day.and_time(*to);
            let mut begin = day.and_time(*from);
            while begin + step <= end {
                let key = time_value(local_ms(self.timezone, begin));
                slots.push(json!({"key": key, "text": clock(begin.time(), language), "day": day.to_string()}));
                begin += step;
            }
        }
        Ok(slots)
    }

    /// Opening times of a day; none on a holiday.
    pub fn hours(&self, date: NaiveDate) -> &[(NaiveTime, NaiveTime)] {
        if self.holidays.contains(&date) { &[] } else { &self.week[date.weekday().num_days_from_monday() as usize] }
    }
}

/// The zone of a `timezone` field; [`ZONE`] when absent.
pub fn timezone(fields: &mut MapReader<'_, '_>) -> Option<Tz> {
    let Some(node) = fields.get("timezone") else { return Some(ZONE) };
    let name = node.as_str().unwrap_or_default();
    let found = name.parse::<Tz>().ok();
    if found.is_none() {
        fields.problems.push(
            Problem::error("value", &node.span, format!("unknown time zone `{name}`")).hint("a name like Asia/Kolkata"),
        );
    }
    found
}

fn at(ms: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(ms).unwrap_or_default()
}

fn days(name: &str) -> Option<std::ops::RangeInclusive<usize>> {
    let index = |d: &str| DAYS.iter().position(|x| *x == d);
    match name.split_once('-') {
        Some((from, to)) => Some(index(from)?..=index(to)?).filter(|r| r.start() <= r.end()),
        None => index(name).map(|i| i..=i),
    }
}

fn hours(text: &str) -> Option<(NaiveTime, NaiveTime)> {
    let (from, to) = text.split_once('-')?;
    let parse = |t: &str| NaiveTime::parse_from_str(t.trim(), "%H:%M").ok();
    let to = if to.trim() == "24:00" { NaiveTime::from_hms_milli_opt(23, 59, 59, 999)? } else { parse(to)? };
    Some((parse(from)?, to)).filter(|(from, to)| from < to)
}
