//! What an expression names: tables, reference data, calendars, the columns of rows, and the letters of a date. Names of
//! tables are literal texts, so that a version can pin its tables; one of a calendar, or a pattern, that is worked out is
//! not known before.

use crate::calendar::Calendars;
use crate::fields::unknown;
use crate::master::Masters;
use crate::master::ROWS_MAX;
use crate::source::{Node, Value};
use crate::table::Tables;
use crate::values::format_date;
use engine_statechart::expression::rows::{ColumnRead, RowFunctions};
use engine_statechart::expression::{Expression, NamingCall};
use engine_statechart::source::Span;
use engine_statechart::{Problem, did_you_mean};

/// Functions that give a row, or all rows, of the table or reference data that their first argument names.
pub const ROWS: RowFunctions<'static> = RowFunctions { one: &["table", "lookup"], all: &["rows"] };
/// Functions whose second argument is the name of a calendar.
pub(crate) const OF_CALENDARS: [&str; 3] = ["next_open", "open", "slots"];

/// The function whose second argument is the pattern of a date.
const OF_DATES: &str = "format_date";

/// Functions that name something, with the position of the name among their arguments.
pub fn naming() -> impl Iterator<Item = (String, usize)> {
    let of_rows = ROWS.one.iter().chain(ROWS.all).map(|function| ((*function).to_owned(), 0));
    of_rows.chain(OF_CALENDARS.iter().chain([&OF_DATES]).map(|function| ((*function).to_owned(), 1)))
}

/// Names of tables and reference data.
pub fn tables(expression: &Expression) -> impl Iterator<Item = &str> {
    expression.things().filter(|call| is_of_tables(call.function)).filter_map(|call| call.name)
}

pub fn is_of_tables(function: &str) -> bool {
    ROWS.one.contains(&function) || ROWS.all.contains(&function)
}

/// A day on which every row holds that does so from some day on.
const LATE: &str = "9999-12-31";

fn no_row(name: &str, key: &str, span: &Span) -> Problem {
    Problem::error("row", span, format!("`{name}` has no row for `{key}`"))
}

/// What names are looked up in.
#[derive(Clone, Copy)]
pub struct References<'a> {
    pub tables: &'a Tables,
    pub masters: &'a Masters,
    pub calendars: &'a Calendars,
}

impl References<'_> {
    /// Problems of an expression that stands alone.
    pub fn check(self, expression: &Expression, problems: &mut Vec<Problem>) {
        expression.things().for_each(|call| self.check_name(call, problems));
        self.check_columns(&expression.columns(ROWS, None, &[]), problems);
    }

    /// Problems for columns that are not there. What is said already is not said again.
    pub fn check_columns(self, reads: &[ColumnRead], problems: &mut Vec<Problem>) {
        for ColumnRead { table, column, span } in reads {
            let known: Vec<&str> = match (self.tables.get(table), self.masters.get(table)) {
                (Some(found), _) => found.columns().collect(),
                (None, Some(master)) => master.header(),
                (None, None) => continue,
            };
            if known.contains(&column.as_str()) {
                continue;
            }
            let message = format!("`{table}` has no column `{column}`");
            let hint = did_you_mean(column, known.iter().copied()).unwrap_or_else(|| known.join(", "));
            let problem = Problem::error("column", span, message).hint(hint);
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
    }

    /// Problems for names that do not exist.
    pub fn check_name(self, call: NamingCall<'_>, problems: &mut Vec<Problem>) {
        let NamingCall { span, function, name, key } = call;
        let at = Node::new(span.clone(), Value::Null);
        let Some(name) = name else {
            if is_of_tables(function) {
                let message = format!("`{function}` takes the name of a table as a literal text");
                problems.push(Problem::error("table-name", span, message));
            }
            return;
        };
        let tables = self.tables;
        match (function, tables.get(name)) {
            (OF_DATES, _) => {
                if let Err(why) = format_date(&LATE.into(), name, "en") {
                    let hint = "d dd M MM MMM MMMM yy yyyy EEE EEEE H HH h hh mm a; other words in single quotes";
                    problems.push(Problem::error("pattern", span, why).hint(hint));
                }
            }
            _ if !is_of_tables(function) => {
                if self.calendars.get(name).is_none() {
                    problems.push(unknown("calendar", &at, name, self.calendars.names()));
                }
            }
            (_, None) if tables.is_broken(name) => {}
            ("lookup", None) if self.masters.get(name).is_none() => {
                let known = self.masters.names().chain(tables.ids());
                problems.push(unknown("table or reference data", &at, name, known));
            }
            // Rows of reference data come and go with their files.
            ("lookup", None) => {}
            ("rows", None) if self.masters.get(name).is_some() => {
                if self.masters.get(name).is_some_and(|master| master.len() > ROWS_MAX) {
                    let message = format!("`{name}` has more than {ROWS_MAX} rows");
                    let hint = "lookup('name', key), or a table of the keys that are wanted";
                    problems.push(Problem::error("table-name", span, message).hint(hint));
                }
            }
            ("lookup", Some(table)) if table.only_match().is_none() => {
                let message = format!("`lookup` finds by one column; table `{name}` has several");
                let hint = "table('name', {'column': value, …})";
                problems.push(Problem::error("table-name", span, message).hint(hint));
            }
            ("lookup", Some(table)) => {
                let is_there = |key: &str| table.find(&key.into(), &LATE.into()).is_ok_and(|row| !row.is_null());
                if let Some(key) = key.filter(|key| !is_there(key)) {
                    problems.push(no_row(name, key, span));
                }
            }
            (_, Some(_)) => {}
            (_, None) => problems.push(unknown("table", &at, name, tables.ids())),
        }
    }
}
