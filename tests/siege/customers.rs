//! Customers of a siege: each looks at the first page, starts a journey and looks at it, pauses, and again.

use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

/// What they met.
#[derive(Default)]
pub struct Sample {
    /// Time that each request took, in order of length.
    pub taken_ms: Vec<f64>,
    pub errors: Vec<String>,
}

impl Sample {
    pub fn percentile(&self, percent: usize) -> f64 {
        let at = (self.taken_ms.len() * percent).div_ceil(100).max(1) - 1;
        self.taken_ms.get(at).copied().unwrap_or_default()
    }
}

const PAUSE: Duration = Duration::from_millis(400);

pub async fn work(shop: SocketAddr, customers: usize, length: Duration) -> Sample {
    let until = Instant::now() + length;
    let all = (0..customers).map(|number| tokio::spawn(one(shop, number, until)));
    let mut sample = Sample::default();
    for done in futures::future::join_all(all).await {
        let Ok(Sample { taken_ms, errors }) = done else { continue };
        sample.taken_ms.extend(taken_ms);
        sample.errors.extend(errors);
    }
    sample.taken_ms.sort_by(f64::total_cmp);
    sample
}

async fn one(shop: SocketAddr, number: usize, until: Instant) -> Sample {
    let own = IpAddr::V4(Ipv4Addr::new(127, 0, 1, number as u8 + 1));
    let client = reqwest::Client::builder().local_address(own).timeout(Duration::from_secs(10)).build();
    let (client, mut sample) = (client.unwrap_or_default(), Sample::default());
    tokio::time::sleep(PAUSE * (number as u32 % 16) / 16).await;
    while Instant::now() < until {
        if let Err(error) = visit(&client, shop, &mut sample).await {
            sample.errors.push(error);
        }
        tokio::time::sleep(PAUSE).await;
    }
    sample
}

async fn visit(client: &reqwest::Client, shop: SocketAddr, sample: &mut Sample) -> Result<(), String> {
    let origin = format!("http://{shop}");
    ask(client.get(format!("{origin}/errand")), sample).await?;
    let key = format!("{:032x}", rand::random::<u128>());
    let start = client
        .post(format!("{origin}/api/v1/journeys"))
        .header("x-journey", "1")
        .header("origin", &origin)
        .header("idempotency-key", key)
        .json(&json!({"workflow": "courier/errand", "data": {"weight": 3, "tag": "siege"}}));
    let (cookie, view) = ask(start, sample).await?;
    let view: Value = serde_json::from_str(&view).map_err(|error| error.to_string())?;
    let id = view["journey"]["id"].as_str().unwrap_or_default();
    ask(client.get(format!("{origin}/api/v1/journeys/{id}")).header("cookie", cookie), sample).await?;
    Ok(())
}

/// The session's cookie, where one came, and the body.
async fn ask(request: reqwest::RequestBuilder, sample: &mut Sample) -> Result<(String, String), String> {
    let begun = Instant::now();
    let answer = request.send().await.map_err(|error| format!("{error:?}"))?;
    let status = answer.status();
    let cookie = answer.headers().get("set-cookie").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let cookie = cookie.split(';').next().unwrap_or_default().to_owned();
    let body = answer.text().await.map_err(|error| format!("{error:?}"))?;
    sample.taken_ms.push(begun.elapsed().as_secs_f64() * 1_000.0);
    if status.is_success() { Ok((cookie, body)) } else { Err(format!("{status}: {body}")) }
}
