//! What a round came to, as a table.

use super::processes::Product;
use super::resumed::Watch;
use super::{Database, Options};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Default)]
pub struct Report {
    /// What was done, and to which database.
    pub round: String,
    pub seed: u64,
    pub kills: u32,
    pub faults: Vec<String>,
    /// Name and value of each figure, in order.
    pub figures: Vec<(&'static str, String)>,
    pub violations: Vec<String>,
    pub taken: Duration,
    /// Log files of the processes, kept after a violation.
    pub logs: Option<PathBuf>,
}

impl Report {
    pub fn new(what: &str, options: &Options) -> Report {
        let database = match options.database {
            Database::Sqlite => "SQLite, one process",
            Database::Unplugged => "SQLite on a disk that loses its power",
            Database::Postgres => "PostgreSQL, two servers and two workers",
        };
        Report { round: format!("{what} on {database}"), seed: options.seed, ..Report::default() }
    }

    pub fn violation(&mut self, what: String) {
        self.violations.push(what);
    }

    pub fn figure(&mut self, name: &'static str, value: impl ToString) {
        self.figures.push((name, value.to_string()));
    }

    /// Start times and resumptions, held against their bounds.
    pub fn samples(&mut self, product: &Product, watch: &Watch, options: &Options) {
        let starts: Vec<Duration> = product
            .processes
            .iter()
            .flat_map(|process| process.ready.lock().unwrap_or_else(|e| e.into_inner()).clone())
            .collect();
        self.sample("ready after a start", starts, options.ready_max);
        self.sample("interrupted work resumed", watch.resumed(), options.resumed_max);
    }

    fn sample(&mut self, name: &'static str, mut values: Vec<Duration>, max: Duration) {
        values.sort();
        let (Some(last), Some(middle)) = (values.last().copied(), values.get(values.len() / 2)) else {
            return self.figure(name, "no sample");
        };
        self.figure(
            name,
            format!("p50 {:.2} s, max {:.2} s of {}", middle.as_secs_f64(), last.as_secs_f64(), values.len()),
        );
        if last > max {
            self.violation(format!("{name}: {last:?} is more than {max:?}"));
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n{} (seed {}, {:.0} s)", self.round, self.seed, self.taken.as_secs_f64())?;
        writeln!(f, "  {:<34} {}", "kill -9", self.kills)?;
        for fault in &self.faults {
            writeln!(f, "  {:<34} {fault}", "and")?;
        }
        for (name, value) in &self.figures {
            writeln!(f, "  {name:<34} {value}")?;
        }
        writeln!(f, "  {:<34} {}", "violations", self.violations.len())?;
        for violation in self.violations.iter().take(50) {
            writeln!(f, "    {violation}")?;
        }
        if let Some(logs) = &self.logs {
            writeln!(f, "  logs and database: {}", logs.display())?;
        }
        Ok(())
    }
}
