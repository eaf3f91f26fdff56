//! What is known of files that people send.

use super::{check, id};
use engine_store::*;
use serde_json::json;

fn upload(journey: &str, at_ms: i64) -> UploadRecord {
    UploadRecord {
        id: id(),
        journey: journey.into(),
        kind: "front".into(),
        state: 0,
        version: 1,
        size: 5,
        received: 0,
        kept: false,
        at_ms,
        due_ms: Some(at_ms + 100),
        data: json!({"name": "a.jpg"}),
    }
}

#[tokio::test]
async fn a_change_names_the_one_before_it() {
    check(async |node| {
        let (store, j) = (&node.store, id());
        let (one, two) = (upload(&j, 10), upload(&j, 5));
        store.add_upload(one.clone()).await?;
        store.add_upload(two.clone()).await?;
        assert_eq!(store.upload(&one.id).await?, Some(one.clone()));
        assert_eq!(store.upload(&id()).await?, None);
        assert_eq!(store.uploads_in(std::slice::from_ref(&j)).await?, [two.clone(), one.clone()], "the oldest first");
        assert_eq!(store.uploads_in(&[]).await?, []);
        let next = UploadRecord { version: 2, received: 5, state: 1, data: json!({"n": 2}), ..one.clone() };
        assert!(store.change_upload(next.clone()).await?);
        assert!(!store.change_upload(next.clone()).await?, "the second of two");
        assert_eq!(store.upload(&one.id).await?, Some(next.clone()));
        let done = UploadRecord { version: 3, due_ms: None, ..next };
        assert!(store.change_upload(done).await?);
        let due = |found: Vec<UploadRecord>| found.into_iter().filter(|one| one.journey == j).collect::<Vec<_>>();
        assert_eq!(due(store.uploads_due(1_000, 100_000).await?), std::slice::from_ref(&two));
        assert_eq!(due(store.uploads_due(104, 100_000).await?), []);
        store.remove_upload(&two.id).await?;
        assert_eq!(store.upload(&two.id).await?, None);
        Ok(())
    })
    .await;
}
