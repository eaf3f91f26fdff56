//! Persons, sessions, and what the gate of sends counts.

use super::{DONE, Node, check, event, id, with};
use anyhow::Result;
use engine_store::*;
use futures::future::join_all;
use serde_json::json;

/// The send of this number to a recipient, in the bucket of all and in one of the recipient's.
fn send(to: &str, number: i64, slot: i64) -> CountedSend {
    CountedSend { recipient: to.into(), number, buckets: vec![("all".into(), slot), (format!("block of {to}"), slot)] }
}

fn sends(journey: &str, seq: i64, sends: Vec<CountedSend>) -> Box<Commit> {
    with(event(journey, seq), |c| c.sends = sends)
}

/// The latest sends to a recipient, and the counts of both buckets after a slot, sorted.
async fn history(node: &Node, to: &str, limit: u32, after: i64) -> Result<SendHistory> {
    let block = format!("block of {to}");
    let mut seen = node.store.send_history(to, limit, &[("all".into(), after), (block, after)]).await?;
    seen.slots.sort();
    Ok(seen)
}

#[tokio::test]
async fn sends_are_counted_by_number_and_by_bucket() {
    check(async |node| {
        let (store, reader, other, j) = (&node.store, id(), id(), id());
        assert_eq!(history(node, &reader, 5, 0).await?, SendHistory::default());
        assert_eq!(store.commit(sends(&j, 0, vec![send(&reader, 1, 60)])).await?, DONE);
        assert_eq!(store.commit(sends(&j, 1, vec![send(&reader, 1, 60)])).await?, Committed::Moved, "taken");
        assert_eq!(store.journey(&j).await?.map(|j| j.seq), Some(1), "nothing else of it is written");
        assert_eq!(store.commit(sends(&j, 1, vec![send(&reader, 2, 60), send(&other, 1, 120)])).await?, DONE);
        let seen = history(node, &reader, 5, 0).await?;
        assert_eq!(seen.latest, [(2, 1_001), (1, 1_000)]);
        let block = format!("block of {reader}");
        assert_eq!(seen.slots, [("all".into(), 60, 2), ("all".into(), 120, 1), (block, 60, 2)]);
        let seen = history(node, &reader, 1, 60).await?;
        assert_eq!((seen.latest, seen.slots), (vec![(2, 1_001)], vec![("all".into(), 120, 1)]));
        assert!(store.clean(2_000, 1_000).await? > 0);
        assert_eq!(history(node, &reader, 9, 0).await?, SendHistory::default());
        Ok(())
    })
    .await;
}

/// Two nodes, starts and events: of those who take one number, one is written.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_sends_at_once_to_one_number_one_is_counted() {
    check(async |node| {
        let (store, second, reader) = (&node.store, node.again().await?, id());
        for number in 1..6 {
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
        let seen = history(node, &reader, 9, 120).await?;
        assert_eq!(seen.latest.first().map(|(number, _)| *number), Some(5));
        assert_eq!(seen.slots, [("all".into(), 180, 5), (format!("block of {reader}"), 180, 5)]);
        Ok(())
    })
    .await;
}

/// The wide bucket has counted each.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sends_at_once_to_many_numbers_are_all_counted() {
    check(async |node| {
        let (store, second) = (&node.store, node.again().await?);
        let ids: Vec<String> = (0..64).map(|_| id()).collect();
        let all = ids.iter().enumerate().map(|(i, to)| {
            let store = if i % 2 == 0 { store } else { &second };
            store.commit(sends(to, 0, vec![send(to, 1, 240)]))
        });
        for outcome in join_all(all).await {
            assert_eq!(outcome?, DONE);
        }
        assert_eq!(history(node, &id(), 9, 120).await?.slots, [("all".into(), 240, 64)]);
        assert!(store.clean(2_000, 1_000).await? > 60);
        assert_eq!(history(node, &ids[0], 9, 0).await?, SendHistory::default());
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
            person: None,
            created_at_ms: 1,
            used_at_ms: 1,
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
async fn a_number_has_one_person() {
    check(async |node| {
        let (store, second) = (&node.store, node.again().await?);
        let fresh = |mobile: &str| PersonRecord {
            id: id(),
            mobile: mobile.into(),
            profile: json!({}),
            keys: "wrapped".into(),
            created_at_ms: 5,
            seen_at_ms: 5,
        };
        let (reader, other) = (id(), id());
        let all = join_all((0..8).map(|n| [store, &second][n % 2].person_of(fresh(&reader)))).await;
        let first = all.into_iter().next().expect("one")?;
        for known in join_all((0..8).map(|n| [store, &second][n % 2].person_of(fresh(&reader)))).await {
            assert_eq!(known?, first);
        }
        assert_ne!(store.person_of(fresh(&other)).await?.id, first.id);
        let seen = PersonRecord { seen_at_ms: 9, profile: json!({"name": "Asha"}), ..first };
        store.save_person(seen.clone()).await?;
        assert_eq!(second.person(&seen.id).await?, Some(seen));
        assert_eq!(store.person(&id()).await?, None);
        Ok(())
    })
    .await;
}
