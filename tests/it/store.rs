//! One story on both databases: what the store promises, whichever holds it. All times are given, none is read.

use anyhow::{Context, Result};
use engine_store::*;
use futures::future::join_all;
use journey_tests::postgres;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UnixStream};

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
pub fn event(journey: &str, seq: i64) -> Commit {
    let update = JourneyUpdate {
        revision: seq + 1,
        status: JourneyStatus::Active,
        step: format!("step {seq}"),
        state: json!({"seq": seq, "text": "ä \"quoted\" \u{0} [", "z": 1, "a": [1.5, null]}).to_string(),
        owner: None,
        expires_at_ms: Some(1_000_000),
        at_ms: 1_000 + seq,
    };
    Commit {
        new: (seq == 0).then(|| NewJourney {
            session: None,
            workflow: "library/loan".into(),
            version: "0f".repeat(16),
            owner: "reader".into(),
            language: "en".into(),
            channel: "web".into(),
            attribution: json!({"from": "poster"}),
        }),
        events: vec![NewEvent {
            kind: "went on".into(),
            data: json!({"seq": seq}),
            by: json!({"kind": "reader"}),
            at_ms: 1_000 + seq,
        }],
        ..Commit::moving(journey, seq, update, Changed::Step)
    }
}

fn with(mut commit: Commit, change: impl FnOnce(&mut Commit)) -> Commit {
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
    }
}

fn claim(now_ms: i64) -> ClaimRequest {
    ClaimRequest { worker: "w1".into(), now_ms, lease_ms: 100, limit: 10 }
}

/// Of a start: without a key of its own.
fn key(key: Option<i64>, body_hash: i64) -> Option<IdempotencyKey> {
    Some(IdempotencyKey { key, body_hash })
}

const DONE: Committed = Committed::Done { records: Vec::new() };

