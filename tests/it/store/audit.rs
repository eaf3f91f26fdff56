//! The audit trail: rows are only added, each number of a chain once.

use super::{check, id};
use engine_store::*;
use futures::future::join_all;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_chain_has_each_number_once_and_is_read_in_its_order() {
    check(async |node| {
        let (store, second) = (&node.store, node.again().await?);
        let (chain, other) = (id(), id());
        let row = |chain: &str, number: i64, by: usize| AuditRow {
            chain: chain.to_owned(),
            number,
            at_ms: 10 * number,
            hash: format!("{by:02x}").repeat(32),
            row: format!("row {number} by {by}"),
        };
        assert_eq!(store.audit_head(&chain).await?, None);
        for number in 1..4 {
            let nodes = [store, &second];
            let all = join_all((0..8).map(|by| nodes[by % 2].append_audit(row(&chain, number, by), None))).await;
            let written = all.into_iter().collect::<Result<Vec<_>>>()?;
            assert_eq!(written.iter().filter(|done| **done).count(), 1);
        }
        assert!(store.append_audit(row(&other, 1, 0), None).await?);
        // what is counted goes with the row, or neither
        let before = store.audit_count().await?;
        let counts = |before: Option<String>, after: &str| Some(AuditCount { before, after: after.into() });
        assert!(store.append_audit(row(&other, 2, 0), counts(before.clone(), "one more")).await?);
        assert!(!store.append_audit(row(&other, 3, 0), counts(before, "two more")).await?);
        assert!(!store.append_audit(row(&other, 2, 0), counts(Some("one more".into()), "two more")).await?);
        assert_eq!(store.audit_count().await?.as_deref(), Some("one more"));
        assert_eq!(store.audit_head(&other).await?.map(|row| row.number), Some(2));
        assert_eq!(store.audit_head(&chain).await?.map(|row| row.number), Some(3));
        let numbers = |rows: Vec<AuditRow>| rows.into_iter().map(|row| row.number).collect::<Vec<_>>();
        assert_eq!(numbers(store.audit_of(&[chain.clone(), other], 25, 10).await?), [3]);
        assert_eq!(numbers(store.audit_of(std::slice::from_ref(&chain), 0, 2).await?), [3, 2]);
        assert_eq!(store.audit_of(&[], 0, 2).await?, []);
        let mut read: Vec<(String, i64)> = Vec::new();
        loop {
            let next = store.audit_after(read.last().cloned(), None, 2).await?;
            if next.is_empty() {
                break;
            }
            read.extend(next.into_iter().map(|row| (row.chain, row.number)));
        }
        let of_chain: Vec<i64> = read.iter().filter(|(of, _)| *of == chain).map(|(_, number)| *number).collect();
        assert_eq!(of_chain, [1, 2, 3]);
        let in_time = store.audit_after(Some((chain.clone(), 0)), Some((20, 30)), 10).await?;
        assert!(in_time.iter().all(|row| row.at_ms == 20) && in_time.iter().any(|row| row.chain == chain));
        Ok(())
    })
    .await;
}
