//! Small values.

use super::check;
use anyhow::Result;
use futures::future::join_all;
use serde_json::json;

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
