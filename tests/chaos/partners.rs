//! The partners: the sandbox of a `journey` process of its own, which nobody kills.

use super::processes::{Binary, Process};
use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Requests per (operation, idempotency key), as the partners have counted them.
pub type Requests = BTreeMap<(String, String), u64>;

pub struct Partners {
    process: Arc<Process>,
    database: String,
    client: reqwest::Client,
}

impl Partners {
    /// Starts partners as `definitions` describe them. Their webhooks go to `product_port`.
    pub async fn start(
        binary: &Binary,
        folder: &Path,
        definitions: &Path,
        port: u16,
        product_port: u16,
    ) -> Result<Partners> {
        let database = format!("sqlite:{}", folder.join("partners.db").display());
        binary.publish(folder, &database, definitions)?;
        let build = {
            let (binary, at, url) = (binary.clone(), folder.to_owned(), database.clone());
            move || {
                let mut command = binary.command(&at, &url);
                command.env("JOURNEY_SANDBOX__PRODUCT_URL", format!("http://127.0.0.1:{product_port}"));
                command.args(["serve", "--no-worker", "--address"]).arg(format!("127.0.0.1:{port}"));
                command
            }
        };
        let process = Arc::new(Process::new("partners", false, Some(port), folder, build));
        process.start()?;
        let partners = Partners { process, database, client: reqwest::Client::new() };
        let until = Instant::now() + Duration::from_secs(60);
        while partners.client.get(format!("{}/switches.json", partners.url())).send().await.is_err() {
            anyhow::ensure!(Instant::now() < until, "the partners do not answer");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(partners)
    }

    pub fn url(&self) -> String {
        format!("{}/sandbox", self.origin())
    }

    pub fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.process.port.unwrap_or_default())
    }

    /// Sets a switch: `{partner, operation?, mode, delay_ms?, percent?}`.
    pub async fn switch(&self, switch: Value) -> Result<()> {
        let answer = self.client.post(format!("{}/switches", self.url())).json(&switch).send().await?;
        anyhow::ensure!(answer.status().is_success(), "switch {switch}: {}", answer.status());
        Ok(())
    }

    /// Everybody behaves again.
    pub async fn behave(&self) -> Result<()> {
        let set: Value = self.client.get(format!("{}/switches.json", self.url())).send().await?.json().await?;
        for switch in set["switches"].as_array().into_iter().flatten() {
            self.switch(json!({"partner": switch["partner"], "operation": switch["operation"], "mode": "normal"}))
                .await?;
        }
        Ok(())
    }

    pub async fn requests(&self) -> Result<Requests> {
        let all: Value = self.client.get(format!("{}/calls.json", self.url())).send().await?.json().await?;
        let text = |key: &Value, name: &str| key[name].as_str().unwrap_or_default().to_owned();
        let keys = all["keys"].as_array().context("the partners' record")?;
        Ok(keys
            .iter()
            .map(|k| {
                (
                    (format!("{}/{}", text(k, "partner"), text(k, "operation")), text(k, "key")),
                    k["count"].as_u64().unwrap_or(0),
                )
            })
            .collect())
    }

    /// What the partners did: entries of a bucket of their memory.
    pub async fn remembered(&self, store: &dyn engine_store::Store, bucket: &str) -> Result<Vec<(String, Value)>> {
        Ok(store.kv_list(&format!("sandbox:{bucket}"), 100).await?)
    }

    pub fn database(&self) -> &str {
        &self.database
    }
}
