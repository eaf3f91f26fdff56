//! Effects: leased, counted, fenced, in line, done again.

use super::{DONE, Node, check, claim, effect, event, id, incident, with};
use anyhow::Result;
use engine_store::*;
use futures::future::join_all;
use serde_json::Value;
use serde_json::json;

/// Key of an effect that the start of a journey ordered.
fn first(journey: &str, index: i32) -> EffectKey {
    EffectKey { journey: journey.into(), seq: 1, index }
}

fn indexes(effects: &[EffectRecord]) -> Vec<i32> {
    effects.iter().map(|effect| effect.key.index).collect()
}

fn good() -> EffectEnd {
    EffectEnd::Done { outcome: json!("delivered") }
}

/// A journey that has ordered three effects, due at 50, 40 and 900.
async fn ordered(node: &Node) -> Result<String> {
    let j = id();
    let effects = vec![effect(&j, 1, 0, 50), effect(&j, 1, 1, 40), effect(&j, 1, 2, 900)];
    node.store.commit(with(event(&j, 0), |c| c.effects = effects)).await?;
    Ok(j)
}

/// A journey that has ordered three effects; a worker holds the first two until 160, and their first attempts have
/// begun.
async fn begun(node: &Node) -> Result<String> {
    let j = ordered(node).await?;
    assert_eq!(indexes(&node.store.claim_effects(claim(60)).await?), [1, 0]);
    assert_eq!(node.store.begin_effects(vec![(first(&j, 0), 1), (first(&j, 1), 1)]).await?, [true, true]);
    Ok(j)
}

