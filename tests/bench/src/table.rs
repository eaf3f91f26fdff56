//! Figures side by side with their goals, for a person and as JSON.

use anyhow::Result;
use serde_json::{Value, json};
use std::path::Path;

/// What the product's figure must come to.
#[derive(Clone, Copy)]
pub enum Goal {
    /// Product ÷ baseline at least, at most.
    AtLeast(f64),
    AtMost(f64),
    /// Product − baseline at most.
    Above(f64),
    /// The product's figure at most, at least.
    Within(f64),
    Reaches(f64),
    /// Told without a goal.
    None,
}

impl Goal {
    fn met(self, floor: f64, product: f64) -> Option<bool> {
        match self {
            Goal::AtLeast(least) => Some(product >= least * floor),
            Goal::AtMost(most) => Some(product <= most * floor),
            Goal::Above(most) => Some(product - floor <= most),
            Goal::Within(most) => Some(product <= most),
            Goal::Reaches(least) => Some(product >= least),
            Goal::None => None,
        }
    }

    fn told(self) -> String {
        match self {
            Goal::AtLeast(least) => format!("≥ {least} ×"),
            Goal::AtMost(most) => format!("≤ {most} ×"),
            Goal::Above(most) => format!("≤ +{most}"),
            Goal::Within(most) => format!("≤ {most}"),
            Goal::Reaches(least) => format!("≥ {least}"),
            Goal::None => String::new(),
        }
    }
}

/// One figure of both sides; a baseline that does not exist is NaN.
pub struct Row {
    pub database: &'static str,
    pub what: String,
    pub floor: f64,
    pub product: f64,
    pub goal: Goal,
    /// Share of the machine that others took meanwhile.
    pub others: Option<f64>,
}

/// What the product did, for a person who waits for the table.
impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:8} {}: {}", self.database, self.what, figure(self.product))?;
        self.others.map_or(Ok(()), |share| write!(f, "; others took {:.0} %", share * 100.0))
    }
}

#[derive(Default)]
pub struct Table {
    rows: Vec<Row>,
    /// Every window, not only the best.
    pub windows: Vec<Value>,
}

impl Table {
    pub fn add(&mut self, row: Row) {
        self.rows.push(row);
    }

    pub fn print(&self) {
        let line = |cells: [&str; 8]| {
            let [database, what, floor, product, ratio, goal, met, others] = cells;
            println!(
                "{database:8}  {what:48}  {floor:>10}  {product:>10}  {ratio:>6}  {goal:>8}  {met:4}  {others:>6}"
            );
        };
        line(["", "", "baseline", "product", "ratio", "goal", "", "others"]);
        for row in &self.rows {
            let met = row.goal.met(row.floor, row.product).map_or("", |met| if met { "ok" } else { "miss" });
            let ratio = if row.floor > 0.0 { format!("{:.2}", row.product / row.floor) } else { String::new() };
            let others = row.others.map_or(String::new(), |share| format!("{:.0} %", share * 100.0));
            line([
                row.database,
                &row.what,
                &figure(row.floor),
                &figure(row.product),
                &ratio,
                &row.goal.told(),
                met,
                &others,
            ]);
        }
    }

    /// `{rows: [{database, what, baseline, product, goal, met, others}], windows: [{database, side, customers, …}]}`
    pub fn write(&self, file: Option<&Path>) -> Result<()> {
        let Some(file) = file else { return Ok(()) };
        let rows: Vec<Value> = (self.rows.iter())
            .map(|row| {
                json!({
                    "database": row.database, "what": row.what, "baseline": row.floor, "product": row.product, "goal": row.goal.told(),
                    "met": row.goal.met(row.floor, row.product), "others": row.others,
                })
            })
            .collect();
        std::fs::write(file, serde_json::to_string_pretty(&json!({"rows": rows, "windows": self.windows}))?)?;
        Ok(())
    }
}

/// Three significant digits or so.
fn figure(value: f64) -> String {
    match value {
        v if v.is_nan() => "–".into(),
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 1.0 => format!("{v:.2}"),
        v => format!("{v:.3}"),
    }
}
