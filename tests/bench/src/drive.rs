//! Customers in a closed loop: one connection each, one request after the other, every answer's step checked.

use crate::work;
use anyhow::{Context, Result, bail, ensure};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::SendRequest;
use hyper::{Request, StatusCode};
use serde::Deserialize;
use std::time::{Duration, Instant};

/// What one window came to.
#[derive(Clone, Default)]
pub struct Window {
    pub steps_per_s: f64,
    pub p50_ms: f64,
    pub p99_ms: f64,
    pub steps: usize,
    pub driver_cpu_s: f64,
}

/// The part of an answer that the next request needs.
#[derive(Deserialize)]
struct Answer {
    journey: Journey,
    step: Step,
}
#[derive(Deserialize)]
struct Journey {
    id: String,
    revision: i64,
}
#[derive(Deserialize)]
struct Step {
    id: String,
}

/// The address of a side, `127.0.0.1:port`.
#[derive(Clone)]
pub struct Target {
    pub address: String,
}

/// One person with one connection.
pub struct Customer {
    target: Target,
    sender: Option<SendRequest<Full<Bytes>>>,
    bodies: Vec<String>,
    pub journey: String,
    pub revision: i64,
    pub step: String,
    cookie: Option<String>,
}

impl Customer {
    pub fn new(target: &Target) -> Customer {
        let bodies = work::STEPS.iter().map(|step| work::good(step).to_string()).collect();
        Customer {
            target: target.clone(),
            sender: None,
            bodies,
            journey: String::new(),
            revision: 0,
            step: String::new(),
            cookie: None,
        }
    }

    async fn post(&mut self, path: &str, body: String) -> Result<StatusCode> {
        let sender = match &mut self.sender {
            Some(sender) if !sender.is_closed() => sender,
            slot => {
                let stream = tokio::net::TcpStream::connect(&self.target.address).await?;
                stream.set_nodelay(true)?;
                let (sender, connection) =
                    hyper::client::conn::http1::handshake(hyper_util::rt::TokioIo::new(stream)).await?;
                tokio::task::spawn_local(connection);
                slot.insert(sender)
            }
        };
        let mut request = Request::post(path)
            .header("host", &self.target.address)
            .header("content-type", "application/json")
            .header("x-journey", "1")
            .header("idempotency-key", uuid::Uuid::new_v4().to_string());
        if let Some(cookie) = &self.cookie {
            request = request.header("cookie", cookie);
        }
        sender.ready().await?;
        let response = sender.send_request(request.body(Full::from(body))?).await?;
        let status = response.status();
        if let Some(cookie) = response.headers().get("set-cookie").and_then(|value| value.to_str().ok()) {
            self.cookie = cookie.split(';').next().map(str::to_owned);
        }
        let body = response.into_body().collect().await?.to_bytes();
        if status.is_success() {
            let answer: Answer = serde_json::from_slice(&body).context("an answer is not a step")?;
            self.journey = answer.journey.id;
            self.revision = answer.journey.revision;
            self.step = answer.step.id;
        }
        Ok(status)
    }

    /// A new person starts a journey.
    pub async fn start(&mut self) -> Result<()> {
        self.cookie = None;
        let status = self.post("/api/v1/journeys", r#"{"workflow":"bench/reference"}"#.into()).await?;
        ensure!(
            status.is_success() && self.step == "reference.mobile",
            "a start answered {status}, step `{}`",
            self.step
        );
        Ok(())
    }

    /// Answers the step with this number; `None`: the good answer.
    pub async fn submit(&mut self, step: usize, body: Option<&str>) -> Result<StatusCode> {
        let data = body.or(self.bodies.get(step).map(String::as_str)).unwrap_or("{}");
        let body = format!(r#"{{"type":"submit","data":{data},"revision":{}}}"#, self.revision);
        let path = format!("/api/v1/journeys/{}/events", self.journey);
        self.post(&path, body).await
    }

    async fn submit_good(&mut self, step: usize) -> Result<()> {
        let status = self.submit(step, None).await?;
        let next = work::STEPS.get(step + 1).map_or("reference".to_owned(), |name| format!("reference.{name}"));
        ensure!(
            status.is_success() && self.step == next,
            "`{}` answered {status}, step `{}`",
            work::STEPS[step],
            self.step
        );
        Ok(())
    }
}

/// Runs `work` on a thread of its own with a runtime of its own: the driver never shares the sides' threads.
pub fn apart<T: Send + 'static, F: Future<Output = Result<T>>>(
    work: impl FnOnce() -> F + Send + 'static,
) -> tokio::task::JoinHandle<Result<T>> {
    tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        tokio::task::LocalSet::new().block_on(&runtime, work())
    })
}

