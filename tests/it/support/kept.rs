//! The kept databases (`tests/histories`): journeys of the shipped definitions at many steps, with pending calls, open
//! passwords and timers, and journeys that were recorded under kills, written by the build that closed the format.
//! Every later build must finish them, and their histories must give the states that are stored.

use crate::buyer::{Buyer, Errand, Next, SESSION};
use crate::postgres::{self, Cluster};
use crate::server::{TestServer, Visitor};
use anyhow::{Context as _, Result, bail};
use engine_settings::Settings;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sqlx::Connection as _;
use std::collections::HashSet;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Sqlite,
    Postgres,
}

/// What is in a kept database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Store {
    /// Journeys of the shipped definitions at many steps: [`KeptJourney`].
    Steps,
    /// Journeys of the crash tests, recorded under kills: [`crate::chaos::Kept`].
    Crashes,
}

/// One journey of a kept database, and who may go on with it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeptJourney {
    pub id: String,
    pub errand: Errand,
    /// Number of the customer.
    pub number: u64,
    pub session: String,
    /// Step at which the journey stood.
    pub step: String,
}

impl KeptJourney {
    /// One of each errand and step.
    pub fn of_each_kind(journeys: &[KeptJourney]) -> Vec<&KeptJourney> {
        let mut seen = HashSet::new();
        journeys.iter().filter(|journey| seen.insert((journey.errand, &journey.step))).collect()
    }

    /// Whether the journey's car has prices: every insurer answers again as it goes on.
    pub fn sees_prices(&self) -> bool {
        self.errand == Errand::Car && !BEFORE_PRICES.contains(&self.step.as_str())
    }

    /// Goes from where the journey stood to its end in this shop. A car's whose customer had not got to the prices goes
    /// to the page before them, because those cost every insurer an answer; one that waits for the register, which may
    /// be over by now, to the page where the customer says it in person. Panics where an answer is not what the API
    /// promises.
    pub async fn goes_on(&self, shop: &str) -> Result<()> {
        let customer = Visitor::holding(shop.to_owned(), SESSION, &self.session);
        let partners = Visitor::at(shop.to_owned());
        let mut buyer = Buyer::new(self.errand, self.number, TestServer::first_day(), customer, partners);
        buyer.returns(&self.id).await;
        let is_early = self.errand == Errand::Car && !self.sees_prices();
        let mut acts = 0;
        for _ in 0..LOOKS_MAX {
            let there = buyer.step() == "car.previous" || self.step == "car.lookup" && buyer.step() == "car.vehicle";
            if is_early && there {
                return Ok(());
            }
            match buyer.goes_on().await {
                Next::Ended => return Ok(()),
                Next::Acted if acts == ACTS_MAX => break,
                Next::Acted => acts += 1,
                Next::Waits => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
        bail!("{self:?} stays at `{}` after {acts} acts", buyer.step())
    }
}

const BEFORE_PRICES: [&str; 5] =
    ["car.lookup", "car.contact.asking", "car.contact.otp.asking", "car.vehicle", "car.previous"];

const LOOKS_MAX: usize = 3_000;

/// Three times what the longest way takes: whoever acts more goes in circles.
const ACTS_MAX: usize = 60;

impl Kind {
    fn file(self, store: Store, ending: &str) -> PathBuf {
        let kind = if self == Kind::Sqlite { "sqlite" } else { "postgres" };
        let name = if store == Store::Steps { kind.to_owned() } else { format!("crashes-{kind}") };
        Path::new(env!("CARGO_MANIFEST_DIR")).join("histories").join(format!("{name}.{ending}"))
    }

    /// What a database holds that nobody works on; a file is made in `folder`.
    pub async fn dumped(self, url: &str, folder: &Path, cluster: Option<&Cluster>) -> Result<Vec<u8>> {
        let Some(cluster) = cluster.filter(|_| self == Kind::Postgres) else {
            let copy = folder.join("copy.db");
            let mut database = sqlx::SqliteConnection::connect(url).await?;
            let query = sqlx::query("vacuum into $1").bind(copy.to_str().context("a path")?);
            query.execute(&mut database).await?;
            return Ok(std::fs::read(copy)?);
        };
        let dump = cluster.told("pg_dump", &["--no-owner", "--no-privileges"], url, b"")?;
        let text = String::from_utf8(dump)?;
        // Newer programs write lines that older ones do not know, and settings that older servers do not have.
        let newer = ["\\restrict ", "\\unrestrict ", "SET transaction_timeout"];
        let lines = text.lines().filter(|line| !newer.iter().any(|words| line.starts_with(words)));
        Ok(lines.flat_map(|line| [line, "\n"]).collect::<String>().into_bytes())
    }

    /// Keeps what `dump` is and whose journeys are in it.
    pub fn keep(self, store: Store, dump: &[u8], journeys: &impl Serialize) -> Result<()> {
        for (ending, bytes) in [("gz", dump), ("journeys.gz", &serde_json::to_vec(journeys)?)] {
            let mut packed = GzEncoder::new(Vec::new(), Compression::best());
            packed.write_all(bytes)?;
            std::fs::write(self.file(store, ending), packed.finish()?)?;
        }
        Ok(())
    }

    fn kept(self, store: Store, ending: &str) -> Result<Vec<u8>> {
        let file = self.file(store, ending);
        let packed = std::fs::File::open(&file).with_context(|| file.display().to_string())?;
        let mut bytes = Vec::new();
        GzDecoder::new(packed).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Address of a copy of its database, on SQLite in `folder`, and its journeys.
    pub async fn opened<T: DeserializeOwned>(self, store: Store, folder: &Path) -> Result<(String, Vec<T>)> {
        let (dump, journeys) = (self.kept(store, "gz")?, serde_json::from_slice(&self.kept(store, "journeys.gz")?)?);
        let url = match self {
            Kind::Sqlite => {
                let file = folder.join("kept.db");
                std::fs::write(&file, dump)?;
                format!("sqlite:{}", file.display())
            }
            Kind::Postgres => {
                let url = postgres::database().await?;
                postgres::cluster().await?.told("psql", &["-q", "-v", "ON_ERROR_STOP=1"], &url, &dump)?;
                url
            }
        };
        Ok((url, journeys))
    }
}

/// One address sends what a town would; partners answer at once.
pub fn town(settings: &mut Settings) {
    settings.otp.unproven_per_address_hour = 1_000_000;
    settings.otp.per_address_hour = 1_000_000;
    settings.otp.block_hour = 1_000_000;
    (settings.limits.rate_per_s, settings.limits.rate_burst) = (0, 1_000_000);
    (settings.limits.write_rate_per_s, settings.limits.write_rate_burst) = (0, 1_000_000);
    settings.limits.starts_per_hour = 0;
    settings.sandbox.delay_percent = 0;
}
