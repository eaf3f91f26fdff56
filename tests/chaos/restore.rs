//! A database at work is backed up and destroyed a while later; the backup begins anew in another place. Customers come
//! back to what is left of their journeys, and the partners remember what the product has forgotten.

use super::customers::{self, Customer, Ledger, Stay};
use super::partners::{Partners, Requests};
use super::processes::{Ground, Product};
use super::report::Report;
use super::{Options, Stage, audit, definitions, resumed};
use anyhow::{Context as _, Result, ensure};
use engine_partners::signature::hmac_sha256_hex;
use serde_json::json;
use sqlx::Connection as _;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Customers work so long before the backup.
const BEFORE: Duration = Duration::from_secs(3);
/// What is done in this time is forgotten.
const LOST: Duration = Duration::from_secs(2);
/// How long nothing may be sent, whatever customers do.
const HELD: Duration = Duration::from_secs(4);
/// When a webhook of nobody is an incident at the latest.
const REPORTED: Duration = Duration::from_secs(15);
/// How long everything goes on afterwards.
const AFTER: Duration = Duration::from_secs(3);

pub async fn run(options: Options) -> Result<Report> {
    let begun = Instant::now();
    let stage = Stage::set(&options).await?;
    let mut report = Report::new("a backup restored", &options);
    let partners = stage.partners().await.context("the partners' process")?;
    let (first, second) = (stage.place("first").await?, stage.place("second").await?);

    let product = stage.product(&options, &first, &partners, Vec::new()).await?;
    let (ledger, stay) = (Arc::new(Ledger::default()), Stay::default());
    let customers = customers::crowd(options.seed, options.customers, &product, &ledger, &stay);
    tokio::time::sleep(BEFORE).await;
    stage.copy(&first.url, &second.url).await.context("the backup")?;
    tokio::time::sleep(LOST).await;
    product.kill();
    stay.gone.cancel();
    let mut back = Vec::new();
    for customer in customers {
        back.push(customer.await?);
    }
    let wrong: Vec<String> = ledger.wrong.lock().unwrap_or_else(|e| e.into_inner()).drain(..).collect();
    wrong.into_iter().for_each(|wrong| report.violation(wrong));
    let lost = settled(&partners).await?;

    let said = stage.binary.told(&second.folder, &second.url, &["migrate", "--restored"])?;
    ensure!(said.contains("restored 1 times"), "`migrate --restored` says: {said}");
    let soon = vec![("JOURNEY_WORKER__UNKNOWN_MS", OsString::from("2000"))];
    let product = stage.product(&options, &second, &partners, soon).await?;
    let (ledger, stay) = (Arc::new(Ledger::default()), Stay::default());
    let customers: Vec<_> = back
        .into_iter()
        .map(|customer: Customer| tokio::spawn(customer.returns(product.clone(), ledger.clone(), stay.clone())))
        .collect();
    let told = tell_again(&partners, &lost, &product.server(0)).await?;
    tokio::time::sleep(HELD).await;
    let now = partners.requests().await?;
    for ((operation, key), count) in now.iter().filter(|(request, count)| lost.get(request) != Some(count)) {
        report.violation(format!("{operation} was called with {key} while sends were held ({count} times by now)"));
    }
    let said = stage.binary.told(&second.folder, &second.url, &["effects", "release"])?;
    ensure!(said.contains("goes out now"), "`effects release` says: {said}");
    tokio::time::sleep(AFTER).await;
    stay.stop.cancel();
    for customer in customers {
        customer.await?;
    }
    match resumed::quiet(&second.url, Duration::from_secs(60), true).await {
        Ok(parked) => {
            report.figure("webhooks of orders that were lost", parked);
            are_reported(&second.url, parked, &mut report).await?;
        }
        Err(why) => report.violation(format!("work is left over: {why}")),
    }
    report.figure("journeys that were lost", ledger.lost.load(Ordering::Relaxed));
    report.figure("keys at the partners at the restore", lost.len());
    report.figure("webhooks told again meanwhile", told);
    audit::audit(&second.url, &ledger, &partners, Some(&lost), &mut report).await?;
    product.end(&mut report).await;
    Ok(stage.leave(report, begun))
}

