//! The table of a soak, a row at a time, and what it says in the end.

use crate::measure::Measured;
use crate::shoppers::Told;
use journey_tests::buyer::Asked;
use std::collections::BTreeMap;
use std::time::Duration;

/// Rows that must be there, or nothing is said about growth.
const ROWS_MIN: usize = 12;

/// Private memory may grow so much from the second quarter to the last one: this share, and so many MiB beside it.
const MEMORY_MAX: (f64, f64) = (1.10, 4.0);

/// Most times the bytes per journey in the second half may be those of the first.
const SIZE_MAX: f64 = 1.10;

/// Most times as long one thing may take in the last quarter as in the second.
const LATENCY_MAX: f64 = 1.5;

/// What took less is as good as nothing, in milliseconds: half a millisecond more is no growth.
const LATENCY_MIN: f64 = 5.0;

#[derive(Debug, Clone, Copy, Default)]
struct Row {
    journeys: u64,
    step: Percentiles,
    look: Percentiles,
    measured: Measured,
}

#[derive(Debug, Clone, Copy, Default)]
struct Percentiles {
    p50: f64,
    p99: f64,
}

impl Percentiles {
    fn of(taken: &[(Asked, Duration)], asked: Asked) -> Percentiles {
        let taken = taken.iter().filter(|(of, _)| *of == asked);
        let mut ms: Vec<f64> = taken.map(|(_, took)| took.as_secs_f64() * 1_000.0).collect();
        ms.sort_by(f64::total_cmp);
        let at = |percent: usize| ms.get((ms.len() * percent).div_ceil(100).max(1) - 1).copied().unwrap_or_default();
        Percentiles { p50: at(50), p99: at(99) }
    }
}

pub struct Report {
    first: Measured,
    rows: Vec<Row>,
    bought: u64,
    left: BTreeMap<String, u64>,
}

impl Report {
    pub fn begin(first: Measured) -> Report {
        println!(
            "{:>7} {:>7} {:>5} {:>6} {:>15} {:>15} {:>7} {:>6} {:>7} {:>8} {:>7} {:>5} {:>6} {:>6} {:>9}",
            "after s",
            "bought",
            "left",
            "steps",
            "step p50 p99 ms",
            "look p50 p99 ms",
            "errors",
            "RSS",
            "private",
            "db MiB",
            "KiB/j",
            "open",
            "late s",
            "parked",
            "incidents"
        );
        Report { first, rows: Vec::new(), bought: 0, left: BTreeMap::new() }
    }

    pub fn row(&mut self, after: Duration, told: Told, measured: Measured) {
        let row = Row {
            journeys: told.journeys(),
            step: Percentiles::of(&told.taken, Asked::Step),
            look: Percentiles::of(&told.taken, Asked::Look),
            measured,
        };
        let before = self.rows.last().map_or(self.first.size, |row| row.measured.size);
        println!(
            "{:>7.0} {:>7} {:>5} {:>6} {:>7.1} {:>7.1} {:>7.1} {:>7.1} {:>7} {:>6.1} {:>7.1} {:>8.1} {:>7.1} {:>5} {:>6.0} {:>6} {:>9}",
            after.as_secs_f64(),
            told.bought,
            told.journeys() - told.bought,
            told.taken.iter().filter(|(asked, _)| *asked != Asked::Look).count(),
            row.step.p50,
            row.step.p99,
            row.look.p50,
            row.look.p99,
            told.errors,
            measured.resident,
            measured.private,
            measured.size,
            per_journey(measured.size - before, row.journeys),
            measured.open,
            measured.late_s,
            measured.parked,
            measured.incidents
        );
        self.bought += told.bought;
        for (step, count) in told.left {
            *self.left.entry(step).or_default() += count;
        }
        self.rows.push(row);
    }

