//! PostgreSQL behind a line that breaks.

use super::{DONE, effect, event, id, key, with};
use anyhow::Context;
use anyhow::Result;
use engine_store::*;
use futures::future::join_all;
use journey_tests::postgres;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UnixStream};

/// PostgreSQL only: the server cuts every connection again and again while commits are on their way.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_lost_connection_loses_and_doubles_nothing() -> Result<()> {
    let url = postgres::database().await?;
    let store = connect(&url).await?;
    store.migrate().await?;
    let pool = sqlx::PgPool::connect(&url).await?;
    let cut = async {
        for _ in 0..30 {
            let sql = "select pg_terminate_backend(pid) from pg_stat_activity \
                       where application_name = 'journey' and datname = current_database()";
            sqlx::query(sql).execute(&pool).await?;
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        anyhow::Ok(())
    };
    let writers = join_all((0..8).map(|_| async {
        let j = id();
        for seq in 0..30 {
            // the commit path resolves what it does not know; nothing else tells it apart
            assert_eq!(store.commit(event(&j, seq)).await?, DONE, "{seq}");
        }
        anyhow::Ok(j)
    }));
    let (cut, written) = tokio::join!(cut, writers);
    cut?;
    for j in written {
        let seqs: Vec<i64> =
            sqlx::query_scalar("select e.id & 1048575 from events e join journeys j on j.n = e.id >> 20 where j.id = decode($1, 'hex') order by e.id")
                .bind(j?)
                .fetch_all(&pool)
                .await?;
        assert_eq!(seqs, (1..=30).collect::<Vec<_>>());
    }
    Ok(())
}

/// PostgreSQL only: the commit arrives, its confirmation does not. Whoever asked is told what happened all the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_commit_without_confirmation_is_resolved() -> Result<()> {
    let url = postgres::database().await?;
    let direct = connect(&url).await?;
    direct.migrate().await?;
    let swallow = Arc::new(AtomicBool::new(false));
    let store = connect(&proxy(&url, swallow.clone()).await?).await?;
    let mut swallowed = 0;
    for n in 0..20 {
        let j = id();
        let first = with(event(&j, 0), |c| {
            c.records =
                vec![NewRecord { kind: "loan".into(), key: String::new(), data: json!(n), ..NewRecord::default() }]
        });
        assert!(matches!(store.commit(first).await?, Committed::Done { records } if records.len() == 1));
        swallow.store(true, Ordering::SeqCst);
        let second = with(event(&j, 1), |c| {
            c.idempotency = key(Some(1), 1);
            c.effects = vec![effect(&j, 2, 0, 0)];
            c.records =
                vec![NewRecord { kind: "loan".into(), key: String::new(), data: json!(-n), ..NewRecord::default() }];
        });
        match store.commit(second.clone()).await? {
            Committed::Done { records } => {
                assert_eq!(records.iter().map(|r| &r.data).collect::<Vec<_>>(), [&json!(-n)])
            }
            other => panic!("{other:?}"),
        }
        swallowed += i32::from(!swallow.swap(false, Ordering::SeqCst));
        assert!(matches!(store.commit(second).await?, Committed::KeyUsed(_)), "a true repeat is still one");
        assert_eq!(direct.events(&j, 0, 9).await?.len(), 2);
    }
    assert!(swallowed > 0, "no confirmation was swallowed");
    Ok(())
}

/// Passes everything on to the server; while `swallow` is set, the next answer is lost together with its connection.
async fn proxy(url: &str, swallow: Arc<AtomicBool>) -> Result<String> {
    let (rest, folder) = url.split_once("?host=").context("address of a socket")?;
    let (socket, database) = (format!("{folder}/.s.PGSQL.5432"), rest.rsplit('/').next().unwrap_or_default());
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("postgres://postgres@{}/{database}?sslmode=disable", listener.local_addr()?);
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let (socket, swallow) = (socket.clone(), swallow.clone());
            tokio::spawn(async move {
                let server = UnixStream::connect(socket).await?;
                let (mut from_client, mut to_client) = client.into_split();
                let (mut from_server, mut to_server) = server.into_split();
                let up = tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_server).await });
                let mut answer = vec![0; 65_536];
                loop {
                    let length = from_server.read(&mut answer).await?;
                    if length == 0 || swallow.swap(false, Ordering::SeqCst) {
                        up.abort();
                        return std::io::Result::Ok(());
                    }
                    to_client.write_all(&answer[..length]).await?;
                }
            });
        }
    });
    Ok(url)
}
