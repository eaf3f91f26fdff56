//! What product expressions can see and call: variables and pure functions over the workflow's
//! own tables and the live reference data. Time arrives as data in [`Now`].
//!
//! To add a function: a line in `FUNCTIONS`, its meaning in `call`, a case in tests/it/definitions/expressions.rs
//! and a line in workflows/FORMAT.md.

mod lists;
mod texts;

pub use texts::{mask, mask_personal};

use crate::calendar::Calendars;
use crate::master::Masters;
use crate::table::Tables;
use crate::values::{Now, amounts, dates, growth, money, type_error};
use crate::workflow::VIEWER;
use engine_statechart::{Dialect, Host, Limits, Vocabulary, Worked};
use serde_json::Value;
use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::sync::OnceLock;

/// Name and number of arguments of every function.
pub const FUNCTIONS: [(&str, RangeInclusive<usize>); 52] = [
    ("get", 3..=3),
    ("say", 1..=2),
    ("merge", 2..=2),
    ("without", 2..=2),
    ("sum", 1..=1),
    ("share", 2..=2),
    ("scale", 3..=3),
    ("days", 2..=2),
    ("age", 2..=2),
    ("add_seconds", 2..=2),
    ("add_minutes", 2..=2),
    ("add_days", 2..=2),
    ("add_years", 2..=2),
    ("next_open", 2..=2),
    ("open", 2..=2),
    ("ms_until", 1..=1),
    ("at_time", 2..=2),
    ("slots", 3..=3),
    ("mask", 2..=2),
    ("name_parts", 2..=2),
    ("table", 2..=2),
    ("rows", 1..=1),
    ("lookup", 2..=2),
    ("upper", 1..=1),
    ("lower", 1..=1),
    ("trim", 1..=1),
    ("replace", 3..=3),
    ("digits", 1..=1),
    ("title", 1..=1),
    ("join", 2..=2),
    ("split", 2..=2),
    ("keys", 1..=1),
    ("values", 1..=1),
    ("sort_by", 2..=2),
    ("group_by", 2..=2),
    ("min_of", 1..=1),
    ("max_of", 1..=1),
    ("format_date", 2..=2),
    ("money", 1..=1),
    ("brief", 1..=1),
    ("spelled", 1..=1),
    ("hash", 1..=1),
    ("uuid", 1..=1),
    ("range", 1..=1),
    ("concat", 1..=1),
    ("first", 1..=1),
    ("abs", 1..=1),
    ("compound", 4..=4),
    ("discounted", 4..=4),
    ("deposits", 5..=5),
    ("present_value", 4..=4),
    ("yield_of", 1..=1),
];

/// The functions a sandbox script, an operation or a webhook has on top; the caller gives them a meaning.
pub const CALL_FUNCTIONS: [(&str, RangeInclusive<usize>); 7] = [
    ("recall", 2..=2),
    ("recall_all", 1..=1),
    ("new_id", 1..=1),
    ("hmac_sha256_hex", 2..=2),
    ("unix", 1..=1),
    ("time_of", 1..=1),
    ("file", 1..=1),
];

/// Variables of a workflow's expressions beside `context` and `event`.
pub const VARIABLES: [&str; 5] = ["now", "today", "journey", "params", "company"];

/// The vocabulary of expressions outside a machine: `variables` and the functions, nothing else.
pub fn vocabulary(variables: &[&str], with_call_functions: bool) -> Vocabulary {
    let mut functions: std::collections::BTreeMap<_, _> =
        FUNCTIONS.iter().map(|(n, a)| ((*n).to_owned(), a.clone())).collect();
    if with_call_functions {
        functions.extend(CALL_FUNCTIONS.iter().map(|(n, a)| ((*n).to_owned(), a.clone())));
    }
    Vocabulary {
        variables: variables.iter().map(|v| (*v).to_owned()).collect(),
        functions,
        limits: limits(),
        dialect: Dialect::Rich,
        naming: crate::references::naming().collect(),
        ..Vocabulary::default()
    }
}

/// An expression that is longer than a line is hard to read; one of three lines nobody reads.
pub fn limits() -> Limits {
    Limits {
        expression_chars_long: 160,
        expression_chars_max: EXPRESSION_CHARS_MAX,
        states_max: STATES_MAX,
        ..Limits::default()
    }
}

const EXPRESSION_CHARS_MAX: usize = 300;
/// States of one workflow, with those of its parts.
const STATES_MAX: usize = 500;

/// The vocabulary of views, forms and steps, made once.
pub fn shared_vocabulary() -> &'static Vocabulary {
    static SHARED: OnceLock<Vocabulary> = OnceLock::new();
    SHARED.get_or_init(|| vocabulary(&VARIABLES, false))
}

/// The vocabulary of forms and of a step's views: several flows share them, and each brings its own values.
pub fn late_vocabulary() -> &'static Vocabulary {
    static LATE: OnceLock<Vocabulary> = OnceLock::new();
    LATE.get_or_init(|| Vocabulary { late_values: true, ..vocabulary(&VARIABLES, false) })
}