    /// Prints it; true when all is well.
    pub fn verdict(&self, errors: &[String]) -> bool {
        println!(
            "{} journeys to the policy; left where a partner did not answer in time: {:?}",
            self.bought, self.left
        );
        for error in errors.iter().take(10) {
            println!("error: {error}");
        }
        // The last row is of those who were still on their way.
        let grown = match self.rows.split_last() {
            Some((_, rows)) if rows.len() >= ROWS_MIN => growth(self.first, rows),
            _ => {
                println!("too short to say anything about growth");
                Vec::new()
            }
        };
        for why in &grown {
            println!("grows: {why}");
        }
        let good = errors.is_empty() && grown.is_empty() && self.bought > 0;
        println!("{}", if good { "flat, and no errors" } else { "NOT GOOD" });
        good
    }
}

/// KiB that one journey takes; nothing where there was none.
fn per_journey(mib: f64, journeys: u64) -> f64 {
    if journeys == 0 { 0.0 } else { mib * 1_024.0 / journeys as f64 }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

type Figure = fn(&Row) -> f64;

/// What is not flat: the second quarter of the rows, when all is warm, beside the last one.
fn growth(first: Measured, rows: &[Row]) -> Vec<String> {
    let quarter = rows.len() / 4;
    let (early, late) = (&rows[quarter..2 * quarter], &rows[rows.len() - quarter..]);
    let of = |rows: &[Row], figure: Figure| median(rows.iter().map(figure));
    let mut grown = Vec::new();
    let private = |row: &Row| row.measured.private;
    let (then, now) = (of(early, private), of(late, private));
    if now > then * MEMORY_MAX.0 + MEMORY_MAX.1 {
        grown.push(format!("private memory {then:.1} → {now:.1} MiB"));
    }
    let half = rows.len() / 2;
    let size = |before: Measured, rows: &[Row]| {
        let last = rows.last().map_or(before.size, |row| row.measured.size);
        per_journey(last - before.size, rows.iter().map(|row| row.journeys).sum())
    };
    let (then, now) = (size(first, &rows[..half]), size(rows[half - 1].measured, &rows[half..]));
    if now > then * SIZE_MAX {
        grown.push(format!("database {then:.1} → {now:.1} KiB per journey"));
    }
    let latencies: [(&str, Figure); 4] = [
        ("step p50", |row| row.step.p50),
        ("step p99", |row| row.step.p99),
        ("look p50", |row| row.look.p50),
        ("look p99", |row| row.look.p99),
    ];
    for (name, figure) in latencies {
        let (then, now) = (of(early, figure), of(late, figure));
        if now > then.max(LATENCY_MIN) * LATENCY_MAX {
            grown.push(format!("{name} {then:.1} → {now:.1} ms"));
        }
    }
    grown
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sixty rows, of which `change` makes the one of each number what it wants.
    fn check(change: fn(f64, &mut Row), grown: &[&str]) {
        let rows: Vec<Row> = (1..=60)
            .map(|number| {
                let number = f64::from(number);
                let latency = Percentiles { p50: 10.0, p99: 40.0 };
                let measured = Measured { private: 30.0, size: 20.0 * number, ..Measured::default() };
                let mut row = Row { journeys: 200, step: latency, look: latency, measured };
                change(number, &mut row);
                row
            })
            .collect();
        assert_eq!(growth(Measured::default(), &rows), grown);
    }

    #[test]
    fn what_is_flat_is_good() {
        check(|_, _| (), &[]);
        // warm after a while; a minute that was hard
        check(|number, row| row.measured.private = if number < 10.0 { 15.0 + number } else { 30.0 }, &[]);
        check(|number, row| row.step.p99 = if number == 50.0 { 900.0 } else { 40.0 }, &[]);
    }

    #[test]
    fn what_grows_is_named() {
        check(|number, row| row.measured.private = 20.0 + number, &["private memory 43.0 → 73.0 MiB"]);
        check(|number, row| row.measured.size = number * number, &["database 153.6 → 460.8 KiB per journey"]);
        check(|number, row| row.step.p50 = number, &["step p50 23.0 → 53.0 ms"]);
        check(|number, row| row.look.p99 = 2.0 * number, &["look p99 46.0 → 106.0 ms"]);
    }
}