#[tokio::test]
async fn a_journey_moves_only_from_where_it_is() {
    check(async |node| {
        let (store, j) = (&node.store, id());
        assert_eq!(store.journey(&j).await?, None);
        assert_eq!(store.commit(event(&j, 3)).await?, Committed::Moved, "there is none");
        assert_eq!(store.commit(event(&j, 0)).await?, DONE);
        assert_eq!(store.commit(event(&j, 0)).await?, Committed::Moved, "started twice");
        assert_eq!(store.commit(event(&j, 1)).await?, DONE);
        assert_eq!(store.commit(event(&j, 1)).await?, Committed::Moved, "computed from an old state");
        assert_eq!(store.commit(event(&j, 5)).await?, Committed::Moved, "computed from a future state");
        let three = with(event(&j, 2), |c| {
            c.events = vec![c.events[0].clone(), c.events[0].clone(), c.events[0].clone()];
            c.update.owner = Some(id());
            c.update.expires_at_ms = None;
        });
        let owner = three.update.owner.clone().unwrap_or_default();
        assert_eq!(store.commit(three).await?, DONE);
        let stored = store.journey(&j).await?.expect("stored");
        assert_eq!((stored.seq, stored.revision, stored.step.as_str()), (5, 3, "step 2"));
        assert_eq!(stored.state, event(&j, 2).update.state);
        assert_eq!((stored.created_at_ms, stored.updated_at_ms, stored.expires_at_ms), (1_000, 1_002, None));
        assert_eq!((stored.version.as_str(), &stored.owner), ("0f".repeat(16).as_str(), &owner));
        let seqs: Vec<i64> = store.events(&j, 0, 100).await?.iter().map(|e| e.seq).collect();
        assert_eq!(seqs, [1, 2, 3, 4, 5]);
        assert_eq!(store.events(&j, 3, 1).await?[0].seq, 4);

        let other = format!("{}-{}-4000-8000-000000000000", &j[..8], &j[8..12]);
        store.commit(event(&other, 0)).await?;
        assert_eq!(store.events(&other, 0, 9).await?.len(), 1, "not the neighbour's");
        assert_eq!(
            store.journeys_of("reader", 9).await?.iter().map(|h| h.id.clone()).collect::<Vec<_>>(),
            vec![other.clone()]
        );
        assert_eq!(store.expired_journeys(2_000_000, 9).await?, [other]);
        assert_eq!(store.expired_journeys(999_999, 9).await?, Vec::<String>::new());
        assert_eq!(store.journey_counts().await?.iter().map(|c| c.count).sum::<i64>(), 2);
        store.ping().await?;
        store.try_write().await?;
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_key_is_used_by_one_accepted_event() {
    check(async |node| {
        let (store, j) = (&node.store, id());
        store.commit(event(&j, 0)).await?;
        let (k, body) = (i64::MIN, -7);
        let keyed = |seq, body_hash| with(event(&j, seq), |c| c.idempotency = key(Some(k), body_hash));
        assert_eq!(store.commit(keyed(9, body)).await?, Committed::Moved);
        assert_eq!(store.used_key(&j, Some(k)).await?, None, "a refused event uses no key");
        assert_eq!(store.commit(keyed(1, body)).await?, DONE);
        let used = UsedKey { journey: j.clone(), body_hash: body };
        assert_eq!(store.used_key(&j, Some(k)).await?, Some(used.clone()));
        assert_eq!(
            (store.used_key(&j, None).await?, store.used_key(&id(), Some(k)).await?),
            (None, None),
            "a journey's keys are its own"
        );
        for repeat in [keyed(1, body), keyed(2, 8)] {
            assert_eq!(store.commit(repeat).await?, Committed::KeyUsed(used.clone()), "same or other body");
        }
        assert_eq!(store.journey(&j).await?.map(|j| j.seq), Some(2));

        // two starts with one key: its journey's id comes from it
        let second = node.again().await?;
        for _ in 0..20 {
            let j = id();
            let start = |body| with(event(&j, 0), |c| c.idempotency = key(None, body));
            let (one, two) = tokio::join!(store.commit(start(1)), second.commit(start(2)));
            let used = store.used_key(&j, None).await?.expect("used");
            let refused = Committed::KeyUsed(used.clone());
            assert_eq!([one?, two?], if used.body_hash == 1 { [DONE, refused] } else { [refused, DONE] });
            assert_eq!((used.journey.as_str(), store.events(&j, 0, 9).await?.len()), (j.as_str(), 1));
        }
        for wrong in [
            with(event(&j, 2), |c| c.idempotency = key(None, 1)),
            with(event(&id(), 0), |c| c.idempotency = key(Some(k), 1)),
        ] {
            assert!(store.commit(wrong).await.is_err(), "an event without a key, or a start with one");
        }
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn effects_are_leased_counted_fenced_and_parked() {
    check(async |node| {
        let (store, j) = (&node.store, id());
        let k = |index| EffectKey { journey: j.clone(), seq: 1, index };
        store
            .commit(with(event(&j, 0), |c| {
                c.effects = vec![effect(&j, 1, 0, 50), effect(&j, 1, 1, 40), effect(&j, 1, 2, 900)]
            }))
            .await?;
        assert_eq!(store.next_due().await?, Some(40));
        assert_eq!(store.claim_effects(claim(39)).await?, []);
        let first = store.claim_effects(claim(60)).await?;
        assert_eq!(first.iter().map(|e| e.key.index).collect::<Vec<_>>(), [1, 0], "oldest due first");
        let e = &first[1];
        assert_eq!(
            (e.state, e.attempts, e.fence, e.lease_until_ms, e.due_at_ms),
            (EffectState::Running, 0, 1, Some(160), 50)
        );
        let begin = async |index, fence| store.begin_effects(vec![(k(index), fence)]).await;
        assert_eq!(
            store.begin_effects(vec![(k(0), 1), (k(1), 1), (k(2), 1)]).await?,
            [true, true, false],
            "2 is not due"
        );
        assert_eq!(store.effect(&k(0)).await?.map(|e| (e.attempts, e.claims)), Some((1, 0)));
        assert_eq!((e.worker.as_deref(), &e.payload, e.created_at_ms), (Some("w1"), &json!({"index": 0}), 1_000));
        assert_eq!(store.claim_effects(claim(100)).await?, [], "leased");
        assert!(store.extend_lease(&k(1), 1, 500).await?);
        assert!(!store.extend_lease(&k(1), 9, 500).await?);

        // the lease of 0 lapses: the next claim fences its first worker off
        let again = store.claim_effects(claim(160)).await?;
        assert_eq!(again.iter().map(|e| (e.key.index, e.attempts, e.fence)).collect::<Vec<_>>(), [(0, 1, 2)]);
        assert_eq!(
            (begin(0, 1).await?, begin(0, 2).await?),
            (vec![false], vec![true]),
            "a frozen worker begins nothing"
        );
        let settle = |seq, index, fence, end| with(event(&j, seq), |c| c.settles = Some((k(index), fence, end)));
        let good = || EffectEnd::Done { outcome: json!("delivered") };
        assert_eq!(store.commit(settle(1, 0, 1, good())).await?, Committed::Superseded, "frozen worker");
        assert_eq!(store.commit(settle(7, 0, 2, good())).await?, Committed::Moved, "holder, but the journey moved on");
        assert!(!store.finish_effect(&k(0), 1, good()).await?);
        assert_eq!(store.commit(settle(1, 0, 2, good())).await?, DONE);
        assert_eq!(store.commit(settle(2, 0, 2, good())).await?, Committed::Superseded, "settled once");
        let done = store.effect(&k(0)).await?.expect("there");
        assert_eq!((done.state, done.outcome), (EffectState::Done, Some(json!("delivered"))));

        // retry, attempts used up, parked, and again by hand
        assert!(store.finish_effect(&k(1), 1, EffectEnd::Retry { due_at_ms: 300, reason: json!("busy") }).await?);
        assert_eq!(store.next_due().await?, Some(300));
        assert_eq!(store.claim_effects(claim(300)).await?[0].attempts, 1);
        assert_eq!(begin(1, 2).await?, [true]);
        assert_eq!(store.claim_effects(claim(400)).await?, [], "no third attempt");
        let parked =
            store.effects(EffectFilter { state: Some(EffectState::Parked), limit: 9, ..Default::default() }).await?;
        assert_eq!(parked.iter().map(|e| (e.key.index, e.attempts)).collect::<Vec<_>>(), [(1, 2)]);
        assert_eq!(parked[0].outcome, Some(json!({"code": "attempts", "last": "busy"})));
        assert_eq!(store.commit(settle(2, 1, 2, good())).await?, Committed::Superseded, "parking fences too");
        assert!(store.requeue_effect(&k(1), 410).await?);
        assert!(!store.requeue_effect(&k(1), 410).await?);
        let fresh = store.claim_effects(claim(410)).await?;
        assert_eq!(fresh.iter().map(|e| (e.key.index, e.attempts)).collect::<Vec<_>>(), [(1, 0)]);
        let park = EffectEnd::Parked { reason: json!("unknown address") };
        assert!(store.finish_effect(&k(1), fresh[0].fence, park).await?);
        let skip = EffectEnd::Cancelled { reason: json!("by hand") };
        assert!(store.finish_effect(&k(1), fresh[0].fence, skip).await?, "an operator skips it");

        // a run that is over: pending and running effects are cancelled, and cannot be settled
        store.commit(with(event(&j, 2), |c| c.effects = vec![effect(&j, 3, 0, 0), effect(&j, 3, 1, 5_000)])).await?;
        let running = store.claim_effects(claim(1_000)).await?;
        assert_eq!(running.iter().map(|e| (e.key.seq, e.key.index)).collect::<Vec<_>>(), [(3, 0), (1, 2)]);
        let over = |index| EffectKey { journey: j.clone(), seq: 3, index };
        store.commit(with(event(&j, 3), |c| c.cancel_effects = vec![over(0), over(1)])).await?;
        assert!(!store.finish_effect(&over(0), running[0].fence, good()).await?);
        let states = store.effects(EffectFilter { journey: Some(j.clone()), ..Default::default() }).await?;
        let states: Vec<_> = states.iter().map(|e| (e.key.seq, e.key.index, e.state)).collect();
        use EffectState::*;
        assert_eq!(states, [(1, 0, Done), (1, 1, Cancelled), (1, 2, Running), (3, 0, Cancelled), (3, 1, Cancelled)]);
        assert_eq!(store.clean(5_000, 100).await?, 4, "what is over goes, what runs stays");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn claims_without_an_attempt_are_counted_apart() {
    check(async |node| {
        let (store, j) = (&node.store, id());
        let k = EffectKey { journey: j.clone(), seq: 1, index: 0 };
        store.commit(with(event(&j, 0), |c| c.effects = vec![effect(&j, 1, 0, 0)])).await?;
        let claim_at = async |round: i64| store.claim_effects(claim(1_000 * round)).await;
        // each time its worker dies before anything goes out
        for round in 1..=i64::from(CLAIMS_MAX) {
            let claimed = claim_at(round).await?;
            assert_eq!(claimed.iter().map(|e| (e.attempts, i64::from(e.claims))).collect::<Vec<_>>(), [(0, round)]);
        }
        assert_eq!(claim_at(50).await?, []);
        let parked = store.effect(&k).await?.expect("there");
        assert_eq!((parked.state, parked.attempts), (EffectState::Parked, 0));
        assert_eq!(parked.outcome, Some(json!({"code": "claims"})));
        // an attempt that begins, and an end of any kind, are a new start
        assert!(store.requeue_effect(&k, 51_000).await?);
        let fence = claim_at(51).await?[0].fence;
        assert_eq!(store.begin_effects(vec![(k.clone(), fence)]).await?, [true]);
        assert_eq!(claim_at(52).await?[0].claims, 1);
        let retry = EffectEnd::Retry { due_at_ms: 0, reason: json!("turned away") };
        assert!(store.finish_effect(&k, fence + 1, retry).await?);
        let waiting = store.effect(&k).await?.expect("there");
        assert_eq!((waiting.attempts, waiting.claims), (2, 0), "a try that was turned away counts when it ends so");
        assert_eq!(claim_at(53).await?, []);
        assert_eq!(
            store.effect(&k).await?.expect("there").outcome,
            Some(json!({"code": "attempts", "last": "turned away"}))
        );
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn what_a_dead_worker_held_is_free_at_once() {
    check(async |node| {
        let (store, other, j) = (&node.store, node.again().await?, id());
        let begin = |c: &mut Commit| {
            c.effects = vec![effect(&j, 1, 0, 50), effect(&j, 1, 1, 900)];
            c.timers =
                [("held", 40), ("later", 800)].map(|(id, due_at_ms)| NewTimer { id: id.into(), due_at_ms }).into();
        };
        store.commit(with(event(&j, 0), begin)).await?;
        let long = |worker: &str| ClaimRequest { worker: worker.into(), lease_ms: 600_000, ..claim(60) };
        store.sign_of_life("dead", 60, None).await?;
        let held = store.claim_effects(long("dead")).await?;
        assert_eq!((held.len(), store.claim_timers(long("dead")).await?.len()), (1, 1));
        assert_eq!(other.sign_of_life("living", 70, Some(600_000)).await?, 0, "it was seen a moment ago");
        let mut wake = other.wake();
        wake.mark_unchanged();
        // by a rule under which whoever is silent now is dead
        let freed = other.sign_of_life("living", 70, Some(-600_000)).await?;
        if store.kind() == "sqlite" {
            assert_eq!(freed, 0, "one process works on a file");
            return Ok(());
        }
        assert_eq!((freed, wake.has_changed()?), (2, true));
        assert_eq!(other.sign_of_life("living", 70, Some(-600_000)).await?, 0, "oneself lives");
        let taken = other.claim_effects(ClaimRequest { now_ms: 70, ..long("living") }).await?;
        assert_eq!(taken.iter().map(|e| (&e.key, e.fence)).collect::<Vec<_>>(), [(&held[0].key, 2)]);
        let timers = other.claim_timers(ClaimRequest { now_ms: 70, ..long("living") }).await?;
        assert_eq!(timers.iter().map(|t| t.id.as_str()).collect::<Vec<_>>(), ["held"]);
        assert_eq!(store.begin_effects(vec![(held[0].key.clone(), 1)]).await?, [false], "it was only frozen");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn what_a_process_held_that_is_gone_can_be_claimed_at_once() {
    check(async |node| {
        let (store, j) = (&node.store, id());
        let begin = |c: &mut Commit| {
            c.effects = vec![effect(&j, 1, 0, 50), effect(&j, 1, 1, 900)];
            c.timers =
                [("held", 40), ("later", 800)].map(|(id, due_at_ms)| NewTimer { id: id.into(), due_at_ms }).into();
        };
        store.commit(with(event(&j, 0), begin)).await?;
        let held = store.claim_effects(claim(60)).await?;
        assert_eq!((held.len(), store.claim_timers(claim(60)).await?.len()), (1, 1));
        store.end_leases(70).await?;
        let again = store.claim_effects(claim(70)).await?;
        assert_eq!(
            again.iter().map(|e| (&e.key, e.attempts, e.fence)).collect::<Vec<_>>(),
            [(&held[0].key, 0, 2)],
            "what waits still waits, and what did not begin was no attempt"
        );
        assert!(
            !store.finish_effect(&held[0].key, 1, EffectEnd::Done { outcome: Value::Null }).await?,
            "and who held it cannot write"
        );
        let timers = store.claim_timers(claim(70)).await?;
        assert_eq!(timers.iter().map(|t| (t.id.as_str(), t.due_at_ms)).collect::<Vec<_>>(), [("held", 40)]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn many_journeys_are_read_at_once() {
    check(async |node| {
        let store = &node.store;
        let ids = [id(), "a name".to_owned(), uuid::Uuid::new_v4().to_string()];
        for j in &ids {
            store
                .commit(with(event(j, 0), |c| {
                    c.answers = vec![AnswerRecord { into: "offers".into(), key: "k".into(), value: json!(j) }]
                }))
                .await?;
            store
                .save_draft(Draft { journey: j.clone(), step: "step 0".into(), data: json!({"of": j}), at_ms: 5 })
                .await?;
        }
        let mut asked = ids.to_vec();
        asked.push(id());
        let mut found = store.journeys(&asked).await?;
        found.sort_by_key(|j| ids.iter().position(|id| *id == j.id));
        let mut one_by_one = Vec::new();
        for j in &ids {
            one_by_one.extend(store.journey(j).await?);
        }
        assert_eq!(found, one_by_one);
        assert_eq!((found.len(), store.journeys(&[]).await?.len()), (3, 0));
        Ok(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_effect_is_handed_to_one_worker() {
    check(async |node| {
        let second = node.again().await?;
        for _ in 0..10 {
            let j = id();
            node.store
                .commit(with(event(&j, 0), |c| c.effects = (0..20).map(|i| effect(&j, 1, i, 0)).collect()))
                .await?;
        }
        let claims =
            (0..40).map(|i| if i % 2 == 0 { &node.store } else { &second }).map(|s| s.claim_effects(claim(10)));
        let mut keys = Vec::new();
        for claimed in join_all(claims).await {
            keys.extend(claimed?.into_iter().map(|e| (e.key, e.fence)));
        }
        // what another claim held at that moment was passed over
        while keys.len() < 200 {
            keys.extend(node.store.claim_effects(claim(10)).await?.into_iter().map(|e| (e.key, e.fence)));
        }
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), 200);
        assert!(keys.iter().all(|(_, fence)| *fence == 1));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_timer_fires_once_or_not_at_all() {
    check(async |node| {
        let (store, j) = (&node.store, id());
        let set = |list: &[(&str, i64)]| {
            list.iter().map(|(id, due)| NewTimer { id: (*id).into(), due_at_ms: *due }).collect::<Vec<_>>()
        };
        let fire = |seq, timer: &str| with(event(&j, seq), |c| c.fires = Some(timer.into()));
        let ids = |timers: Vec<TimerRecord>| timers.into_iter().map(|t| t.id).collect::<Vec<_>>();
        store.commit(with(event(&j, 0), |c| c.timers = set(&[("late", 30), ("soon", 10), ("never", 20)]))).await?;
        assert_eq!(store.next_due().await?, Some(10));
        assert_eq!(ids(store.claim_timers(claim(9)).await?), [""; 0]);
        assert_eq!(ids(store.claim_timers(claim(20)).await?), ["soon", "never"]);
        assert_eq!(ids(store.claim_timers(claim(20)).await?), [""; 0], "leased");
        // cancelled while it is being delivered
        assert_eq!(store.commit(with(event(&j, 1), |c| c.cancel_timers = vec!["never".into()])).await?, DONE);
        assert_eq!(store.commit(fire(2, "never")).await?, Committed::Superseded);
        assert_eq!(store.commit(fire(2, "soon")).await?, DONE);
        assert_eq!(store.commit(fire(3, "soon")).await?, Committed::Superseded);
        assert_eq!(ids(store.claim_timers(claim(40)).await?), ["late"]);
        assert_eq!(ids(store.claim_timers(claim(140)).await?), ["late"], "its worker died");
        assert_eq!(store.commit(fire(9, "late")).await?, Committed::Moved);
        // set anew in the commit that removes it, and in the commit that fires it
        let anew = with(event(&j, 3), |c| {
            c.cancel_timers = vec!["late".into()];
            c.timers = set(&[("late", 700)]);
        });
        assert_eq!(store.commit(anew).await?, DONE);
        let again = with(fire(4, "late"), |c| c.timers = set(&[("late", 800)]));
        assert_eq!(store.commit(again).await?, DONE);
        assert_eq!(store.next_due().await?, Some(800));
        assert_eq!(store.commit(fire(5, "late")).await?, DONE);
        assert_eq!(store.next_due().await?, None);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn answers_stand_beside_the_state() {
    check(async |node| {
        let (store, j) = (&node.store, id());
        let put = |list: &[(&str, &str, i64)]| {
            let one = |(into, key, n): &(&str, &str, i64)| AnswerRecord {
                into: (*into).into(),
                key: (*key).into(),
                value: json!({"n": n}),
            };
            list.iter().map(one).collect::<Vec<_>>()
        };
        let answers = async || -> Result<Vec<AnswerRecord>> { Ok(store.journey(&j).await?.expect("there").answers) };
        store
            .commit(with(event(&j, 0), |c| {
                c.answers = put(&[("offers", "b", 1), ("offers", "a", 1), ("times", "a", 1)])
            }))
            .await?;
        store.commit(with(event(&j, 1), |c| c.answers = put(&[("offers", "b", 2), ("offers", "b", 3)]))).await?;
        assert_eq!(answers().await?, put(&[("offers", "a", 1), ("offers", "b", 3), ("times", "a", 1)]));
        let anew = with(event(&j, 2), |c| {
            c.clear_answers = vec!["offers".into(), "offers".into()];
            c.answers = put(&[("offers", "b", 4), ("offers", "c", 4)]);
        });
        store.commit(anew).await?;
        assert_eq!(answers().await?, put(&[("offers", "b", 4), ("offers", "c", 4), ("times", "a", 1)]));
        store.commit(with(event(&j, 3), |c| c.clear_answers = vec!["offers".into(), "none".into()])).await?;
        assert_eq!(answers().await?, put(&[("times", "a", 1)]));

        let draft = |n: i64, at_ms| Draft { journey: j.clone(), step: "address".into(), data: json!({"n": n}), at_ms };
        let drafts =
            async || store.journey(&j).await.map(|found| found.map(|journey| journey.drafts).unwrap_or_default());
        for d in [draft(1, 10), draft(2, 20), draft(0, 5)] {
            store.save_draft(d).await?;
        }
        assert_eq!(drafts().await?, [draft(2, 20)], "an older one does not win");
        store.save_draft(Draft { journey: id(), ..draft(1, 1) }).await?;
        store.commit(with(event(&j, 4), |c| c.clear_drafts = vec!["address".into(), "other".into()])).await?;
        assert_eq!(drafts().await?, []);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn results_keep_their_public_id() {
    check(async |node| {
        let (store, j) = (&node.store, id());
        let record =
            |kind: &str, key: &str, n: i64| NewRecord { kind: kind.into(), key: key.into(), data: json!({"n": n}) };
        let saved = |outcome| match outcome {
            Committed::Done { records } => records,
            other => panic!("{other:?}"),
        };
        let first = saved(
            store
                .commit(with(event(&j, 0), |c| c.records = vec![record("loan", "", 1), record("copy", "x", 1)]))
                .await?,
        );
        let second = saved(
            store
                .commit(with(event(&j, 1), |c| c.records = vec![record("loan", "", 1), record("loan", "", 2)]))
                .await?,
        );
        assert_eq!((first.len(), second.len()), (2, 1));
        let loan = second[0].clone();
        assert_eq!(loan.public_id, first.iter().find(|r| r.kind == "loan").expect("loan").public_id);
        assert_eq!((loan.public_id.len(), &loan.data, loan.at_ms, &loan.journey), (32, &json!({"n": 2}), 1_001, &j));
        assert_eq!(store.record_by_public_id(&loan.public_id).await?, Some(loan.clone()));
        assert_eq!(store.record_by_public_id("guess").await?, None);
        assert_eq!(store.records(&j).await?.iter().map(|r| r.kind.as_str()).collect::<Vec<_>>(), ["copy", "loan"]);

        let document = DocumentRecord {
            id: id(),
            journey: j.clone(),
            name: "slip.pdf".into(),
            media_type: "application/pdf".into(),
            bytes: (0..=255).collect(),
            at_ms: 3,
        };
        let reference = |expected: Value| CorrelationRecord {
            partner: "courier".into(),
            reference: "R-1".into(),
            journey: j.clone(),
            expected,
        };
        let incident = IncidentRecord {
            id: id(),
            journey: j.clone(),
            version: "0f".repeat(16),
            place: "guard".into(),
            reason: "no number".into(),
            detail: json!({}),
            at_ms: 4,
            closed_at_ms: None,
            closed_by: None,
        };
        let reply = |n: i64, at_ms| ReusableReply {
            source: "courier.price".into(),
            input_hash: "ab".repeat(32),
            output: json!(n),
            at_ms,
        };
        let full = with(event(&j, 2), |c| {
            c.documents = vec![document.clone()];
            c.correlations = vec![reference(json!(1)), reference(json!({"grams": 5}))];
            c.incidents = vec![incident.clone()];
            c.replies = vec![reply(1, 50)];
        });
        assert_eq!(store.commit(full).await?, DONE);
        store.commit(with(event(&j, 3), |c| c.replies = vec![reply(2, 90)])).await?;
        assert_eq!(store.document(&document.id).await?, Some(document));
        assert_eq!(store.correlation("courier", "R-1").await?, Some(reference(json!({"grams": 5}))));
        assert_eq!(store.correlation("courier", "R-2").await?, None);
        assert_eq!(store.reusable_reply("courier.price", &"ab".repeat(32), 90).await?, Some(json!(2)));
        assert_eq!(store.reusable_reply("courier.price", &"ab".repeat(32), 91).await?, None, "too old");
        assert_eq!(store.incidents(true, 9).await?, vec![incident.clone()]);
        assert!(store.close_incident(&incident.id, "operator", 9).await?);
        assert!(!store.close_incident(&incident.id, "operator", 9).await?);
        assert_eq!(store.incidents(true, 9).await?, []);
        assert_eq!(store.incidents(false, 9).await?[0].closed_at_ms, Some(9));
        Ok(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_outside_event_counts_once() {
    check(async |node| {
        let store = &node.store;
        let hook = |once: &str| WebhookRecord {
            partner: "courier".into(),
            once: once.into(),
            reference: "R-1".into(),
            event: json!({"at": "door"}),
            at_ms: 5,
        };
        let consume = |j: &str, seq, once: &str| with(event(j, seq), |c| c.consumes = Some(hook(once)));
        let j = id();
        store.commit(event(&j, 0)).await?;
        assert!(store.park_webhook(hook("a")).await?);
        assert!(!store.park_webhook(hook("a")).await?);
        assert_eq!(store.parked_webhooks(9).await?, [hook("a")]);
        assert_eq!(store.commit(consume(&j, 7, "a")).await?, Committed::Moved);
        assert_eq!(store.commit(consume(&j, 1, "a")).await?, DONE, "its journey came");
        assert_eq!(store.commit(consume(&j, 2, "a")).await?, Committed::Superseded);
        assert_eq!(store.parked_webhooks(9).await?, []);
        assert_eq!(store.commit(consume(&j, 2, "b")).await?, DONE, "at once");
        assert!(!store.park_webhook(hook("b")).await?);
        store.park_webhook(hook("c")).await?;
        store.drop_webhook("courier", "c").await?;
        assert!(!store.park_webhook(hook("c")).await?, "dropped is seen");
        assert_eq!(store.commit(consume(&j, 3, "c")).await?, Committed::Superseded);

        // parked or not: of many commits at once on two nodes, one
        let second = node.again().await?;
        for once in ["d", "e"] {
            if once == "e" {
                store.park_webhook(hook(once)).await?;
            }
            let all = (0..16).map(|i| {
                let (store, j) = (if i % 2 == 0 { store } else { &second }, id());
                async move {
                    let start = i % 4 < 2;
                    if !start {
                        store.commit(event(&j, 0)).await?;
                    }
                    store.commit(consume(&j, i64::from(!start), once)).await
                }
            });
            let outcomes: Vec<Committed> = join_all(all).await.into_iter().collect::<std::result::Result<_, _>>()?;
            assert_eq!(outcomes.iter().filter(|o| **o == DONE).count(), 1, "{outcomes:?}");
            assert_eq!(outcomes.iter().filter(|o| **o == Committed::Superseded).count(), 15, "{outcomes:?}");
        }
        Ok(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_sends_at_once_to_one_number_one_is_counted() {
    check(async |node| {
        let (store, second) = (&node.store, node.again().await?);
        let send = |to: &str, number: i64, slot: i64| CountedSend {
            recipient: to.into(),
            number,
            buckets: vec![("all".into(), slot), (format!("block of {to}"), slot)],
        };
        let sends = |j: &str, seq: i64, sends: Vec<CountedSend>| with(event(j, seq), |c| c.sends = sends);
        let (reader, other) = (id(), id());
        let history = async |to: &str, limit, after| {
            let block = format!("block of {to}");
            store.send_history(to, limit, &[("all".into(), after), (block, after)]).await
        };
        assert_eq!(history(&reader, 5, 0).await?, SendHistory::default());
        let j = id();
        assert_eq!(store.commit(sends(&j, 0, vec![send(&reader, 1, 60)])).await?, DONE);
        assert_eq!(store.commit(sends(&j, 1, vec![send(&reader, 1, 60)])).await?, Committed::Moved, "taken");
        assert_eq!(store.journey(&j).await?.map(|j| j.seq), Some(1), "nothing else of it is written");
        assert_eq!(store.commit(sends(&j, 1, vec![send(&reader, 2, 60), send(&other, 1, 120)])).await?, DONE);
        let seen = history(&reader, 5, 0).await?;
        assert_eq!(seen.latest, [(2, 1_001), (1, 1_000)]);
        let mut slots = seen.slots;
        slots.sort();
        let block = format!("block of {reader}");
        assert_eq!(slots, [("all".into(), 60, 2), ("all".into(), 120, 1), (block.clone(), 60, 2)]);
        let seen = history(&reader, 1, 60).await?;
        assert_eq!((seen.latest, seen.slots), (vec![(2, 1_001)], vec![("all".into(), 120, 1)]));

        // two nodes, starts and events: of those who take one number, one is written
        for number in 3..8 {
            let all = (0..16).map(|i| {
                let (store, j, reader) = (if i % 2 == 0 { store } else { &second }, id(), &reader);
                async move {
                    let start = i % 4 < 2;
                    if !start {
                        store.commit(event(&j, 0)).await?;
                    }
                    store.commit(sends(&j, i64::from(!start), vec![send(reader, number, 180)])).await
                }
            });
            let outcomes: Vec<Committed> = join_all(all).await.into_iter().collect::<std::result::Result<_, _>>()?;
            assert_eq!(outcomes.iter().filter(|o| **o == DONE).count(), 1, "{outcomes:?}");
            assert_eq!(outcomes.iter().filter(|o| **o == Committed::Moved).count(), 15, "{outcomes:?}");
        }
        // to many numbers at once: the wide bucket has counted each
        let ids: Vec<String> = (0..64).map(|_| id()).collect();
        let all = ids.iter().enumerate().map(|(i, to)| {
            let store = if i % 2 == 0 { store } else { &second };
            store.commit(sends(to, 0, vec![send(to, 1, 240)]))
        });
        for outcome in join_all(all).await {
            assert_eq!(outcome?, DONE);
        }
        let seen = history(&reader, 9, 120).await?;
        let slots: Vec<_> = seen.slots.iter().filter(|(bucket, ..)| bucket == "all").cloned().collect();
        assert_eq!(slots, [("all".into(), 180, 5), ("all".into(), 240, 64)]);
        assert_eq!(seen.latest.first().map(|(number, _)| *number), Some(7));
        assert!(store.clean(2_000, 1_000).await? > 60);
        assert_eq!(history(&reader, 9, 0).await?, SendHistory::default());
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_session_ends_when_it_is_ended() {
    check(async |node| {
        let store = &node.store;
        let session = SessionRecord {
            token_hash: "ef".repeat(32),
            id: id(),
            subject: json!({"roles": []}),
            created_at_ms: 1,
            expires_at_ms: 90,
        };
        store.save_session(session.clone()).await?;
        store.save_session(SessionRecord { subject: json!({"roles": ["reader"]}), ..session.clone() }).await?;
        let found = store.session(&session.token_hash).await?.expect("there");
        assert_eq!((found.subject, &found.id), (json!({"roles": ["reader"]}), &session.id));
        store.end_session(&session.token_hash).await?;
        assert_eq!(store.session(&session.token_hash).await?, None);
        Ok(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_version_keeps_its_files() {
    check(async |node| {
        let store = &node.store;
        let hash = |n: u8| format!("{n:02x}").repeat(32);
        let file = |path: &str, n: u8| DefinitionFile { path: path.into(), hash: hash(n), content: vec![n; 3] };
        let version = |v: u8, closure: &[(&str, u8)]| VersionRecord {
            workflow: "loan".into(),
            version: hash(v)[..32].into(),
            closure: closure.iter().map(|(p, n)| ((*p).into(), hash(*n))).collect(),
        };
        let publication = |files, versions| Publication { number: 0, at_ms: 5, by: "desk".into(), files, versions };
        assert_eq!((store.publication_number().await?, store.current_publication().await?), (0, None));
        let mut changes = store.changes();
        let one = publication(
            vec![file("loan", 1), file("form", 2), file("twin", 2)],
            vec![version(1, &[("loan", 1), ("form", 2)])],
        );
        assert_eq!(store.publish(one.clone()).await?, 1);
        assert_eq!(changes.recv().await?.what, Changed::Publication);
        assert_eq!(store.current_publication().await?, Some(Publication { number: 1, ..one }));
        let two = publication(vec![file("loan", 1), file("form", 3)], vec![version(2, &[("loan", 1), ("form", 3)])]);
        assert_eq!(store.publish(two).await?, 2);
        assert_eq!(store.version_files("loan", &hash(1)[..32]).await?, Some(vec![file("loan", 1), file("form", 2)]));
        assert_eq!(store.version_files("loan", &hash(2)[..32]).await?, Some(vec![file("loan", 1), file("form", 3)]));
        assert_eq!(store.version_files("loan", &hash(9)[..32]).await?, None);
        let second = node.again().await?;
        let more = (0..8)
            .map(|i| if i % 2 == 0 { store } else { &second })
            .map(|s| s.publish(publication(vec![file("x", 7)], vec![])));
        let mut numbers: Vec<i64> = join_all(more).await.into_iter().collect::<std::result::Result<_, _>>()?;
        numbers.sort();
        assert_eq!(numbers, [3, 4, 5, 6, 7, 8, 9, 10]);
        assert_eq!(store.publication_number().await?, 10);
        Ok(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_value_is_swapped_by_one() {
    check(async |node| {
        let (store, second) = (&node.store, node.again().await?);
        let both = |i: i64| if i % 2 == 0 { store } else { &second };
        let firsts = join_all((0..16).map(|i| both(i).kv_swap("b", "k", None, json!({"n": 0, "by": i})))).await;
        assert_eq!(firsts.into_iter().flatten().filter(|won| *won).count(), 1);
        let counts = (0..8).map(|i| async move {
            let mut won = 0;
            while won < 5 {
                let old = both(i).kv_get("b", "k").await?.expect("there");
                let new = json!({"n": old["n"].as_i64().unwrap_or(0) + 1});
                won += i64::from(both(i).kv_swap("b", "k", Some(old), new).await?);
            }
            anyhow::Ok(())
        });
        join_all(counts).await.into_iter().collect::<Result<()>>()?;
        assert_eq!(store.kv_get("b", "k").await?, Some(json!({"n": 40})));
        store.kv_put("b", "o", json!({"x": 1, "y": 2})).await?;
        assert!(store.kv_swap("b", "o", Some(json!({"y": 2, "x": 1})), json!(null)).await?, "values, not texts");
        assert_eq!(store.kv_list("b", 9).await?, [("k".into(), json!({"n": 40})), ("o".into(), json!(null))]);
        store.kv_delete("b", "k").await?;
        assert_eq!((store.kv_get("b", "k").await?, store.kv_list("b", 9).await?.len()), (None, 1));
        Ok(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_writers_one_wins_each_number() {
    check(async |node| {
        let (store, second, j) = (&node.store, node.again().await?, id());
        store.commit(event(&j, 0)).await?;
        let writers = (0..16).map(|w| {
            let (store, j) = (if w % 2 == 0 { store } else { &second }, &j);
            async move {
                let mut won = Vec::new();
                loop {
                    let seq = store.journey(j).await?.expect("there").seq;
                    if seq >= 40 {
                        return anyhow::Ok(won);
                    }
                    let commit = with(event(j, seq), |c| {
                        c.events[0].data = json!({"writer": w});
                        c.effects = vec![effect(j, seq + 1, 0, 0)];
                    });
                    match store.commit(commit).await? {
                        Committed::Done { .. } => won.push((seq + 1, w)),
                        other => assert_eq!(other, Committed::Moved),
                    }
                }
            }
        });
        let mut won: Vec<(i64, i32)> = join_all(writers).await.into_iter().collect::<Result<Vec<_>>>()?.concat();
        won.sort();
        let stored = store.events(&j, 1, 100).await?;
        let stored: Vec<(i64, i32)> =
            stored.iter().map(|e| (e.seq, e.data["writer"].as_i64().unwrap_or(-1) as i32)).collect();
        assert_eq!(won, stored, "who was told Done is who is stored");
        assert_eq!(won.iter().map(|w| w.0).collect::<Vec<_>>(), (2..=40).collect::<Vec<_>>());
        assert_eq!(store.effects(EffectFilter { journey: Some(j), limit: 100, ..Default::default() }).await?.len(), 39);
        Ok(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn neighbours_in_a_batch_do_not_harm_each_other() {
    check(async |node| {
        let store = &node.store;
        let ids: Vec<String> = (0..64).map(|_| id()).collect();
        let commits = ids.iter().enumerate().map(|(i, j)| {
            let commit = with(event(j, 0), |c| {
                c.idempotency = key((i == 9).then_some(1), 1);
                c.records = vec![NewRecord { kind: "loan".into(), key: String::new(), data: json!(i) }];
                // one cannot be written, one is computed from nothing
                c.effects = (0..2).map(|n| effect(j, 1, if i == 7 { 0 } else { n }, 0)).collect();
                if i == 9 {
                    (c.new, c.expected_seq) = (None, 4);
                }
            });
            store.commit(commit)
        });
        for (i, outcome) in join_all(commits).await.into_iter().enumerate() {
            match (i, outcome) {
                (7, outcome) => assert!(outcome.is_err(), "{outcome:?}"),
                (9, outcome) => assert_eq!(outcome?, Committed::Moved),
                (_, outcome) => assert!(matches!(outcome?, Committed::Done { records } if records[0].data == json!(i))),
            }
        }
        for (i, j) in ids.iter().enumerate() {
            let there = (
                store.journey(j).await?.map(|j| j.seq),
                store.records(j).await?.len(),
                store.used_key(j, None).await?.is_some(),
            );
            assert_eq!(there, if i == 7 || i == 9 { (None, 0, false) } else { (Some(1), 1, true) }, "{i}");
        }
        Ok(())
    })
    .await;
}

/// Polls for so long and then drops, finished or not (a timer would wait for whole milliseconds).
async fn drop_after<T>(patience: Duration, future: impl Future<Output = T>) {
    let mut future = std::pin::pin!(future);
    let start = std::time::Instant::now();
    while futures::poll!(&mut future).is_pending() && start.elapsed() < patience {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_dropped_write_is_whole_or_nothing() {
    check(async |node| {
        let store = &node.store;
        let mut ids = Vec::new();
        let second = node.again().await?;
        let empty = Publication { number: 0, at_ms: 5, by: "desk".into(), files: vec![], versions: vec![] };
        for i in 0..150_u64 {
            let j = id();
            let commit = with(event(&j, 0), |c| c.effects = vec![effect(&j, 1, 0, 0)]);
            // dropped at its first wait, or somewhat later
            let patience = Duration::from_micros(i * 6);
            drop_after(patience, store.commit(commit)).await;
            drop_after(patience, store.publish(empty.clone())).await;
            drop_after(patience, store.journey(&j)).await;
            // nothing was left open: a later write is there for another node at once
            store.kv_put("after", "n", json!(i)).await?;
            assert_eq!(second.kv_get("after", "n").await?, Some(json!(i)));
            ids.push(j);
        }
        for j in &ids {
            let seq = store.journey(j).await?.map(|j| j.seq);
            let rest = (
                store.events(j, 0, 9).await?.len(),
                store.effects(EffectFilter { journey: Some(j.clone()), ..Default::default() }).await?.len(),
            );
            assert_eq!(rest, if seq.is_some() { (1, 1) } else { (0, 0) });
        }
        Ok(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nodes_hear_of_each_other() {
    check(async |node| {
        let (store, second, j) = (&node.store, node.again().await?, id());
        join_all([store.migrate(), second.migrate(), store.migrate()])
            .await
            .into_iter()
            .collect::<std::result::Result<Vec<_>, _>>()?;
        let (mut wake, mut changes) = (store.wake(), store.changes());
        wake.mark_unchanged();
        let commit = with(event(&j, 0), |c| c.effects = vec![effect(&j, 1, 0, 0)]);
        let told = commit.change.clone();
        store.commit(commit).await?;
        assert_eq!(changes.recv().await?, told);
        assert!(wake.has_changed()?);
        if store.kind() == "postgres" {
            // a node listens from some moment on: tell it until it hears
            let (mut there, mut seq) = (second.changes(), 1);
            let heard = async {
                loop {
                    store.commit(event(&j, seq)).await?;
                    seq += 1;
                    if let Ok(change) = tokio::time::timeout(Duration::from_millis(50), there.recv()).await {
                        return anyhow::Ok(change?);
                    }
                }
            };
            assert_eq!(tokio::time::timeout(Duration::from_secs(20), heard).await??.journey, j);
        }
        Ok(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_nodes_may_migrate_at_once() {
    for kind in ["sqlite", "postgres"] {
        let folder = tempfile::tempdir().expect("folder");
        let url = match kind {
            "sqlite" => format!("sqlite:{}/journey.db", folder.path().display()),
            _ => postgres::database().await.expect("database"),
        };
        let nodes = join_all((0..4).map(|_| connect(&url))).await;
        let nodes: Vec<_> = nodes.into_iter().collect::<std::result::Result<_, _>>().expect(kind);
        for migrated in join_all(nodes.iter().map(|n| n.migrate())).await {
            migrated.expect(kind);
        }
        assert_eq!(nodes[0].journey_counts().await.expect(kind), []);
    }
    assert!(matches!(connect("mysql://x").await, Err(StoreError::Settings(_))));
}

#[tokio::test]
async fn a_database_of_another_build_is_left_alone() {
    check(async |node| {
        let sql = "update journey_migrations set checksum = $1 where version = 1";
        match node.store.kind() {
            "sqlite" => {
                let pool = sqlx::SqlitePool::connect(&node.url).await?;
                sqlx::query(sql).bind(vec![1_u8]).execute(&pool).await?;
                pool.close().await;
            }
            _ => {
                let pool = sqlx::PgPool::connect(&node.url).await?;
                sqlx::query(sql).bind(vec![1_u8]).execute(&pool).await?;
            }
        }
        let refused = node.again().await?.migrate().await;
        assert!(matches!(refused, Err(StoreError::OtherBuild)), "{refused:?}");
        Ok(())
    })
    .await;
}

/// PostgreSQL only: the server cuts every connection again and again while commits are on their way.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_lost_connection_loses_and_doubles_nothing() -> Result<()> {
    let url = postgres::database().await?;
    let store = connect(&url).await?;
    store.migrate().await?;
    let pool = sqlx::PgPool::connect(&url).await?;
    let cut = async {
        for _ in 0..30 {
            let sql = "select pg_terminate_backend(pid) from pg_stat_activity \
                       where application_name = 'journey' and datname = current_database()";
            sqlx::query(sql).execute(&pool).await?;
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        anyhow::Ok(())
    };
    let writers = join_all((0..8).map(|_| async {
        let j = id();
        for seq in 0..30 {
            // the commit path resolves what it does not know; nothing else tells it apart
            assert_eq!(store.commit(event(&j, seq)).await?, DONE, "{seq}");
        }
        anyhow::Ok(j)
    }));
    let (cut, written) = tokio::join!(cut, writers);
    cut?;
    for j in written {
        let seqs: Vec<i64> =
            sqlx::query_scalar("select e.id & 1048575 from events e join journeys j on j.n = e.id >> 20 where j.id = decode($1, 'hex') order by e.id")
                .bind(j?)
                .fetch_all(&pool)
                .await?;
        assert_eq!(seqs, (1..=30).collect::<Vec<_>>());
    }
    Ok(())
}

/// PostgreSQL only: the commit arrives, its confirmation does not. Whoever asked is told what happened all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_commit_without_confirmation_is_resolved() -> Result<()> {
    let url = postgres::database().await?;
    let direct = connect(&url).await?;
    direct.migrate().await?;
    let swallow = Arc::new(AtomicBool::new(false));
    let store = connect(&proxy(&url, swallow.clone()).await?).await?;
    let mut swallowed = 0;
    for n in 0..20 {
        let j = id();
        let first = with(event(&j, 0), |c| {
            c.records = vec![NewRecord { kind: "loan".into(), key: String::new(), data: json!(n) }]
        });
        assert!(matches!(store.commit(first).await?, Committed::Done { records } if records.len() == 1));
        swallow.store(true, Ordering::SeqCst);
        let second = with(event(&j, 1), |c| {
            c.idempotency = key(Some(1), 1);
            c.effects = vec![effect(&j, 2, 0, 0)];
            c.records = vec![NewRecord { kind: "loan".into(), key: String::new(), data: json!(-n) }];
        });
        match store.commit(second.clone()).await? {
            Committed::Done { records } => {
                assert_eq!(records.iter().map(|r| &r.data).collect::<Vec<_>>(), [&json!(-n)])
            }
            other => panic!("{other:?}"),
        }
        swallowed += i32::from(!swallow.swap(false, Ordering::SeqCst));
        assert!(matches!(store.commit(second).await?, Committed::KeyUsed(_)), "a true repeat is still one");
        assert_eq!(direct.events(&j, 0, 9).await?.len(), 2);
    }
    assert!(swallowed > 0, "no confirmation was swallowed");
    Ok(())
}

/// Passes everything on to the server; while `swallow` is set, the next answer is lost together with its connection.
async fn proxy(url: &str, swallow: Arc<AtomicBool>) -> Result<String> {
    let (rest, folder) = url.split_once("?host=").context("address of a socket")?;
    let (socket, database) = (format!("{folder}/.s.PGSQL.5432"), rest.rsplit('/').next().unwrap_or_default());
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("postgres://postgres@{}/{database}?sslmode=disable", listener.local_addr()?);
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let (socket, swallow) = (socket.clone(), swallow.clone());
            tokio::spawn(async move {
                let server = UnixStream::connect(socket).await?;
                let (mut from_client, mut to_client) = client.into_split();
                let (mut from_server, mut to_server) = server.into_split();
                let up = tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_server).await });
                let mut answer = vec![0; 65_536];
                loop {
                    let length = from_server.read(&mut answer).await?;
                    if length == 0 || swallow.swap(false, Ordering::SeqCst) {
                        up.abort();
                        return std::io::Result::Ok(());
                    }
                    to_client.write_all(&answer[..length]).await?;
                }
            });
        }
    });
    Ok(url)
}

#[tokio::test]
async fn a_message_has_one_row_and_what_was_sent_stays_sent() {
    check(async |node| {
        let (store, j, other) = (&node.store, id(), id());
        store.commit(with(event(&j, 0), |c| c.effects = vec![effect(&j, 1, 0, 50), effect(&j, 1, 1, 50)])).await?;
        store.commit(with(event(&other, 0), |c| c.effects = vec![effect(&other, 1, 0, 50)])).await?;
        let message = |journey: &str, index, state, at_ms| SentMessage {
            effect: EffectKey { journey: journey.into(), seq: 1, index },
            message: "due_back".into(),
            channel: "sms".into(),
            purpose: "service".into(),
            language: "hi".into(),
            template_id: Some("T-1".into()),
            recipient: "*****43210".into(),
            recipient_hash: "ab".repeat(32),
            state,
            provider_id: None,
            reason: Some(json!({"code": "later", "text": "ä"})),
            ordered_at_ms: 10,
            at_ms,
        };
        let failed = message(&j, 0, MessageState::Failed, 60);
        store.save_message(failed.clone()).await?;
        assert_eq!(store.message(&failed.effect).await?, Some(failed.clone()));
        let sent = SentMessage {
            state: MessageState::Sent,
            provider_id: Some("p1".into()),
            reason: None,
            at_ms: 70,
            ..failed.clone()
        };
        store.save_message(sent.clone()).await?;
        store.save_message(SentMessage { at_ms: 80, ..failed }).await?;
        let filter = |journey: Option<&str>, hash: Option<&str>| MessageFilter {
            journey: journey.map(str::to_owned),
            recipient_hash: hash.map(str::to_owned),
            limit: 0,
        };
        assert_eq!(
            store.messages(filter(Some(&j), None)).await?,
            std::slice::from_ref(&sent),
            "one row; what was sent stays sent"
        );
        let skipped = SentMessage { recipient_hash: "cd".repeat(32), ..message(&j, 1, MessageState::Skipped, 65) };
        let theirs = message(&other, 0, MessageState::Sent, 90);
        for m in [&skipped, &theirs, &message(&id(), 0, MessageState::Sent, 1)] {
            store.save_message(m.clone()).await?;
        }
        assert_eq!(
            store.messages(filter(Some(&j), None)).await?,
            [sent.clone(), skipped.clone()],
            "newest first, not the neighbour's"
        );
        assert_eq!(store.messages(filter(None, Some(&"ab".repeat(32)))).await?, [theirs.clone(), sent.clone()]);
        assert_eq!(store.messages(MessageFilter { limit: 1, ..filter(None, None) }).await?, [theirs]);
        assert_eq!(store.messages(filter(Some(&id()), None)).await?, []);
        // the effect goes, the record stays
        store.commit(with(event(&j, 1), |c| c.cancel_effects = vec![sent.effect.clone()])).await?;
        assert!(store.clean(5_000, 100).await? > 0);
        assert_eq!((store.effect(&sent.effect).await?, store.message(&sent.effect).await?), (None, Some(sent.clone())));
        // and goes by its own time
        assert_eq!(store.clean_messages(70, 100).await?, 1);
        assert_eq!(store.messages(filter(Some(&j), None)).await?, [sent]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn presence_is_written_for_many_at_once() {
    check(async |node| {
        let store = &node.store;
        let ids: Vec<String> = (0..300).map(|_| id()).collect();
        for done in join_all(ids.iter().map(|j| store.commit(event(j, 0)))).await {
            assert_eq!(done?, DONE);
        }
        let note = |journey: &str, seen_at_ms, online| PresenceNote { journey: journey.into(), seen_at_ms, online };
        let notes = |from: usize, to: usize, at_ms, online| {
            ids[from..to].iter().map(|j| note(j, at_ms, online)).collect::<Vec<_>>()
        };
        let mut first = notes(0, 300, 100, true);
        first.push(note(&id(), 100, true));
        store.note_presence(first).await?;
        store.note_presence(Vec::new()).await?;
        assert_eq!(store.presence(&ids[299]).await?, Some(note(&ids[299], 100, true)));
        assert_eq!(store.presence(&id()).await?, None);
        // two nodes, in any order: the newest counts, also when the older one says that she has gone
        let second = node.again().await?;
        let mut gone = notes(100, 300, 200, false);
        gone.reverse();
        let (late, early) = tokio::join!(store.note_presence(notes(0, 200, 300, true)), second.note_presence(gone));
        late?;
        early?;
        for (index, seen_at_ms, online) in [(0, 300, true), (150, 300, true), (250, 200, false)] {
            assert_eq!(store.presence(&ids[index]).await?, Some(note(&ids[index], seen_at_ms, online)));
        }
        store.note_presence(vec![note(&ids[0], 300, false), note(&ids[250], 400, true)]).await?;
        assert_eq!(store.presence(&ids[0]).await?, Some(note(&ids[0], 300, false)));
        assert_eq!(store.presence(&ids[250]).await?, Some(note(&ids[250], 400, true)));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn effects_of_a_kind_stand_in_line_and_waiting_costs_no_attempt() {
    check(async |node| {
        let (store, j, other) = (&node.store, id(), id());
        let k = |index| EffectKey { journey: j.clone(), seq: 1, index };
        let kind = |kind: &str, e: NewEffect| NewEffect { kind: kind.into(), ..e };
        let orders = vec![
            kind("track", effect(&j, 1, 0, 10)),
            effect(&j, 1, 1, 10),
            kind("track", effect(&j, 1, 2, 10)),
            kind("track", effect(&j, 1, 3, 10)),
        ];
        store.commit(with(event(&other, 0), |c| c.effects = vec![kind("track", effect(&other, 1, 0, 900))])).await?;
        store.commit(with(event(&j, 0), |c| c.effects = orders)).await?;
        let claimed = store.claim_effects(claim(20)).await?;
        assert_eq!(claimed.len(), 4);
        let line = async |index| store.first_in_line(&k(index), "track").await;
        assert_eq!(
            (line(0).await?, line(2).await?, line(3).await?),
            (true, false, false),
            "running ones stand in line too"
        );
        assert!(store.first_in_line(&k(1), "call").await?, "another kind has its own line");
        assert!(store.first_in_line(&EffectKey { journey: other.clone(), seq: 1, index: 0 }, "track").await?);
        // given back: the attempt does not count, whether it had begun or not
        assert_eq!(store.begin_effects(vec![(k(2), 1)]).await?, [true]);
        let later = EffectEnd::Later { due_at_ms: 5_000, reason: json!({"code": "in_line"}) };
        for index in [2, 3] {
            assert!(store.finish_effect(&k(index), 1, later.clone()).await?);
        }
        let waiting = store.effect(&k(2)).await?.expect("there");
        assert_eq!((waiting.state, waiting.attempts, waiting.due_at_ms), (EffectState::Pending, 0, 5_000));
        assert_eq!(waiting.reason(), Some(&json!({"code": "in_line"})));
        let done = || EffectEnd::Done { outcome: Value::Null };
        assert!(!store.finish_effect(&k(2), 9, later.clone()).await?, "only its holder gives it back");
        assert!(store.finish_effect(&k(0), 1, done()).await?);
        let mut wake = store.wake();
        wake.borrow_and_update();
        assert!(store.call_next(&k(0), "track", 30).await?);
        assert!(wake.has_changed()?, "workers look");
        assert!(!store.call_next(&k(0), "track", 30).await?, "it is due already");
        let next = store.claim_effects(claim(30)).await?;
        assert_eq!(next.iter().map(|e| (e.key.index, e.attempts)).collect::<Vec<_>>(), [(2, 0)], "the next one only");
        assert_eq!((line(2).await?, line(3).await?), (true, false));
        assert!(store.finish_effect(&k(2), 2, EffectEnd::Parked { reason: json!("given up") }).await?);
        assert!(line(3).await?);
        assert!(store.call_next(&k(2), "track", 40).await?);
        assert!(!store.call_next(&k(3), "track", 50).await?, "nobody behind it, and not the neighbour's");
        assert!(store.call_effect(&EffectKey { journey: other.clone(), seq: 1, index: 0 }, 60).await?);
        assert!(!store.call_effect(&k(2), 60).await?, "parked");
        Ok(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_operator_finds_what_waits_and_makes_it_due_again() {
    check(async |node| {
        let store = &node.store;
        let (j, other) = (id(), id());
        let incident = |journey: &str, at_ms| IncidentRecord {
            id: id(),
            journey: journey.into(),
            version: "0f".repeat(16),
            place: "guard".into(),
            reason: "no number".into(),
            detail: json!({"work": {"timer": "t"}}),
            at_ms,
            closed_at_ms: None,
            closed_by: None,
        };
        let (first, last) = (incident(&j, 1), incident(&j, 2));
        let of_another = effect(&j, 1, 2, 700);
        let effects = vec![
            effect(&j, 1, 0, 0),
            effect(&j, 1, 1, 600),
            NewEffect { lane: "letters".into(), kind: "notify".into(), ..of_another },
        ];
        store
            .commit(with(event(&j, 0), |c| {
                c.effects = effects;
                c.timers = vec![NewTimer { id: "t".into(), due_at_ms: 900 }];
                c.incidents = vec![first.clone(), last.clone()];
            }))
            .await?;
        store.commit(with(event(&other, 0), |c| c.incidents = vec![incident(&other, 3)])).await?;

        // incidents, one by one and of one journey
        assert_eq!(store.incidents_of(&j, 9).await?, [last.clone(), first.clone()]);
        assert_eq!(store.incident(&first.id).await?, Some(first.clone()));
        assert_eq!(store.incident(&id()).await?, None);
        assert!(store.close_incident(&first.id, "asha", 9).await?);
        assert_eq!(store.incident(&first.id).await?.and_then(|i| i.closed_by), Some("asha".into()));

        // the queue in figures
        let held = store.claim_effects(claim(100)).await?;
        let mut backlog = store.backlog().await?;
        backlog.sort_by(|a, b| (&a.kind, a.state as u8).cmp(&(&b.kind, b.state as u8)));
        let shown: Vec<_> =
            backlog.iter().map(|b| (b.kind.as_str(), b.lane.as_str(), b.state, b.count, b.oldest_ms)).collect();
        use EffectState::{Done, Parked, Pending, Running};
        let lapse = held[0].lease_until_ms.expect("a lease");
        assert_eq!(
            shown,
            [
                ("call", "courier", Pending, 1, 600),
                ("call", "courier", Running, 1, lapse),
                ("notify", "letters", Pending, 1, 700),
                ("timer", "", Pending, 1, 900)
            ]
        );
        let by_lane = store.effects(EffectFilter { lane: Some("letters".into()), ..Default::default() }).await?;
        assert_eq!(by_lane.iter().map(|e| e.key.index).collect::<Vec<_>>(), [2]);

        // a node that stops hands over: the attempt does not count, the fence does
        let key = held[0].key.clone();
        assert!(
            store
                .finish_effect(&key, held[0].fence, EffectEnd::Later { due_at_ms: 150, reason: json!("stop") })
                .await?
        );
        let taken = store.claim_effects(claim(150)).await?;
        assert_eq!(taken.iter().map(|e| (e.key.index, e.attempts, e.fence)).collect::<Vec<_>>(), [(0, 0, 2)]);
        assert!(
            !store.finish_effect(&key, held[0].fence, EffectEnd::Done { outcome: json!(1) }).await?,
            "the one that stopped is fenced off"
        );

        // what is done may be done again, what waits is not made due twice
        assert!(store.finish_effect(&key, 2, EffectEnd::Done { outcome: json!({"ok": false}) }).await?);
        assert_eq!(store.effect(&key).await?.map(|e| e.state), Some(Done));
        assert!(store.requeue_effect(&key, 160).await?);
        assert!(!store.requeue_effect(&key, 160).await?);
        assert!(
            !store
                .effects(EffectFilter { state: Some(Parked), ..Default::default() })
                .await?
                .iter()
                .any(|e| e.key == key)
        );

        // a webhook that was consumed waits again, once
        let hook = WebhookRecord {
            partner: "courier".into(),
            once: "w".into(),
            reference: "R".into(),
            event: json!({}),
            at_ms: 5,
        };
        assert!(!store.requeue_webhook("courier", "w").await?, "never seen");
        assert_eq!(store.commit(with(event(&j, 1), |c| c.consumes = Some(hook.clone()))).await?, DONE);
        assert!(store.requeue_webhook("courier", "w").await?);
        assert!(!store.requeue_webhook("courier", "w").await?);
        assert_eq!(store.parked_webhooks(9).await?, std::slice::from_ref(&hook));
        assert_eq!(store.commit(with(event(&j, 2), |c| c.consumes = Some(hook))).await?, DONE, "it is taken again");
        Ok(())
    })
    .await;
}