/// The vocabulary of operations, webhooks and sandbox scripts, made once.
pub fn call_vocabulary() -> &'static Vocabulary {
    static SHARED: OnceLock<Vocabulary> = OnceLock::new();
    SHARED.get_or_init(|| vocabulary(&["now", "today"], true))
}

/// Who knows a journey, or who looks at it, and says it once it is asked for.
pub trait OnDemand: Sync {
    fn variable(&self) -> &Value;
}

impl OnDemand for Value {
    fn variable(&self) -> &Value {
        self
    }
}

/// Values and functions for one evaluation. Everything is borrowed; making one costs nothing.
#[derive(Clone, Copy)]
pub struct ProductHost<'a> {
    pub now: &'a Now,
    /// `journey {id, workflow, version, channel, language, verified, attribution, assisted_by, skips_otp, visit}`; null outside
    /// journeys.
    pub journey: Option<&'a dyn OnDemand>,
    /// `viewer {role, roles, channel, partner, assists, name, mobile}`; only where a step is shown.
    pub viewer: Option<&'a dyn OnDemand>,
    pub params: Option<&'a Value>,
    /// Who we are, as the site says it; an empty map where there is no site.
    pub company: Option<&'a Value>,
    pub tables: &'a Tables,
    pub masters: &'a Masters,
    pub calendars: &'a Calendars,
    /// Language of names of days and months.
    pub language: &'a str,
    /// Asked for names that this host does not know: `recall`, `new_id`, `hmac_sha256_hex`.
    pub extra: Option<&'a dyn Host>,
}

