//! Records, documents, incidents.

use super::{DONE, check, event, id, with};
use engine_store::*;
use serde_json::Value;
use serde_json::json;

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
        assert_eq!(store.reusable_reply("courier.price", &"ab".repeat(32), 90).await?, Some(reply(2, 90)));
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
