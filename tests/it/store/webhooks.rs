//! References and webhooks.

use super::{DONE, check, event, id, with};
use engine_store::*;
use futures::future::join_all;
use serde_json::json;

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

        // whose journey is known by now is not behind those whose never comes
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
        assert_eq!(store.commit(with(event(&j, 3), |c| c.correlations = vec![known])).await?, DONE);
        assert_eq!(store.parked_webhooks(1).await?, std::slice::from_ref(&found));
        assert_eq!(store.parked_webhooks(9).await?, [found, lost]);

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