/// Waits until the first journey can be started.
pub async fn first_journey(target: &Target, patience: Duration) -> Result<()> {
    let target = target.clone();
    apart(move || async move {
        let end = Instant::now() + patience;
        loop {
            match Customer::new(&target).start().await {
                Ok(()) => return Ok(()),
                Err(error) if Instant::now() > end => return Err(error.context("no journey could be started")),
                Err(_) => tokio::time::sleep(Duration::from_millis(2)).await,
            }
        }
    })
    .await?
}

/// Checks that both sides do the work: what must be refused is refused, and nothing moves by it.
pub async fn check(target: &Target) -> Result<()> {
    let target = target.clone();
    apart(move || async move {
        for (step, field, value) in work::bad() {
            let at = work::STEPS.iter().position(|s| *s == step).context("unknown step")?;
            let mut customer = Customer::new(&target);
            customer.start().await?;
            for before in 0..at {
                customer.submit_good(before).await?;
            }
            let mut body = work::good(step);
            body[field] = value;
            let status = customer.submit(at, Some(&body.to_string())).await?;
            if !matches!(status.as_u16(), 409 | 422) {
                bail!("`{field}` of `{step}` was not refused: {status}");
            }
            if at > 0 {
                customer.revision -= 1;
                let status = customer.submit(at, None).await?;
                ensure!(status == StatusCode::CONFLICT, "a late answer to `{step}` was not refused: {status}");
                customer.revision += 1;
            }
            for rest in at..work::STEPS.len() {
                customer.submit_good(rest).await?;
            }
        }
        Ok(())
    })
    .await?
}

/// `customers` in a closed loop for `seconds`, after a short warm-up.
pub async fn window(target: &Target, customers: usize, seconds: f64) -> Result<Window> {
    let target = target.clone();
    apart(move || async move {
        let cpu = thread_cpu_s();
        let begun = Instant::now();
        let (from, until) = (
            begun + Duration::from_secs_f64((seconds / 4.0).min(1.0)),
            begun + Duration::from_secs_f64((seconds / 4.0).min(1.0) + seconds),
        );
        let tasks: Vec<_> = (0..customers)
            .map(|_| {
                let mut customer = Customer::new(&target);
                tokio::task::spawn_local(async move {
                    let (mut waits, mut all) = (Vec::<u32>::new(), 0_usize);
                    'day: loop {
                        for step in 0..=work::STEPS.len() {
                            let asked = Instant::now();
                            // on a busy machine the time may be over before the first step
                            if asked >= until && all > 0 {
                                break 'day;
                            }
                            match step {
                                0 => customer.start().await?,
                                n => customer.submit_good(n - 1).await?,
                            }
                            all += 1;
                            if asked >= from {
                                waits.push(asked.elapsed().as_micros() as u32);
                            }
                        }
                    }
                    anyhow::Ok((waits, all))
                })
            })
            .collect();
        let (mut waits, mut steps) = (Vec::new(), 0);
        for task in tasks {
            let (mine, all) = task.await??;
            waits.extend(mine);
            steps += all;
        }
        let took = from.elapsed().as_secs_f64();
        waits.sort_unstable();
        let at = |share: f64| {
            waits
                .get(((waits.len().max(1) - 1) as f64 * share).round() as usize)
                .map_or(f64::INFINITY, |us| f64::from(*us) / 1000.0)
        };
        Ok(Window {
            steps_per_s: waits.len() as f64 / took,
            p50_ms: at(0.5),
            p99_ms: at(0.99),
            steps,
            driver_cpu_s: thread_cpu_s() - cpu,
        })
    })
    .await?
}

/// Leaves `count` journeys at their third form.
pub async fn leave_open(target: &Target, count: usize) -> Result<()> {
    const AT_ONCE: usize = 32;
    let target = target.clone();
    apart(move || async move {
        let tasks: Vec<_> = (0..AT_ONCE)
            .map(|n| {
                let mut customer = Customer::new(&target);
                let mine = count / AT_ONCE + usize::from(n < count % AT_ONCE);
                tokio::task::spawn_local(async move {
                    for _ in 0..mine {
                        customer.start().await?;
                        customer.submit_good(0).await?;
                        customer.submit_good(1).await?;
                    }
                    anyhow::Ok(())
                })
            })
            .collect();
        for task in tasks {
            task.await??;
        }
        Ok(())
    })
    .await?
}

/// CPU seconds of this thread.
pub fn thread_cpu_s() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}
