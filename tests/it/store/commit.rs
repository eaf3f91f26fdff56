//! Commits: all of it or nothing, in order, once per key.

use super::{DONE, check, effect, event, id, key, with};
use anyhow::Result;
use engine_store::*;
use futures::future::join_all;
use serde_json::json;
use std::time::Duration;

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
            c.update.person = Some(id());
            c.update.expires_at_ms = None;
        });
        let person = three.update.person.clone();
        assert_eq!(store.commit(three).await?, DONE);
        let stored = store.journey(&j).await?.expect("stored");
        assert_eq!((stored.seq, stored.revision, stored.step.as_str()), (5, 3, "step 2"));
        assert_eq!(stored.state, event(&j, 2).update.state);
        assert_eq!((stored.created_at_ms, stored.updated_at_ms, stored.expires_at_ms), (1_000, 1_002, None));
        assert_eq!((stored.version, stored.owner, &stored.person), ("0f".repeat(16), "reader".into(), &person));
        let seqs: Vec<i64> = store.events(&j, 0, 100).await?.iter().map(|e| e.seq).collect();
        assert_eq!(seqs, [1, 2, 3, 4, 5]);
        assert_eq!(store.events(&j, 3, 1).await?[0].seq, 4);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn journeys_are_found_by_whose_they_are_and_by_their_end() {
    check(async |node| {
        let (store, j, person) = (&node.store, id(), id());
        let signed_in = |c: &mut Commit| {
            c.update.person = Some(person.clone());
            c.update.expires_at_ms = None;
        };
        store.commit(event(&j, 0)).await?;
        store.commit(with(event(&j, 1), signed_in)).await?;
        let other = format!("{}-{}-4000-8000-000000000000", &j[..8], &j[8..12]);
        store.commit(event(&other, 0)).await?;
        assert_eq!(store.events(&other, 0, 9).await?.len(), 1, "not the neighbour's");
        let of = async |who: &str| -> engine_store::Result<Vec<String>> {
            Ok(store.journeys_of(JourneyFilter::of(who, 9)).await?.into_iter().map(|head| head.id).collect())
        };
        assert_eq!(of("reader").await?, [other.clone(), j.clone()], "the newest begun first");
        assert_eq!(of(&person).await?, std::slice::from_ref(&j));
        let without = async |hers: &str| -> engine_store::Result<Vec<String>> {
            let filter = JourneyFilter { not_of_others: Some(hers.into()), ..JourneyFilter::of("reader", 9) };
            Ok(store.journeys_of(filter).await?.into_iter().map(|head| head.id).collect())
        };
        assert_eq!(without(&person).await?, [other.clone(), j], "hers, and nobody's");
        assert_eq!(
            without(&id()).await?,
            std::slice::from_ref(&other),
            "what another person has shown to be hers is left out"
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

/// The journey's id comes from the key.
#[tokio::test]
async fn of_two_starts_with_one_key_one_counts() {
    check(async |node| {
        let (store, second) = (&node.store, node.again().await?);
        for _ in 0..20 {
            let j = id();
            let start = |body| with(event(&j, 0), |c| c.idempotency = key(None, body));
            let (one, two) = tokio::join!(store.commit(start(1)), second.commit(start(2)));
            let used = store.used_key(&j, None).await?.expect("used");
            let refused = Committed::KeyUsed(used.clone());
            assert_eq!([one?, two?], if used.body_hash == 1 { [DONE, refused] } else { [refused, DONE] });
            assert_eq!((used.journey.as_str(), store.events(&j, 0, 9).await?.len()), (j.as_str(), 1));
        }
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
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_newest_draft_stands_until_its_step_is_left() {
    check(async |node| {
        let (store, j) = (&node.store, id());
        store.commit(event(&j, 0)).await?;
        let draft = |n: i64, at_ms| Draft { journey: j.clone(), step: "address".into(), data: json!({"n": n}), at_ms };
        let drafts =
            async || store.journey(&j).await.map(|found| found.map(|journey| journey.drafts).unwrap_or_default());
        for d in [draft(1, 10), draft(2, 20), draft(0, 5)] {
            store.save_draft(d).await?;
        }
        assert_eq!(drafts().await?, [draft(2, 20)], "an older one does not win");
        store.save_draft(Draft { journey: id(), ..draft(1, 1) }).await?;
        store.commit(with(event(&j, 1), |c| c.clear_drafts = vec!["address".into(), "other".into()])).await?;
        assert_eq!(drafts().await?, []);
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
                c.records =
                    vec![NewRecord { kind: "loan".into(), key: String::new(), data: json!(i), ..NewRecord::default() }];
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
