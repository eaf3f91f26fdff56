//! Customers in a closed loop: each runs one errand after another, repeats what got no answer with the same key, and
//! writes down what it was promised.

use super::processes::Product;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// What customers were promised, and what they saw.
#[derive(Default)]
pub struct Ledger {
    /// Journeys whose start was acknowledged, with the tags of their acknowledged events.
    promised: Mutex<BTreeMap<String, Vec<String>>>,
    /// Tags whose event was refused as stale or not accepted.
    pub refused: Mutex<Vec<(String, String)>>,
    pub wrong: Mutex<Vec<String>>,
    /// Requests that were sent again with the same key.
    pub repeated: AtomicU64,
    /// Answers that said so themselves.
    pub replayed: AtomicU64,
    pub requests: AtomicU64,
    /// Answers 500: nobody promised an outage.
    pub broken: AtomicU64,
    /// Journeys that a restored backup knows nothing of.
    pub lost: AtomicU64,
}

impl Ledger {
    pub fn promised(&self) -> MutexGuard<'_, BTreeMap<String, Vec<String>>> {
        self.promised.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn wrong(&self, what: String) {
        self.wrong.lock().unwrap_or_else(|e| e.into_inner()).push(what);
    }
}

/// Longest time without an answer to one request; outages are shorter.
const PATIENCE: Duration = Duration::from_secs(180);

pub struct Customer {
    number: usize,
    rng: StdRng,
    product: Arc<Product>,
    ledger: Arc<Ledger>,
    client: reqwest::Client,
    cookie: Option<String>,
    /// What the customer was told that has begun, in order.
    journeys: Vec<String>,
    tags: u64,
}

/// What is kept of a customer, who may come back to another build.
#[derive(Clone, Serialize, Deserialize)]
pub struct Kept {
    number: usize,
    cookie: Option<String>,
    /// What the customer was told that has begun, in order.
    pub journeys: Vec<String>,
    tags: u64,
}

/// How long customers stay.
#[derive(Clone, Default)]
pub struct Stay {
    /// Signal to end what each customer has begun, and to begin nothing more.
    pub stop: CancellationToken,
    /// Signal that the product is gone for good: each customer drops what they have in hand.
    pub gone: CancellationToken,
}

/// Starts so many customers, each on their own.
pub fn crowd(
    seed: u64,
    count: usize,
    product: &Arc<Product>,
    ledger: &Arc<Ledger>,
    stay: &Stay,
) -> Vec<JoinHandle<Customer>> {
    (0..count)
        .map(|number| {
            let nothing = Kept { number, cookie: None, journeys: vec![], tags: 0 };
            tokio::spawn(Customer::of(nothing, seed, product, ledger).comes(stay.clone()))
        })
        .collect()
}

struct Answer {
    status: u16,
    body: Value,
}

impl Customer {
    /// The customer who was kept; their dice begin anew.
    pub fn of(kept: Kept, seed: u64, product: &Arc<Product>, ledger: &Arc<Ledger>) -> Customer {
        let Kept { number, cookie, journeys, tags } = kept;
        let client = reqwest::Client::builder().timeout(Duration::from_secs(15)).build().unwrap_or_default();
        let (product, ledger, rng) = (product.clone(), ledger.clone(), dice(seed, number));
        Customer { number, rng, product, ledger, client, cookie, journeys, tags }
    }

    pub fn keeps(self) -> Kept {
        Kept { number: self.number, cookie: self.cookie, journeys: self.journeys, tags: self.tags }
    }

    /// A page first, as people do.
    async fn comes(mut self, stay: Stay) -> Customer {
        match self.request("GET", "/errand", None).await {
            Ok(_) => self.stays(stay).await,
            Err(why) => self.complains(why),
        }
    }

    async fn stays(mut self, stay: Stay) -> Customer {
        while !stay.stop.is_cancelled() {
            let done = tokio::select! {
                done = self.errand() => done,
                () = stay.gone.cancelled() => return self,
            };
            if let Err(why) = done {
                return self.complains(why);
            }
        }
        self
    }

    /// Returns to a product that was restored: the customer ends what is left of their journeys, and goes on as before.
    /// What was lost is gone.
    pub async fn returns(mut self, product: Arc<Product>, ledger: Arc<Ledger>, stay: Stay) -> Customer {
        (self.product, self.ledger) = (product, ledger);
        // half of them have something new on their mind first
        if self.number.is_multiple_of(2)
            && let Err(why) = self.errand().await
        {
            return self.complains(why);
        }
        for journey in std::mem::take(&mut self.journeys) {
            let found = self.request("GET", &format!("/api/v1/journeys/{journey}"), None).await;
            let ended = match found {
                Ok(found) if found.status == 200 => {
                    self.ledger.promised().entry(journey.clone()).or_default();
                    self.ends(&journey, found.body).await
                }
                Ok(found) if found.status == 404 => {
                    self.ledger.lost.fetch_add(1, Ordering::Relaxed);
                    Ok(())
                }
                Ok(found) => Err(format!("a look at {journey} was answered {}: {}", found.status, found.body)),
                Err(why) => Err(why),
            };
            if let Err(why) = ended {
                return self.complains(why);
            }
        }
        self.stays(stay).await
    }

    fn complains(self, why: String) -> Customer {
        self.ledger.wrong(format!("customer {}: {why}", self.number));
        self
    }

