//! `journey-bench lists`: what one person sees of their own, among everybody else's. The product runs in this process,
//! with the definitions that are shipped; the person's journeys are begun over HTTP, the others' are bare rows that
//! nobody opens.

use crate::Lists;
use crate::database::Database;
use crate::process;
use crate::table::{Goal, Row, Table};
use anyhow::{Context as _, Result, ensure};
use engine_definitions::Files;
use engine_store::{PersonRecord, SessionRecord};
use journey_tests::server::{TestServer, Visitor};
use serde_json::json;
use sha2::{Digest, Sha256};
use sqlx::{Connection, PgConnection, SqliteConnection};
use std::path::Path;
use std::time::Instant;

/// Parts in which others' journeys are written, before, between and after the person's, so that those lie apart.
const PARTS: usize = 4;
/// Pages of the person, and what a look at each may take, in milliseconds.
const PAGES: [(&str, &str, f64); 4] = [
    ("her account", "/api/v1/account/dashboard", 20.0),
    ("her dashboard", "/dashboard", 20.0),
    ("first page of her list", "/api/v1/journeys?limit=50", 20.0),
    ("her list, searched and filtered", "/api/v1/journeys?limit=50&search=call&status=done", 20.0),
];

const SQLITE: &str = "insert into journeys (id, workflow, version, revision, seq, status, step, owner, person, language, \
     channel, created_at, updated_at, expires_at, attribution, keys, state) \
     with recursive i (i) as (select 1 union all select i + 1 from i where i < $1) \
     select randomblob(16), 'leads/callback', zeroblob(16), 1, 1, 'done', 'callback.thanks', randomblob(16), \
     case i % 2 when 0 then randomblob(16) end, 'en', 'web', i, i, null, 'null', '', hex(randomblob(300)) from i";
const SQLITE_RECORDS: &str = "insert into records (journey, kind, key, public_id, at, kept, data) \
     select n, 'lead', 'lead', randomblob(16), 1, 0, hex(randomblob(100)) from journeys \
     where keys = '' and n not in (select journey from records)";
const POSTGRES: &str = "insert into journeys (id, workflow, version, revision, seq, status, step, owner, person, language, \
     channel, created_at, updated_at, expires_at, attribution, keys, state) \
     select uuid_send(gen_random_uuid()), 'leads/callback', decode(repeat('00', 16), 'hex'), 1, 1, 'done', \
     'callback.thanks', uuid_send(gen_random_uuid()), \
     case i % 2 when 0 then uuid_send(gen_random_uuid()) end, 'en', 'web', i, i, null, 'null', '', repeat(md5(i::text), 18) \
     from generate_series(1, $1) i";
const POSTGRES_RECORDS: &str = "insert into records (journey, kind, key, public_id, at, kept, data) \
     select n, 'lead', 'lead', uuid_send(gen_random_uuid()), 1, 0, repeat(md5(n::text), 6) from journeys j \
     where keys = '' and not exists (select 1 from records r where r.journey = j.n)";

pub async fn run(options: &Lists) -> Result<()> {
    let mut table = Table::default();
    for kind in &options.database {
        let database = Database::start(kind).await?;
        measure(&database, options, &mut table).await?;
    }
    table.print();
    table.write(options.json.as_deref())
}

