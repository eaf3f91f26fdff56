//! References and webhooks.

use super::{DONE, check, event, id, with};
use engine_store::*;
use futures::future::join_all;
use serde_json::json;

fn hook(once: &str) -> WebhookRecord {
    WebhookRecord {
        partner: "courier".into(),
        once: once.into(),
        reference: "R-1".into(),
        event: json!({"at": "door"}),
        at_ms: 5,
    }
}

fn consume(journey: &str, seq: i64, once: &str) -> Box<Commit> {
    with(event(journey, seq), |c| c.consumes = Some(hook(once)))
}

#[tokio::test]
async fn an_outside_event_counts_once() {
    check(async |node| {
        let (store, j) = (&node.store, id());
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
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn whose_journey_is_known_is_not_behind_those_whose_never_comes() {
    check(async |node| {
        let (store, j) = (&node.store, id());
        store.commit(event(&j, 0)).await?;
        let parked =
            |once: &str, reference: &str, at_ms| WebhookRecord { reference: reference.into(), at_ms, ..hook(once) };
        let (lost, found) = (parked("x", "R-lost", 1), parked("y", "R-found", 2));
        for hook in [&lost, &found] {
            store.park_webhook(hook.clone()).await?;
        }
        assert_eq!(store.parked_webhooks(1).await?, std::slice::from_ref(&lost));
        let known = CorrelationRecord {
            partner: "courier".into(),
            reference: "R-found".into(),
            journey: j.clone(),
            expected: json!({}),
        };
        assert_eq!(store.commit(with(event(&j, 1), |c| c.correlations = vec![known])).await?, DONE);
        assert_eq!(store.parked_webhooks(1).await?, std::slice::from_ref(&found));
        assert_eq!(store.parked_webhooks(9).await?, [found, lost]);
        Ok(())
    })
    .await;
}

/// Parked or not.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_commits_at_once_on_two_nodes_one_has_the_event() {
    check(async |node| {
        let (store, second) = (&node.store, node.again().await?);
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

#[tokio::test]
async fn a_webhook_that_was_taken_waits_again_once() {
    check(async |node| {
        let (store, j) = (&node.store, id());
        store.commit(event(&j, 0)).await?;
        assert!(!store.requeue_webhook("courier", "w").await?, "never seen");
        assert_eq!(store.commit(consume(&j, 1, "w")).await?, DONE);
        assert!(store.requeue_webhook("courier", "w").await?);
        assert!(!store.requeue_webhook("courier", "w").await?);
        assert_eq!(store.parked_webhooks(9).await?, [hook("w")]);
        assert_eq!(store.commit(consume(&j, 2, "w")).await?, DONE, "it is taken again");
        Ok(())
    })
    .await;
}
