//! Publications and versions.

use super::check;
use engine_store::*;
use futures::future::join_all;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_version_keeps_its_files() {
    check(async |node| {
        let store = &node.store;
        let hash = |n: u8| format!("{n:02x}").repeat(32);
        let file = |path: &str, n: u8| DefinitionFile { path: path.into(), hash: hash(n), content: vec![n; 3] };
        let version = |v: u8, closure: &[(&str, u8)]| VersionRecord {
            workflow: "loan".into(),
            version: hash(v)[..32].into(),
            format: i32::from(v),
            closure: closure.iter().map(|(p, n)| ((*p).into(), hash(*n))).collect(),
        };
        let publication = |files, versions| Publication { number: 0, at_ms: 5, by: "desk".into(), files, versions };
        assert_eq!((store.publication_number().await?, store.current_publication().await?), (0, None));
        let mut changes = store.changes();
        let one = publication(
            vec![file("loan", 1), file("form", 2), file("twin", 2)],
            vec![version(1, &[("loan", 1), ("form", 2)])],
        );
        assert_eq!(store.publish(one.clone()).await?, 1);
        assert_eq!(changes.recv().await?.what, Changed::Publication);
        assert_eq!(store.current_publication().await?, Some(Publication { number: 1, ..one }));
        let two = publication(vec![file("loan", 1), file("form", 3)], vec![version(2, &[("loan", 1), ("form", 3)])]);
        assert_eq!(store.publish(two).await?, 2);
        for (format, form) in [(1, 2), (2, 3)] {
            let kept = VersionFiles { format, files: vec![file("loan", 1), file("form", form)] };
            assert_eq!(store.version_files("loan", &hash(format as u8)[..32]).await?, Some(kept));
        }
        assert_eq!(store.version_files("loan", &hash(9)[..32]).await?, None);
        let second = node.again().await?;
        let more = (0..8)
            .map(|i| if i % 2 == 0 { store } else { &second })
            .map(|s| s.publish(publication(vec![file("x", 7)], vec![])));
        let mut numbers: Vec<i64> = join_all(more).await.into_iter().collect::<std::result::Result<_, _>>()?;
        numbers.sort();
        assert_eq!(numbers, [3, 4, 5, 6, 7, 8, 9, 10]);
        assert_eq!(store.publication_number().await?, 10);
        Ok(())
    })
    .await;
}