    /// Goes from the first answer to the end of the journey.
    async fn errand(&mut self) -> Result<(), String> {
        let tag = self.tag();
        let weight = self.rng.random_range(1..=30);
        let body = json!({"workflow": "courier/errand", "data": {"weight": weight, "tag": tag}});
        let started = self.send("/api/v1/journeys", body).await?;
        if !matches!(started.status, 200 | 201) {
            return Err(format!("a start was answered {}: {}", started.status, started.body));
        }
        let journey = started.body["journey"]["id"].as_str().unwrap_or_default().to_owned();
        self.ledger.promised().entry(journey.clone()).or_default().push(tag);
        self.journeys.push(journey.clone());
        self.ends(&journey, started.body).await
    }

    /// Goes from what the customer sees to the end.
    async fn ends(&mut self, journey: &str, mut view: Value) -> Result<(), String> {
        let mut revision = 0;
        let until = Instant::now() + 2 * PATIENCE;
        while view["journey"]["status"] == "active" {
            if Instant::now() > until {
                return Err(format!("journey {journey} is stuck at `{}`", view["step"]["id"]));
            }
            let seen = view["journey"]["revision"].as_i64().unwrap_or_default();
            if seen < revision {
                return Err(format!("journey {journey}: revision {revision} was followed by {seen}"));
            }
            revision = seen;
            let step = view["step"]["id"].as_str().unwrap_or_default();
            let next = match step.rsplit('.').next().unwrap_or_default() {
                "address" => Some(("submit", json!({"mobile": format!("9{:09}", self.number)}))),
                "review" => Some(("submit", json!({"stars": self.rng.random_range(1..=5)}))),
                "prices" if self.rng.random_bool(0.3) => Some(("hurry", json!({}))),
                _ => None,
            };
            view = match next {
                Some((kind, data)) => self.event(journey, kind, data, revision).await?,
                None => {
                    let pause = self.rng.random_range(150..350);
                    tokio::time::sleep(Duration::from_millis(pause)).await;
                    self.look(journey).await?
                }
            };
        }
        Ok(())
    }

    async fn event(&mut self, journey: &str, kind: &str, mut data: Value, revision: i64) -> Result<Value, String> {
        let tag = self.tag();
        data["tag"] = Value::from(tag.as_str());
        let sent = self
            .send(
                &format!("/api/v1/journeys/{journey}/events"),
                json!({"type": kind, "data": data, "revision": revision}),
            )
            .await?;
        match sent.status {
            200 => {
                self.ledger.promised().entry(journey.to_owned()).or_default().push(tag);
                Ok(sent.body)
            }
            // The product was faster: a deadline, an answer. The auditor looks that it was really not taken.
            409 => {
                self.ledger.refused.lock().unwrap_or_else(|e| e.into_inner()).push((journey.to_owned(), tag));
                self.look(journey).await
            }
            other => Err(format!("`{kind}` to {journey} was answered {other}: {}", sent.body)),
        }
    }

    async fn look(&mut self, journey: &str) -> Result<Value, String> {
        let answer = self.request("GET", &format!("/api/v1/journeys/{journey}"), None).await?;
        if answer.status == 200 {
            Ok(answer.body)
        } else {
            Err(format!("a look at {journey} was answered {}: {}", answer.status, answer.body))
        }
    }

    async fn send(&mut self, path: &str, body: Value) -> Result<Answer, String> {
        let key = format!("{:032x}", self.rng.random::<u128>());
        self.request("POST", path, Some((key, body))).await
    }

    /// Repeats a request until there is an answer that is not trouble; always with the same key, at any node.
    async fn request(&mut self, method: &str, path: &str, body: Option<(String, Value)>) -> Result<Answer, String> {
        let until = Instant::now() + PATIENCE;
        let mut last = String::new();
        let mut tries = 0_u64;
        while Instant::now() < until {
            tries += 1;
            self.ledger.requests.fetch_add(1, Ordering::Relaxed);
            if tries == 2 && body.is_some() {
                self.ledger.repeated.fetch_add(1, Ordering::Relaxed);
            }
            match self.once(method, path, body.as_ref()).await {
                Ok(answer) if answer.status < 500 && answer.status != 429 => return Ok(answer),
                Ok(answer) => {
                    self.ledger.broken.fetch_add(u64::from(answer.status == 500), Ordering::Relaxed);
                    last = format!("{}: {}", answer.status, answer.body);
                }
                Err(error) => last = error.to_string(),
            }
            let pause = self.rng.random_range(50..250);
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
        Err(format!("no answer to {method} {path} in {PATIENCE:?}; the last was {last}"))
    }

    async fn once(&mut self, method: &str, path: &str, body: Option<&(String, Value)>) -> reqwest::Result<Answer> {
        let server = self.product.server(*[0, 1].choose(&mut self.rng).unwrap_or(&0));
        let url = format!("{server}{path}");
        let mut request = if method == "GET" { self.client.get(&url) } else { self.client.post(&url) };
        if let Some(cookie) = &self.cookie {
            request = request.header("cookie", cookie);
        }
        if let Some((key, body)) = body {
            request =
                request.header("x-journey", "1").header("origin", &server).header("idempotency-key", key).json(body);
        }
        let answer = request.send().await?;
        let status = answer.status().as_u16();
        if let Some(cookie) = answer.headers().get("set-cookie").and_then(|value| value.to_str().ok()) {
            self.cookie = cookie.split(';').next().map(str::to_owned);
        }
        if answer.headers().get("idempotent-replayed").is_some_and(|value| value == "true") {
            self.ledger.replayed.fetch_add(1, Ordering::Relaxed);
        }
        let body = answer.bytes().await?;
        Ok(Answer { status, body: serde_json::from_slice(&body).unwrap_or(Value::Null) })
    }

    fn tag(&mut self) -> String {
        self.tags += 1;
        format!("c{}-{}", self.number, self.tags)
    }
}

/// Dice of this customer.
fn dice(seed: u64, number: usize) -> StdRng {
    StdRng::seed_from_u64(seed ^ (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}
