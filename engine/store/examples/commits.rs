//! Durable commits a second: `cargo run --release -p engine-store --example commits -- sqlite:/tmp/x.db postgres://…`
//!
//! Each of 1, 16 and 64 writers lives through journeys of `MOVES` commits (6: a start and five moves; up to 1.4 KB of
//! state, one event, one effect, one idempotency key each), reading the journey before each move as a server does, for
//! `SECONDS` (3).

#![allow(clippy::disallowed_methods)] // a measurement

use engine_store::*;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<()> {
    let number = |name| std::env::var(name).ok().and_then(|s: String| s.parse().ok());
    let seconds = number("SECONDS").unwrap_or(3.0);
    let moves = number("MOVES").unwrap_or(6.0) as i64;
    for url in std::env::args().skip(1) {
        let store = connect(&url).await?;
        store.migrate().await?;
        for writers in [1, 16, 64] {
            measure(&store, writers, moves, Duration::from_secs_f64(seconds)).await?;
        }
    }
    Ok(())
}

async fn measure(store: &Arc<dyn Store>, writers: usize, moves: i64, time: Duration) -> Result<()> {
    let cpu = cpu_ms();
    let start = Instant::now();
    let tasks: Vec<_> = (0..writers).map(|_| tokio::spawn(live(store.clone(), moves, start + time))).collect();
    let mut waits: Vec<Duration> = Vec::new();
    for task in tasks {
        waits.extend(task.await.map_err(|e| StoreError::Settings(e.to_string()))??);
    }
    let took = start.elapsed().as_secs_f64();
    waits.sort();
    let at = |share: f64| waits.get((waits.len() as f64 * share) as usize).map_or(0.0, |w| w.as_secs_f64() * 1e3);
    let (count, cpu) = (waits.len() as f64, cpu_ms() - cpu);
    println!(
        "{:8} {writers:3} writers: {:6.0} commits/s, commit p50 {:.2} ms, p99 {:.2} ms, {:.0} µs of our CPU each",
        store.kind(),
        count / took,
        at(0.5),
        at(0.99),
        cpu * 1e3 / count,
    );
    Ok(())
}

async fn live(store: Arc<dyn Store>, moves: i64, until: Instant) -> Result<Vec<Duration>> {
    let mut waits = Vec::new();
    while Instant::now() < until {
        let id = uuid::Uuid::new_v4().simple().to_string();
        for seq in 0..moves {
            let state = match store.journey(&id).await? {
                Some(journey) => serde_json::from_str(&journey.state).unwrap_or_default(),
                None => json!({"active": ["address"], "context": {}}),
            };
            let commit = step(&id, seq, state);
            let begun = Instant::now();
            match store.commit(commit).await? {
                Committed::Done { .. } => waits.push(begun.elapsed()),
                other => return Err(StoreError::Settings(format!("{other:?}"))),
            }
        }
    }
    Ok(waits)
}

fn step(id: &str, seq: i64, mut state: Value) -> Box<Commit> {
    let at_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as i64);
    let form = json!({
        "street": "12 Long Lane", "city": "Springfield", "zone": "A4", "floor": 3, "name": "A. Reader",
        "language": "en", "consent": true, "since": "2019-04-12", "weight": 1250, "note": "ring twice",
        "slot": "10:00", "ref": "poster-7",
    });
    if let Some(context) = state["context"].as_object_mut() {
        context.insert(format!("form {seq}"), form.clone());
    }
    let update = JourneyUpdate {
        revision: seq + 1,
        status: JourneyStatus::Active,
        step: format!("step {seq}"),
        state: state.to_string(),
        owner: String::new(),
        person: None,
        expires_at_ms: None,
        at_ms,
    };
    Box::new(Commit {
        new: (seq == 0).then(|| NewJourney {
            session: None,
            workflow: "parcel/visit".into(),
            version: "0f".repeat(16),
            owner: id.into(),
            language: "en".into(),
            channel: "web".into(),
            attribution: json!({}),
            keys: String::new(),
        }),
        events: vec![NewEvent {
            kind: "submitted".into(),
            data: form,
            by: json!({"kind": "visitor", "id": id}),
            at_ms,
        }],
        effects: vec![NewEffect {
            key: EffectKey { journey: id.into(), seq: seq + 1, index: 0 },
            kind: "call".into(),
            lane: "courier".into(),
            payload: json!({"run": seq}),
            due_at_ms: at_ms + 86_400_000,
            attempts_max: 5,
            deadline_ms: None,
            is_ahead: false,
        }],
        idempotency: Some(IdempotencyKey { key: (seq > 0).then_some(seq), body_hash: 0xab }),
        ..Commit::moving(id, seq, update, Changed::Step)
    })
}

/// CPU time of this process (not of a database server), in milliseconds.
fn cpu_ms() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks: f64 = stat
        .rsplit(')')
        .next()
        .map_or(0.0, |rest| rest.split_whitespace().skip(11).take(2).filter_map(|t| t.parse::<f64>().ok()).sum());
    ticks * 10.0
}