/// A database, and where its processes work.
pub(super) struct Place {
    pub url: String,
    pub folder: PathBuf,
}

impl Stage {
    pub(super) async fn place(&self, name: &str) -> Result<Place> {
        let folder = self.folder.path().join(name);
        std::fs::create_dir(&folder)?;
        let url = match &self.cluster {
            None => format!("sqlite:{}", folder.join("journey.db").display()),
            Some(cluster) => cluster.database().await?,
        };
        Ok(Place { url, folder })
    }

    pub(super) async fn product(
        &self,
        options: &Options,
        at: &Place,
        partners: &Partners,
        settings: Vec<(&'static str, OsString)>,
    ) -> Result<Arc<Product>> {
        let ground = Ground {
            binary: &self.binary,
            folder: &at.folder,
            url: &at.url,
            definitions: &definitions(),
            partners: partners.url(),
            ports: &self.ports[1..],
            settings,
        };
        Ok(Arc::new(Product::start(options, ground).await.context("the product's processes")?))
    }

    /// A backup of a database at work, in a new one.
    async fn copy(&self, from: &str, to: &str) -> Result<()> {
        match &self.cluster {
            None => {
                let file = to.strip_prefix("sqlite:").map(Path::new).context("a file")?;
                let mut beside = sqlx::SqliteConnection::connect(from).await?;
                sqlx::query("vacuum into $1").bind(file.to_str()).execute(&mut beside).await?;
                Ok(())
            }
            Some(cluster) => tokio::task::block_in_place(|| {
                let dump = cluster.told("pg_dump", &["--no-owner"], from, b"")?;
                cluster.told("psql", &["-q", "-v", "ON_ERROR_STOP=1"], to, &dump).map(drop)
            }),
        }
    }
}

/// Checks that each webhook of nobody is an operator's, by its partner.
async fn are_reported(url: &str, parked: usize, report: &mut Report) -> Result<()> {
    let runtime = audit::opened(url).await?;
    let until = Instant::now() + REPORTED;
    loop {
        let incidents = runtime.store().incidents(true, 10_000).await?;
        let of_nobody = incidents.iter().filter(|incident| incident.journey.is_empty() && incident.place == "swift");
        match of_nobody.count() {
            reported if reported == parked => return Ok(()),
            reported if Instant::now() > until => {
                report.violation(format!("{reported} of {parked} webhooks of nobody are told to an operator"));
                return Ok(());
            }
            _ => tokio::time::sleep(Duration::from_millis(200)).await,
        }
    }
}

/// What the partners have seen, once they have done what they were asked for.
async fn settled(partners: &Partners) -> Result<Requests> {
    let mut before = partners.requests().await?;
    loop {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let now = partners.requests().await?;
        if now == before {
            return Ok(now);
        }
        before = now;
    }
}

/// What was told to a database that is gone is told again, of every booking; all of it is taken.
async fn tell_again(partners: &Partners, lost: &Requests, shop: &str) -> Result<usize> {
    let witness = audit::opened(partners.database()).await?.store().clone();
    let journeys = lost.keys().filter(|(operation, _)| operation == "swift/book");
    let journeys: BTreeSet<&str> = journeys.filter_map(|(_, key)| key.split('.').next()).collect();
    let (client, mut told) = (reqwest::Client::new(), 0);
    for journey in journeys {
        for (booking, _) in partners.remembered(&*witness, &format!("bookings of {journey}")).await? {
            let body = json!({"id": format!("{booking} picked"), "booking": booking}).to_string();
            let signature = hmac_sha256_hex(b"sandbox-swift_webhook", body.as_bytes());
            let hook = client.post(format!("{shop}/api/v1/webhooks/swift/picked")).body(body);
            let answer =
                hook.header("content-type", "application/json").header("x-swift-signature", signature).send().await?;
            ensure!(answer.status().is_success(), "a webhook while sends are held: {}", answer.status());
            told += 1;
        }
    }
    Ok(told)
}
