//! What the system and the product itself say about its state.

use anyhow::{Context as _, Result};
use sqlx::Connection as _;
use std::time::Duration;

/// One look.
#[derive(Debug, Clone, Copy, Default)]
pub struct Measured {
    /// Resident memory, and of it what no other process shares, in MiB.
    pub resident: f64,
    pub private: f64,
    /// The database with its log, in MiB.
    pub size: f64,
    /// Effects that are not over, those that an operator must look at, and how long the oldest is due, in seconds.
    pub open: f64,
    pub parked: f64,
    pub late_s: f64,
    pub incidents: f64,
}

pub struct Meter {
    process: u32,
    url: String,
    metrics: String,
    client: reqwest::Client,
}

const MIB: f64 = 1_048_576.0;

impl Meter {
    /// Meter of the process with this id, its database, and its metrics at `origin`.
    pub fn new(process: u32, url: &str, origin: &str) -> Meter {
        let client = reqwest::Client::builder().timeout(Duration::from_secs(30)).build().unwrap_or_default();
        Meter { process, url: url.to_owned(), metrics: format!("{origin}/metrics"), client }
    }

    pub async fn measured(&self) -> Result<Measured> {
        let memory = std::fs::read_to_string(format!("/proc/{}/smaps_rollup", self.process)).context("its memory")?;
        let kib = |name: &str| {
            let line = memory.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
            line.split_whitespace().next().and_then(|kib| kib.parse::<f64>().ok()).unwrap_or_default() / 1_024.0
        };
        let page = self.client.get(&self.metrics).send().await?.error_for_status()?.text().await?;
        let parked = figures(&page, "journey_effects_parked").sum();
        Ok(Measured {
            resident: kib("Rss:"),
            private: kib("Private_Dirty:"),
            size: self.size().await?,
            open: figures(&page, "journey_effects_waiting").sum::<f64>() - parked + 0.0,
            parked,
            late_s: figures(&page, "journey_effects_late_seconds").fold(0.0, f64::max),
            incidents: figures(&page, "journey_incidents_open").sum(),
        })
    }

    async fn size(&self) -> Result<f64> {
        let Some(file) = self.url.strip_prefix("sqlite:") else {
            let mut database = sqlx::PgConnection::connect(&self.url).await?;
            let query = sqlx::query_scalar("select pg_database_size(current_database())");
            return Ok(query.fetch_one(&mut database).await.map(|bytes: i64| bytes as f64 / MIB)?);
        };
        let files = [file.to_owned(), format!("{file}-wal")];
        Ok(files.iter().map(|file| std::fs::metadata(file).map_or(0, |file| file.len())).sum::<u64>() as f64 / MIB)
    }
}

/// Values of the lines of this name, whatever their labels.
fn figures<'p>(page: &'p str, name: &'p str) -> impl Iterator<Item = f64> + 'p {
    let of_name = move |line: &&str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['{', ' ']));
    page.lines().filter(of_name).filter_map(|line| line.rsplit(' ').next()?.parse().ok())
}
