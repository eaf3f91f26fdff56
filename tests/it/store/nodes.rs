//! Several nodes on one database, and builds that do not fit it.

use super::{check, effect, event, id, with};
use engine_store::*;
use futures::future::join_all;
use journey_tests::postgres;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nodes_hear_of_each_other() {
    check(async |node| {
        let (store, second, j) = (&node.store, node.again().await?, id());
        join_all([store.migrate(), second.migrate(), store.migrate()])
            .await
            .into_iter()
            .collect::<std::result::Result<Vec<_>, _>>()?;
        let (mut wake, mut changes) = (store.wake(), store.changes());
        wake.mark_unchanged();
        let commit = with(event(&j, 0), |c| c.effects = vec![effect(&j, 1, 0, 0)]);
        let told = commit.change.clone();
        store.commit(commit).await?;
        assert_eq!(changes.recv().await?, told);
        assert!(wake.has_changed()?);
        if store.kind() == "postgres" {
            // a node listens from some moment on: tell it until it hears
            let (mut there, mut seq) = (second.changes(), 1);
            let heard = async {
                loop {
                    store.commit(event(&j, seq)).await?;
                    seq += 1;
                    if let Ok(change) = tokio::time::timeout(Duration::from_millis(50), there.recv()).await {
                        return anyhow::Ok(change?);
                    }
                }
            };
            assert_eq!(tokio::time::timeout(Duration::from_secs(20), heard).await??.journey, j);
        }
        Ok(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_nodes_may_migrate_at_once() {
    for kind in ["sqlite", "postgres"] {
        let folder = tempfile::tempdir().expect("folder");
        let url = match kind {
            "sqlite" => format!("sqlite:{}/journey.db", folder.path().display()),
            _ => postgres::database().await.expect("database"),
        };
        let nodes = join_all((0..4).map(|_| connect(&url))).await;
        let nodes: Vec<_> = nodes.into_iter().collect::<std::result::Result<_, _>>().expect(kind);
        for migrated in join_all(nodes.iter().map(|n| n.migrate())).await {
            migrated.expect(kind);
        }
        assert_eq!(nodes[0].journey_counts().await.expect(kind), []);
    }
    assert!(matches!(connect("mysql://x").await, Err(StoreError::Settings(_))));
}

#[tokio::test]
async fn what_a_migration_will_do_is_known_before() {
    check(async |node| {
        assert_eq!(node.store.outstanding().await?, Outstanding::default());
        let sql = "delete from journey_migrations where version = 1";
        match node.store.kind() {
            "sqlite" => {
                let pool = sqlx::SqlitePool::connect(&node.url).await?;
                sqlx::query(sql).execute(&pool).await?;
                pool.close().await;
            }
            _ => {
                let pool = sqlx::PgPool::connect(&node.url).await?;
                sqlx::query(sql).execute(&pool).await?;
            }
        }
        let waiting = node.store.outstanding().await?;
        let first = Migration { number: 1, name: "journey".into(), takes: Vec::new() };
        assert_eq!(waiting, Outstanding { is_new: false, migrations: vec![first] });
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn a_database_of_another_build_is_left_alone() {
    check(async |node| {
        let sql = "update journey_migrations set checksum = $1 where version = 1";
        match node.store.kind() {
            "sqlite" => {
                let pool = sqlx::SqlitePool::connect(&node.url).await?;
                sqlx::query(sql).bind(vec![1_u8]).execute(&pool).await?;
                pool.close().await;
            }
            _ => {
                let pool = sqlx::PgPool::connect(&node.url).await?;
                sqlx::query(sql).bind(vec![1_u8]).execute(&pool).await?;
            }
        }
        let refused = node.again().await?.migrate().await;
        assert!(matches!(refused, Err(StoreError::OtherBuild)), "{refused:?}");
        Ok(())
    })
    .await;
}