#[tokio::test]
async fn effects_that_are_due_are_leased_and_counted() {
    check(async |node| {
        let (store, j) = (&node.store, ordered(node).await?);
        let k = |index| first(&j, index);
        assert_eq!(store.next_due().await?, Some(40));
        assert_eq!(store.claim_effects(claim(39)).await?, []);
        let claimed = store.claim_effects(claim(60)).await?;
        assert_eq!(indexes(&claimed), [1, 0], "oldest due first");
        let e = &claimed[1];
        assert_eq!(
            (e.state, e.attempts, e.fence, e.lease_until_ms, e.due_at_ms),
            (EffectState::Running, 0, 1, Some(160), 50)
        );
        assert_eq!((e.worker.as_deref(), &e.payload, e.created_at_ms), (Some("w1"), &json!({"index": 0}), 1_000));
        let begun = store.begin_effects(vec![(k(0), 1), (k(1), 1), (k(2), 1)]).await?;
        assert_eq!(begun, [true, true, false], "2 is not due");
        assert_eq!(store.effect(&k(0)).await?.map(|e| (e.attempts, e.claims)), Some((1, 0)));
        assert_eq!(store.claim_effects(claim(100)).await?, [], "leased");
        assert!(store.extend_lease(&k(1), 1, 500).await?);
        assert!(!store.extend_lease(&k(1), 9, 500).await?);
        let lapsed = store.claim_effects(claim(160)).await?;
        assert_eq!(lapsed.iter().map(|e| (e.key.index, e.attempts, e.fence)).collect::<Vec<_>>(), [(0, 1, 2)]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_frozen_worker_is_fenced_off() {
    check(async |node| {
        let (store, j) = (&node.store, begun(node).await?);
        let k = || first(&j, 0);
        assert_eq!(indexes(&store.claim_effects(claim(160)).await?), [1, 0], "the leases have lapsed");
        let begin = async |fence| store.begin_effects(vec![(k(), fence)]).await;
        assert_eq!((begin(1).await?, begin(2).await?), (vec![false], vec![true]), "a frozen worker begins nothing");
        let settle = |seq, fence| with(event(&j, seq), |c| c.settles = Some((k(), fence, good())));
        assert_eq!(store.commit(settle(1, 1)).await?, Committed::Superseded, "frozen worker");
        assert_eq!(store.commit(settle(7, 2)).await?, Committed::Moved, "holder, but the journey moved on");
        assert!(!store.finish_effect(&k(), 1, good()).await?);
        assert_eq!(store.commit(settle(1, 2)).await?, DONE);
        assert_eq!(store.commit(settle(2, 2)).await?, Committed::Superseded, "settled once");
        let done = store.effect(&k()).await?.expect("there");
        assert_eq!((done.state, done.outcome), (EffectState::Done, Some(json!("delivered"))));
        Ok(())
    })
    .await;
}

/// Retry, attempts used up, handed out to be given up, parked, and again by hand.
#[tokio::test]
async fn an_effect_without_attempts_is_handed_out_to_be_given_up() {
    check(async |node| {
        let (store, j) = (&node.store, begun(node).await?);
        let k = || first(&j, 1);
        assert!(store.finish_effect(&first(&j, 0), 1, good()).await?);
        assert!(store.finish_effect(&k(), 1, EffectEnd::Retry { due_at_ms: 300, reason: json!("busy") }).await?);
        assert_eq!(store.next_due().await?, Some(300));
        assert_eq!(store.claim_effects(claim(300)).await?[0].attempts, 1);
        assert_eq!(store.begin_effects(vec![(k(), 2)]).await?, [true]);
        for round in 0..i64::from(CLAIMS_MAX + GIVE_UPS_MAX) {
            let mut spent = store.claim_effects(claim(400 + 100 * round)).await?;
            spent.retain(|e| e.key.index == 1);
            assert_eq!(
                spent.iter().map(|e| (e.attempts, e.spent())).collect::<Vec<_>>(),
                [(2, Some(Spent::Attempts))],
                "no third attempt: {round}"
            );
            let settle = with(event(&j, 1), |c| c.settles = Some((k(), 2, good())));
            assert_eq!(store.commit(settle).await?, Committed::Superseded, "who held it before is fenced off");
        }
        assert_eq!(indexes(&store.claim_effects(claim(9_000)).await?), [2], "nobody could give it up");
        let parked =
            store.effects(EffectFilter { state: Some(EffectState::Parked), limit: 9, ..Default::default() }).await?;
        assert_eq!(parked.iter().map(|e| (e.key.index, e.attempts)).collect::<Vec<_>>(), [(1, 2)]);
        assert_eq!(parked[0].outcome, Some(json!({"code": "attempts", "last": "busy"})));
        assert!(store.requeue_effect(&k(), 410).await?);
        assert!(!store.requeue_effect(&k(), 410).await?);
        let fresh = store.claim_effects(claim(410)).await?;
        assert_eq!(fresh.iter().map(|e| (e.key.index, e.attempts)).collect::<Vec<_>>(), [(1, 0)]);
        let park = EffectEnd::Parked { reason: json!("unknown address") };
        assert!(store.finish_effect(&k(), fresh[0].fence, park).await?);
        let skip = EffectEnd::Cancelled { reason: json!("by hand") };
        assert!(store.finish_effect(&k(), fresh[0].fence, skip).await?, "an operator skips it");
        Ok(())
    })
    .await;
}

/// A run that is over: pending and running effects are cancelled, and cannot be settled.
#[tokio::test]
async fn what_a_run_that_is_over_ordered_is_cancelled() {
    check(async |node| {
        let (store, j) = (&node.store, begun(node).await?);
        assert!(store.finish_effect(&first(&j, 0), 1, good()).await?);
        let skip = EffectEnd::Cancelled { reason: json!("by hand") };
        assert!(store.finish_effect(&first(&j, 1), 1, skip).await?);
        store.commit(with(event(&j, 1), |c| c.effects = vec![effect(&j, 2, 0, 0), effect(&j, 2, 1, 5_000)])).await?;
        let running = store.claim_effects(claim(1_000)).await?;
        assert_eq!(running.iter().map(|e| (e.key.seq, e.key.index)).collect::<Vec<_>>(), [(2, 0), (1, 2)]);
        let over = |index| EffectKey { journey: j.clone(), seq: 2, index };
        store.commit(with(event(&j, 2), |c| c.cancel_effects = vec![over(0), over(1)])).await?;
        assert!(!store.finish_effect(&over(0), running[0].fence, good()).await?);
        let states = store.effects(EffectFilter { journey: Some(j.clone()), ..Default::default() }).await?;
        let states: Vec<_> = states.iter().map(|e| (e.key.seq, e.key.index, e.state)).collect();
        use EffectState::*;
        assert_eq!(states, [(1, 0, Done), (1, 1, Cancelled), (1, 2, Running), (2, 0, Cancelled), (2, 1, Cancelled)]);
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
            assert_eq!(claimed[0].spent(), None);
        }
        for round in 1..=i64::from(GIVE_UPS_MAX) {
            assert_eq!(claim_at(30 + round).await?[0].spent(), Some(Spent::Claims), "it is only given up");
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
        let spent = &claim_at(53).await?[0];
        assert_eq!((spent.spent(), &spent.outcome), (Some(Spent::Attempts), &Some(json!("turned away"))));
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

fn room(lane: &str, gate: &str, free: u32, free_ahead: u32) -> LaneRoom {
    LaneRoom { lane: lane.into(), gate: gate.into(), free, free_ahead }
}

/// Ten steps for a slow partner come first, then one call of another, and two letters that share their gate.
async fn crowded(node: &Node) -> Result<()> {
    let j = id();
    let of = |lane: &str, index, due_at_ms| NewEffect { lane: lane.into(), ..effect(&j, 1, index, due_at_ms) };
    let mut effects: Vec<NewEffect> = (0..10).map(|index| of("slow", index, i64::from(index))).collect();
    effects.extend([of("quick", 10, 20), of("letter", 11, 21), of("card", 12, 22)]);
    node.store.commit(with(event(&j, 0), |c| c.effects = effects)).await?;
    Ok(())
}

#[tokio::test]
async fn a_lane_is_claimed_no_further_than_its_places() {
    check(async |node| {
        crowded(node).await?;
        let store = &node.store;
        let claim = |lanes: &[LaneRoom]| ClaimRequest { lanes: lanes.to_vec(), ..claim(60) };
        let post = [room("letter", "post", 1, 1), room("card", "post", 1, 1)];
        let few = [[room("slow", "slow", 3, 3)].as_slice(), &post].concat();
        let first = store.claim_effects(claim(&few)).await?;
        assert_eq!(indexes(&first), [0, 1, 2], "as many as were looked at: the slow ones are in front");
        let full = [room("slow", "slow", 0, 0), post[0].clone(), post[1].clone()];
        assert_eq!(indexes(&store.claim_effects(claim(&full)).await?), [10, 11], "those of one gate share its place");
        assert_eq!(store.next_due_beside(&["slow"]).await?, Some(22));
        assert_eq!(store.next_due_beside(&["slow", "card"]).await?, Some(160), "the end of a lease");
        assert_eq!(store.next_due().await?, Some(3));
        assert_eq!(indexes(&store.claim_effects(claim(&[])).await?), [3, 4, 5, 6, 7, 8, 9, 12]);
        Ok(())
    })
    .await;
}

/// What a person waits for, in each of its states.
#[tokio::test]
async fn what_a_person_waits_for_is_claimed_first_and_into_places_of_its_own() {
    check(async |node| {
        crowded(node).await?;
        let (store, j) = (&node.store, id());
        let code = |index, due_at_ms| NewEffect { is_ahead: true, ..effect(&j, 1, index, due_at_ms) };
        store.commit(with(event(&j, 0), |c| c.effects = vec![code(0, 50), code(1, 70)])).await?;
        let k = first(&j, 0);
        let of = |limit, ahead| ClaimRequest { limit, ahead, ..claim(60) };
        assert_eq!(indexes(&store.claim_effects(of(1, 0)).await?), [0], "one of the slow, due at 0");
        let claimed = store.claim_effects(of(0, 5)).await?;
        let shown = |e: &EffectRecord| (e.key.clone(), e.is_ahead, e.due_at_ms, e.lease_until_ms);
        assert_eq!(claimed.iter().map(shown).collect::<Vec<_>>(), [(k.clone(), true, 50, Some(160))], "1 is not due");
        assert_eq!(store.claim_effects(of(0, 5)).await?, [], "leased");
        assert!(store.extend_lease(&k, 1, 300).await?);
        let at = |now_ms| ClaimRequest { now_ms, ..of(0, 5) };
        assert_eq!(indexes(&store.claim_effects(at(299)).await?), [1]);
        assert_eq!(store.claim_effects(at(300)).await?.iter().map(|e| e.fence).collect::<Vec<_>>(), [2]);
        let again = EffectEnd::Retry { due_at_ms: 500, reason: json!("busy") };
        assert!(store.finish_effect(&k, 2, again).await?);
        let waiting = store.effect(&k).await?.expect("there");
        assert_eq!((waiting.state, waiting.due_at_ms, waiting.is_ahead), (EffectState::Pending, 500, true));
        assert_eq!(indexes(&store.claim_effects(at(499)).await?), [1], "its lease has ended");
        assert_eq!(indexes(&store.claim_effects(at(500)).await?), [0], "it stays ahead");
        store.end_leases(510).await?;
        assert_eq!(indexes(&store.claim_effects(at(510)).await?), [1, 0]);
        let late = store.backlog().await?.into_iter().filter(|row| row.state == EffectState::Running);
        assert!(late.map(|row| row.oldest_ms).all(|at| at > 0), "its figures are times");
        assert_eq!(store.next_due().await?, Some(1));
        Ok(())
    })
    .await;
}

fn tracked(effect: NewEffect) -> NewEffect {
    NewEffect { kind: "track".into(), ..effect }
}

/// A journey whose effects 0, 2 and 3 are tracked and 1 is a call, all held; and another with one tracked effect.
async fn in_line(node: &Node) -> Result<(String, String)> {
    let (store, j, other) = (&node.store, id(), id());
    let e = |index| effect(&j, 1, index, 10);
    let orders = vec![tracked(e(0)), e(1), tracked(e(2)), tracked(e(3))];
    store.commit(with(event(&other, 0), |c| c.effects = vec![tracked(effect(&other, 1, 0, 900))])).await?;
    store.commit(with(event(&j, 0), |c| c.effects = orders)).await?;
    assert_eq!(store.claim_effects(claim(20)).await?.len(), 4);
    Ok((j, other))
}

fn later() -> EffectEnd {
    EffectEnd::Later { due_at_ms: 5_000, reason: json!({"code": "in_line"}) }
}

#[tokio::test]
async fn effects_of_a_kind_stand_in_line() {
    check(async |node| {
        let (store, (j, other)) = (&node.store, in_line(node).await?);
        let line = async |index| store.first_in_line(&first(&j, index), "track").await;
        let all = (line(0).await?, line(2).await?, line(3).await?);
        assert_eq!(all, (true, false, false), "running ones stand in line too");
        assert!(store.first_in_line(&first(&j, 1), "call").await?, "another kind has its own line");
        assert!(store.first_in_line(&first(&other, 0), "track").await?);
        Ok(())
    })
    .await;
}

/// What is given back does not count, whether its attempt had begun or not.
#[tokio::test]
async fn waiting_in_line_costs_no_attempt() {
    check(async |node| {
        let (store, (j, _)) = (&node.store, in_line(node).await?);
        let k = |index| first(&j, index);
        assert_eq!(store.begin_effects(vec![(k(2), 1)]).await?, [true]);
        for index in [2, 3] {
            assert!(store.finish_effect(&k(index), 1, later()).await?);
        }
        let waiting = store.effect(&k(2)).await?.expect("there");
        assert_eq!((waiting.state, waiting.attempts, waiting.due_at_ms), (EffectState::Pending, 0, 5_000));
        assert_eq!(waiting.reason(), Some(&json!({"code": "in_line"})));
        assert!(!store.finish_effect(&k(2), 9, later()).await?, "only its holder gives it back");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn who_ends_calls_the_next_in_line() {
    check(async |node| {
        let (store, (j, other)) = (&node.store, in_line(node).await?);
        let k = |index| first(&j, index);
        let line = async |index| store.first_in_line(&k(index), "track").await;
        for index in [2, 3] {
            assert!(store.finish_effect(&k(index), 1, later()).await?);
        }
        assert!(store.finish_effect(&k(0), 1, EffectEnd::Done { outcome: Value::Null }).await?);
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
        assert!(store.call_effect(&first(&other, 0), 60).await?);
        assert!(!store.call_effect(&k(2), 60).await?, "parked");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn an_operator_finds_the_incidents_of_a_journey() {
    check(async |node| {
        let (store, j, other) = (&node.store, id(), id());
        let (early, late) = (incident(&j, 1), incident(&j, 2));
        store.commit(with(event(&j, 0), |c| c.incidents = vec![early.clone(), late.clone()])).await?;
        store.commit(with(event(&other, 0), |c| c.incidents = vec![incident(&other, 3)])).await?;
        assert_eq!(store.incidents_of(&j, 9).await?, [late, early.clone()]);
        assert_eq!(store.incident(&early.id).await?, Some(early.clone()));
        assert_eq!(store.incident(&id()).await?, None);
        assert!(store.close_incident(&early.id, "asha", 9).await?);
        assert_eq!(store.incident(&early.id).await?.and_then(|i| i.closed_by), Some("asha".into()));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn an_operator_sees_the_queue_in_figures() {
    check(async |node| {
        let (store, j) = (&node.store, id());
        let letter = NewEffect { lane: "letters".into(), kind: "notify".into(), ..effect(&j, 1, 2, 700) };
        let orders = |c: &mut Commit| {
            c.effects = vec![effect(&j, 1, 0, 0), effect(&j, 1, 1, 600), letter];
            c.timers = vec![NewTimer { id: "t".into(), due_at_ms: 900 }];
        };
        store.commit(with(event(&j, 0), orders)).await?;
        let held = store.claim_effects(claim(100)).await?;
        let mut backlog = store.backlog().await?;
        backlog.sort_by(|a, b| (&a.kind, a.state as u8).cmp(&(&b.kind, b.state as u8)));
        let shown: Vec<_> =
            backlog.iter().map(|b| (b.kind.as_str(), b.lane.as_str(), b.state, b.count, b.oldest_ms)).collect();
        use EffectState::{Pending, Running};
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
        assert_eq!(indexes(&by_lane), [2]);
        Ok(())
    })
    .await;
}

/// The attempt does not count, the fence does.
#[tokio::test]
async fn a_node_that_stops_hands_its_work_over() {
    check(async |node| {
        let (store, j) = (&node.store, id());
        store.commit(with(event(&j, 0), |c| c.effects = vec![effect(&j, 1, 0, 0)])).await?;
        let held = store.claim_effects(claim(100)).await?;
        let (key, fence) = (&held[0].key, held[0].fence);
        let stop = EffectEnd::Later { due_at_ms: 150, reason: json!("stop") };
        assert!(store.finish_effect(key, fence, stop).await?);
        let taken = store.claim_effects(claim(150)).await?;
        assert_eq!(taken.iter().map(|e| (e.key.index, e.attempts, e.fence)).collect::<Vec<_>>(), [(0, 0, 2)]);
        assert!(!store.finish_effect(key, fence, good()).await?, "the one that stopped is fenced off");
        Ok(())
    })
    .await;
}

/// Work that is done may be done again, and what waits is not made due twice.
#[tokio::test]
async fn what_is_done_may_be_done_again() {
    check(async |node| {
        let (store, j) = (&node.store, begun(node).await?);
        let key = first(&j, 0);
        assert!(store.finish_effect(&key, 1, EffectEnd::Done { outcome: json!({"ok": false}) }).await?);
        assert_eq!(store.effect(&key).await?.map(|e| e.state), Some(EffectState::Done));
        assert!(store.requeue_effect(&key, 160).await?);
        assert!(!store.requeue_effect(&key, 160).await?);
        let parked = store.effects(EffectFilter { state: Some(EffectState::Parked), ..Default::default() }).await?;
        assert!(!parked.iter().any(|e| e.key == key));
        Ok(())
    })
    .await;
}