impl Host for ProductHost<'_> {
    fn variable(&self, name: &str) -> Option<Cow<'_, Value>> {
        match name {
            "now" => Some(Cow::Borrowed(&self.now.now)),
            "today" => Some(Cow::Borrowed(&self.now.today)),
            "journey" => self.journey.map(|of| Cow::Borrowed(of.variable())),
            VIEWER => self.viewer.map(|of| Cow::Borrowed(of.variable())),
            "params" => self.params.map(Cow::Borrowed),
            "company" => {
                let said = self.company.filter(|company| company.is_object());
                Some(said.map_or_else(|| Cow::Owned(Value::Object(Default::default())), Cow::Borrowed))
            }
            _ => self.extra.and_then(|e| e.variable(name)),
        }
    }

    fn call(&self, name: &str, args: &mut [Value]) -> Result<Value, String> {
        use {dates as d, lists as l, texts as t};
        let tz = self.now.timezone;
        match (name, args) {
            ("get", [map, key, default]) => l::get(map, key, default),
            ("say", [words]) => Ok(words.take()),
            ("say", [words, places]) => t::say(text(words)?, places, self.language),
            ("merge", [a, b]) => l::merge(a, b),
            ("without", [map, keys]) => l::without(map, keys),
            ("sum", [list]) => money::sum(list),
            ("share", [amount, rate]) => money::share(amount, rate),
            ("scale", [a, n, d]) => money::scale(a, n, d),
            ("compound", [amount, rate, per_year, times]) => growth::compound(amount, rate, per_year, times),
            ("discounted", [amount, rate, per_year, times]) => growth::discount(amount, rate, per_year, times),
            ("deposits", [payments, rate, per_year, compounded, times]) => {
                growth::deposits(payments, rate, per_year, compounded, times)
            }
            ("present_value", [amount, growth, discount, times]) => {
                growth::present_value(amount, growth, discount, times)
            }
            ("yield_of", [flows]) => growth::yield_of(flows),
            ("abs", [a]) => {
                a.as_i64().and_then(i64::checked_abs).map(Value::from).ok_or_else(|| type_error("an integer", a))
            }
            ("days", [from, to]) => d::days(from, to, tz),
            ("age", [date, on]) => d::age(date, on, tz),
            ("add_seconds", [time, n]) => d::add_ms(time, n, 1000, tz),
            ("add_minutes", [time, n]) => d::add_ms(time, n, 60_000, tz),
            ("add_days", [date, n]) => d::add_days(date, n),
            ("add_years", [date, n]) => d::add_years(date, n),
            ("next_open", [time, calendar]) => {
                self.calendar(calendar)?.next_open(d::time(time, tz)?).map(d::time_value)
            }
            ("open", [time, calendar]) => Ok(Value::Bool(self.calendar(calendar)?.is_open(d::time(time, tz)?))),
            ("ms_until", [time]) => Ok(Value::from(d::time(time, tz)?.saturating_sub(self.now.ms))),
            ("at_time", [date, clock]) => d::at_time(date, text(clock)?, tz),
            ("slots", [day, calendar, minutes]) => {
                self.calendar(calendar)?.slots(d::date(day, tz)?, minutes, self.language).map(Value::Array)
            }
            ("format_date", [date, pattern]) => d::format_date(date, text(pattern)?, tz, self.language),
            ("mask", [value, kind]) => t::mask(text(value)?, text(kind)?).map(Value::String),
            ("name_parts", [name, together]) => t::name_parts(text(name)?, together),
            ("upper", [a]) => Ok(Value::String(text(a)?.to_uppercase())),
            ("lower", [a]) => Ok(Value::String(text(a)?.to_lowercase())),
            ("trim", [a]) => Ok(Value::String(text(a)?.trim().to_owned())),
            ("replace", [a, from, to]) => t::replace(text(a)?, text(from)?, text(to)?),
            ("digits", [a]) => Ok(Value::String(text(a)?.chars().filter(char::is_ascii_digit).collect())),
            ("title", [a]) => Ok(Value::String(t::title(text(a)?))),
            ("join", [list, separator]) => t::join(list, text(separator)?),
            ("split", [a, separator]) => t::split(text(a)?, text(separator)?),
            ("uuid", [a]) => Ok(Value::String(t::uuid(&crate::text::plain(a)))),
            ("hash", [a]) => Ok(Value::from(t::hash(&crate::text::plain(a)))),
            ("money", [paise]) => money::show(paise).map(Value::String),
            ("brief", [paise]) => money::int(paise).map(|paise| Value::String(amounts::brief(paise, self.language))),
            ("spelled", [paise]) => {
                money::int(paise).map(|paise| Value::String(amounts::spell_out(paise, self.language)))
            }
            ("keys", [map]) => l::keys(map),
            ("values", [map]) => l::values(map),
            ("sort_by", [list, key]) => l::sort_by(list, text(key)?),
            ("group_by", [list, key]) => l::group_by(list, text(key)?),
            ("min_of", [list]) => l::extreme(list, std::cmp::Ordering::Less),
            ("max_of", [list]) => l::extreme(list, std::cmp::Ordering::Greater),
            ("first", [list]) => l::first(list),
            ("concat", [lists]) => l::concat(lists),
            ("range", [n]) => l::range(n),
            ("rows", [table]) if !self.is_master(table) => Ok(self.tables.need(text(table)?)?.rows(&self.now.today)),
            ("lookup", [master, key]) if self.is_master(master) => {
                self.masters.lookup(text(master)?, &crate::text::plain(key))
            }
            (_, args) => match (self.lend(name, args), self.extra) {
                (Some(lent), _) => lent.cloned(),
                (None, Some(extra)) => extra.call(name, args),
                (None, None) => Err(format!("unknown function `{name}`")),
            },
        }
    }

    fn lend(&self, name: &str, args: &[Value]) -> Option<Result<&Value, String>> {
        let table = |name: &Value| text(name).and_then(|name| self.tables.need(name));
        match (name, args) {
            ("table", [name, inputs]) => Some(table(name).and_then(|table| table.first(inputs, &self.now.today))),
            ("rows", [name]) if self.is_master(name) => Some(Ok(self.masters.get(name.as_str()?)?.rows())),
            ("rows", [name]) => match table(name) {
                Ok(table) => table.all().map(Ok),
                Err(error) => Some(Err(error)),
            },
            ("lookup", [name, _]) if self.is_master(name) => None,
            ("lookup", [name, key]) => Some(table(name).and_then(|table| table.find(key, &self.now.today))),
            _ => None,
        }
    }

    fn lend_some(&self, name: &str, of: &str, column: &str, text: &str) -> Option<Vec<&Value>> {
        match (name, self.tables.get(of)) {
            ("rows", Some(table)) => table.rows_with(column, text),
            ("rows", None) => self.masters.get(of)?.rows_with(column, text),
            _ => None,
        }
    }

    fn explains(&self) -> bool {
        self.extra.is_some_and(Host::explains)
    }

    fn explain(&self, worked: Worked<'_>) {
        if let Some(extra) = self.extra {
            extra.explain(worked);
        }
    }
}

impl<'a> ProductHost<'a> {
    /// Creates a host outside of journeys, in English.
    pub fn plain(now: &'a Now, tables: &'a Tables, masters: &'a Masters, calendars: &'a Calendars) -> ProductHost<'a> {
        let language = crate::text::ENGLISH;
        ProductHost {
            now,
            journey: None,
            viewer: None,
            params: None,
            company: None,
            tables,
            masters,
            calendars,
            language,
            extra: None,
        }
    }

    /// Whether a name is that of reference data; a table goes before it.
    fn is_master(&self, name: &Value) -> bool {
        let named = name.as_str();
        named.is_some_and(|name| self.tables.get(name).is_none() && self.masters.get(name).is_some())
    }

    fn calendar(&self, name: &Value) -> Result<&'a crate::calendar::Calendar, String> {
        let name = text(name)?;
        self.calendars.get(name).ok_or_else(|| format!("unknown calendar `{name}`"))
    }
}

fn text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| type_error("a text", value))
}
