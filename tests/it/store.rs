//! One story on both databases: what the store promises, whichever holds it. All times are given, none is read.

mod audit;
mod commit;
mod contact;
mod nodes;
mod outage;
mod people;
mod queue;
mod results;
mod timers;
mod uploads;
mod values;
mod versions;
mod webhooks;

use anyhow::Result;
use engine_store::*;
use journey_tests::postgres;
use serde_json::json;
use std::sync::Arc;

/// A node of its own: `again` opens the same database a second time.
struct Node {
    store: Arc<dyn Store>,
    url: String,
    _folder: Arc<tempfile::TempDir>,
}

impl Node {
    async fn again(&self) -> Result<Arc<dyn Store>> {
        Ok(connect(&self.url).await?)
    }
}

/// Runs a story on an empty SQLite file and on an empty PostgreSQL database.
async fn check<F: AsyncFn(&Node) -> Result<()>>(story: F) {
    for kind in ["sqlite", "postgres"] {
        let run = async {
            let folder = Arc::new(tempfile::tempdir()?);
            let url = match kind {
                "sqlite" => format!("sqlite:{}/deep/journey.db", folder.path().display()),
                _ => postgres::database().await?,
            };
            let store = connect(&url).await?;
            store.migrate().await?;
            story(&Node { store, url, _folder: folder }).await
        };
        if let Err(error) = run.await {
            panic!("{kind}: {error:?}");
        }
    }
}

fn id() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}

/// A commit of one event, computed from `seq`; seq 0 starts the journey.
pub fn event(journey: &str, seq: i64) -> Box<Commit> {
    let update = JourneyUpdate {
        revision: seq + 1,
        status: JourneyStatus::Active,
        step: format!("step {seq}"),
        state: json!({"seq": seq, "text": "ä \"quoted\" \u{0} [", "z": 1, "a": [1.5, null]}).to_string(),
        owner: String::new(),
        person: None,
        expires_at_ms: Some(1_000_000),
        at_ms: 1_000 + seq,
    };
    Box::new(Commit {
        new: (seq == 0).then(|| NewJourney {
            session: None,
            workflow: "library/loan".into(),
            version: "0f".repeat(16),
            owner: "reader".into(),
            language: "en".into(),
            channel: "web".into(),
            attribution: json!({"from": "poster"}),
            keys: String::new(),
        }),
        events: vec![NewEvent {
            kind: "went on".into(),
            data: json!({"seq": seq}),
            by: json!({"kind": "reader"}),
            at_ms: 1_000 + seq,
        }],
        ..Commit::moving(journey, seq, update, Changed::Step)
    })
}

fn with(mut commit: Box<Commit>, change: impl FnOnce(&mut Commit)) -> Box<Commit> {
    change(&mut commit);
    commit
}

fn effect(journey: &str, seq: i64, index: i32, due_at_ms: i64) -> NewEffect {
    NewEffect {
        key: EffectKey { journey: journey.into(), seq, index },
        kind: "call".into(),
        lane: "courier".into(),
        payload: json!({"index": index}),
        due_at_ms,
        attempts_max: 2,
        deadline_ms: None,
        is_ahead: false,
    }
}

fn incident(journey: &str, at_ms: i64) -> IncidentRecord {
    IncidentRecord {
        id: id(),
        journey: journey.into(),
        version: "0f".repeat(16),
        place: "guard".into(),
        reason: "no number".into(),
        detail: json!({"work": {"timer": "t"}}),
        at_ms,
        closed_at_ms: None,
        closed_by: None,
    }
}

fn claim(now_ms: i64) -> ClaimRequest {
    ClaimRequest { worker: "w1".into(), now_ms, lease_ms: 100, limit: 10, ahead: 10, ..ClaimRequest::default() }
}

/// Key of a start where there is none of its own.
fn key(key: Option<i64>, body_hash: i64) -> Option<IdempotencyKey> {
    Some(IdempotencyKey { key, body_hash })
}

const DONE: Committed = Committed::Done { records: Vec::new() };