async fn measure(database: &Database, options: &Lists, table: &mut Table) -> Result<()> {
    let url = database.fresh().await?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut server = serve(&root, &url).await?;
    let mut her = signed_in(&server).await?;
    for part in 0..PARTS {
        for n in 0..options.own / PARTS {
            let lead = json!({"name": "Asha Rao", "mobile": "9876543210", "consent": true});
            let start = json!({"workflow": "leads/callback", "data": lead}).to_string();
            let key = format!("{part}-{n}");
            her.send("POST", "/api/v1/journeys", &[("idempotency-key", &key)], Some(start)).await.ok(201);
        }
        // A file of SQLite has one process that works on it, and one writer.
        server.stop().await;
        fill(database, &url, options.journeys / PARTS).await?;
        eprintln!("{:8} {} of {PARTS} parts are written", database.name(), part + 1);
        server = serve(&root, &url).await?;
        her = her.moved(server.product.url());
    }
    let account = her.get("/api/v1/account/dashboard").await.ok(200)["data"].clone();
    let shown = account["journeys"].as_array().map_or(0, Vec::len);
    ensure!(shown == options.own / PARTS * PARTS, "{shown} journeys are shown");
    for (what, path, goal) in PAGES {
        let mut took = Vec::with_capacity(options.looks);
        let (busy_s, ours_s, begun) =
            (process::machine_busy_s(), process::usage(std::process::id()).cpu_s, Instant::now());
        for _ in 0..options.looks {
            let clock = Instant::now();
            let reply = her.get(path).await;
            took.push(clock.elapsed().as_secs_f64() * 1000.0);
            ensure!(reply.status == 200, "{path}: {}", reply.text());
        }
        took.sort_by(f64::total_cmp);
        let ours = process::usage(std::process::id()).cpu_s - ours_s;
        let cores = std::thread::available_parallelism().context("cores")?.get() as f64;
        let others = (process::machine_busy_s() - busy_s - ours) / (begun.elapsed().as_secs_f64() * cores);
        for (share, name) in [(0.5, "p50"), (0.99, "p99")] {
            let at = ((took.len() - 1) as f64 * share) as usize;
            let row = Row {
                database: database.name(),
                what: format!("{what}, {name} ms"),
                floor: f64::NAN,
                product: took[at],
                goal: if share < 0.9 { Goal::Within(goal) } else { Goal::None },
                others: Some(others.max(0.0)),
            };
            eprintln!("{row}");
            table.add(row);
        }
    }
    server.stop().await;
    Ok(())
}

async fn serve(root: &Path, url: &str) -> Result<TestServer> {
    let url = url.to_owned();
    Ok(TestServer::start_with(Files::read_dir(root)?, |settings| {
        settings.database.url = url;
        settings.limits.write_rate_per_s = 0;
    })
    .await)
}

/// Signs a person in: their browser.
async fn signed_in(server: &TestServer) -> Result<Visitor> {
    let (store, now) = (server.store().await, server.product.runtime.now_ms());
    let (token, id) = ("5e".repeat(32), "5e".repeat(16));
    let person = store.person_of(PersonRecord {
        id: "5a".repeat(16),
        mobile: "5b".repeat(16),
        profile: json!({"first_name": "Asha"}),
        keys: String::new(),
        created_at_ms: now,
        seen_at_ms: now,
    });
    let person = person.await?.id;
    let hash = Sha256::digest(token.as_bytes());
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let session = SessionRecord {
        token_hash: hex(&hash[..16]),
        id,
        subject: json!({"kind": "customer", "roles": ["customer"], "person": person}),
        person: Some(person),
        created_at_ms: now,
        used_at_ms: now,
        expires_at_ms: now + 86_400_000,
    };
    store.save_session(session).await?;
    Ok(Visitor::holding(server.product.url(), "__Host-session", &token))
}

/// Writes so many journeys of others, each with a record.
async fn fill(database: &Database, url: &str, count: usize) -> Result<()> {
    let count = count as i64;
    match database {
        Database::Sqlite(_) => {
            let mut conn = SqliteConnection::connect(url).await?;
            sqlx::query(SQLITE).bind(count).execute(&mut conn).await?;
            sqlx::query(SQLITE_RECORDS).execute(&mut conn).await?;
            sqlx::query("analyze").execute(&mut conn).await?;
            conn.close().await?;
        }
        Database::Postgres(_) => {
            let mut conn = PgConnection::connect(url).await?;
            sqlx::query(POSTGRES).bind(count).execute(&mut conn).await?;
            sqlx::query(POSTGRES_RECORDS).execute(&mut conn).await?;
            sqlx::query("vacuum analyze").execute(&mut conn).await?;
            conn.close().await?;
        }
    }
    Ok(())
}
