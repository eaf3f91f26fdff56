//! Records, documents, references, answers that may be used again, incidents.

use super::{DONE, check, event, id, incident, with};
use engine_store::*;
use serde_json::{Value, json};

#[tokio::test]
async fn results_keep_their_public_id() {
    check(async |node| {
        let (store, j) = (&node.store, id());
        let record = |kind: &str, key: &str, n: i64| NewRecord {
            kind: kind.into(),
            key: key.into(),
            data: json!({"n": n}),
            ..NewRecord::default()
        };
        let saved = async |seq: i64, records: Vec<NewRecord>| match store
            .commit(with(event(&j, seq), |c| c.records = records))
            .await
            .expect("a commit")
        {
            Committed::Done { records } => records,
            other => panic!("{other:?}"),
        };
        let first = saved(0, vec![record("loan", "", 1), record("copy", "x", 1)]).await;
        let second = saved(1, vec![record("loan", "", 1), record("loan", "", 2)]).await;
        assert_eq!((first.len(), second.len()), (2, 1));
        let loan = second[0].clone();
        assert_eq!(loan.public_id, first.iter().find(|r| r.kind == "loan").expect("loan").public_id);
        assert_eq!((loan.public_id.len(), &loan.data, loan.at_ms, &loan.journey), (32, &json!({"n": 2}), 1_001, &j));
        assert_eq!(store.record_by_public_id(&loan.public_id).await?, Some(loan.clone()));
        assert_eq!(store.record_by_public_id("guess").await?, None);
        assert_eq!(store.records(&j).await?.iter().map(|r| r.kind.as_str()).collect::<Vec<_>>(), ["copy", "loan"]);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_document_is_kept_as_it_came() {
    check(async |node| {
        let (store, j) = (&node.store, id());
        let document = DocumentRecord {
            id: id(),
            journey: j.clone(),
            name: "slip.pdf".into(),
            media_type: "application/pdf".into(),
            bytes: (0..=255).collect(),
            at_ms: 3,
        };
        assert_eq!(store.commit(with(event(&j, 0), |c| c.documents = vec![document.clone()])).await?, DONE);
        assert_eq!(store.document(&document.id).await?, Some(document));
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_last_word_on_a_reference_counts() {
    check(async |node| {
        let (store, j) = (&node.store, id());
        let reference = |expected: Value| CorrelationRecord {
            partner: "courier".into(),
            reference: "R-1".into(),
            journey: j.clone(),
            expected,
        };
        let twice = vec![reference(json!(1)), reference(json!({"grams": 5}))];
        assert_eq!(store.commit(with(event(&j, 0), |c| c.correlations = twice)).await?, DONE);
        assert_eq!(store.correlation("courier", "R-1").await?, Some(reference(json!({"grams": 5}))));
        assert_eq!(store.correlation("courier", "R-2").await?, None);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn the_newest_answer_is_used_again_until_it_is_too_old() {
    check(async |node| {
        let (store, j) = (&node.store, id());
        let reply = |n: i64, at_ms| ReusableReply {
            source: "courier.price".into(),
            input_hash: "ab".repeat(32),
            output: json!(n),
            at_ms,
        };
        assert_eq!(store.commit(with(event(&j, 0), |c| c.replies = vec![reply(1, 50)])).await?, DONE);
        assert_eq!(store.commit(with(event(&j, 1), |c| c.replies = vec![reply(2, 90)])).await?, DONE);
        assert_eq!(store.reusable_reply("courier.price", &"ab".repeat(32), 90).await?, Some(reply(2, 90)));
        assert_eq!(store.reusable_reply("courier.price", &"ab".repeat(32), 91).await?, None, "too old");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn an_incident_is_closed_once() {
    check(async |node| {
        let (store, j) = (&node.store, id());
        let incident = incident(&j, 4);
        assert_eq!(store.commit(with(event(&j, 0), |c| c.incidents = vec![incident.clone()])).await?, DONE);
        assert_eq!(store.incidents(true, 9).await?, vec![incident.clone()]);
        assert!(store.close_incident(&incident.id, "operator", 9).await?);
        assert!(!store.close_incident(&incident.id, "operator", 9).await?);
        assert_eq!(store.incidents(true, 9).await?, []);
        assert_eq!(store.incidents(false, 9).await?[0].closed_at_ms, Some(9));
        Ok(())
    })
    .await;
}
