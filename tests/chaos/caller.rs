//! Somebody with a browser, whose product dies meanwhile.

use anyhow::{Result, bail, ensure};
use rand::Rng as _;
use rand::rngs::StdRng;
use reqwest::{Client, RequestBuilder, Response, StatusCode, header, redirect};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Longest time without an answer; a start takes less.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Asks until there is an answer, and keeps the cookie.
pub struct Caller {
    pub base: String,
    pub client: Client,
    pub rng: StdRng,
    cookies: BTreeMap<String, String>,
}

impl Caller {
    pub fn new(base: &str, rng: StdRng) -> Result<Caller> {
        let client = Client::builder().redirect(redirect::Policy::none()).build()?;
        Ok(Caller { base: base.to_owned(), client, rng, cookies: BTreeMap::new() })
    }

    /// Asks until there is an answer, always with the same key.
    pub async fn posts(&mut self, path: &str, body: &Value) -> Result<Value> {
        let key = format!("{:032x}", self.rng.random::<u128>());
        let until = Instant::now() + PATIENCE;
        loop {
            let request = self.client.post(format!("{}{path}", self.base)).header("idempotency-key", &key).json(body);
            match self.answer(request).await {
                Some((status, bytes)) if status.is_success() => return Ok(serde_json::from_slice(&bytes)?),
                Some((status, bytes)) if status.is_client_error() => {
                    bail!("{path} was answered {status}: {}", String::from_utf8_lossy(&bytes))
                }
                _ => ensure!(Instant::now() < until, "no answer to {path}"),
            }
        }
    }

    pub async fn gets(&mut self, path: &str) -> Result<(StatusCode, Vec<u8>)> {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.answer(self.client.get(format!("{}{path}", self.base))).await {
                Some((status, bytes)) if !status.is_server_error() => return Ok((status, bytes)),
                _ => ensure!(Instant::now() < until, "no answer to {path}"),
            }
        }
    }

    /// Presses a button of a page: where it leads. `None`: the product is dead, or dies before all of its answer is here.
    pub async fn presses(&mut self, url: &str, fields: &[(&str, &str)]) -> Option<String> {
        let url = if url.starts_with('/') { format!("{}{url}", self.base) } else { url.to_owned() };
        let answer = self.send(self.client.post(url).form(fields)).await?;
        let to = answer.headers().get(header::LOCATION).and_then(|to| to.to_str().ok()).unwrap_or_default().to_owned();
        answer.bytes().await.ok()?;
        Some(to)
    }

    /// None: the product is dead, or dies before all of its answer is here.
    pub async fn answer(&mut self, request: RequestBuilder) -> Option<(StatusCode, Vec<u8>)> {
        let answer = self.send(request.header("x-journey", "1").header(header::ORIGIN, &self.base)).await?;
        let status = answer.status();
        Some((status, answer.bytes().await.ok()?.to_vec()))
    }

    async fn send(&mut self, request: RequestBuilder) -> Option<Response> {
        let cookies: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let Ok(answer) = request.header(header::COOKIE, cookies.join("; ")).send().await else {
            tokio::time::sleep(Duration::from_millis(30)).await;
            return None;
        };
        for set in answer.headers().get_all(header::SET_COOKIE).iter().filter_map(|set| set.to_str().ok()) {
            if let Some((name, value)) = set.split(';').next().and_then(|pair| pair.split_once('=')) {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        Some(answer)
    }
}
