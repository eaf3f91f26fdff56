//! The audit trail: who saw whose journeys, what operators did, and that nobody changes it unseen.

use crate::login::{logs_in, start};
use engine_runtime::{Actor, Fault};
use engine_store::AuditRow;
use journey_tests::server::{TestServer, Visitor};
use serde_json::{Value, json};
use sqlx::Connection as _;

const ASHA: &str = "9876543210";
const HOUR_MS: i64 = 3_600_000;

/// A journey of the customer's, and an operator who looks at it.
async fn looked_at(server: &TestServer, asha: &Visitor) -> (String, String) {
    logs_in(server, asha, ASHA).await;
    let lead = json!({"name": "Asha Rao", "mobile": ASHA, "pincode": "110001", "consent": true});
    let begun = asha.start("health/advisor-at-home", lead).await.ok(201);
    let token = server.product.runtime.people.new_operator("ravi", 8).await.expect("a token");
    (begun["journey"]["id"].as_str().expect("a journey").to_owned(), format!("Bearer {token}"))
}

async fn looks(server: &TestServer, bearer: &str, journey: &str) {
    let path = format!("/api/v1/operator/journeys/{journey}/history");
    server.visitor().send("GET", &path, &[("authorization", bearer)], None).await.ok(200);
}

async fn seen(visitor: &Visitor) -> Vec<Value> {
    let account = visitor.get("/api/v1/account/dashboard").await.ok(200)["data"].clone();
    account["seen"].as_array().expect("who saw it").clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_sees_who_else_saw_her_journeys_once_an_hour() {
    let server = start().await;
    let (asha, other) = (server.visitor(), server.visitor());
    let (journey, bearer) = looked_at(&server, &asha).await;
    asha.get(&format!("/api/v1/journeys/{journey}")).await.ok(200);
    assert_eq!(seen(&asha).await, [] as [Value; 0], "what she sees herself is no news");
    assert_eq!(other.get(&format!("/api/v1/journeys/{journey}")).await.status, 404);
    assert_eq!(seen(&asha).await.len(), 0, "who may not has seen nothing");

    for _ in 0..3 {
        looks(&server, &bearer, &journey).await;
    }
    let once = seen(&asha).await;
    assert_eq!(once.len(), 1, "{once:?}");
    assert_eq!(
        (&once[0]["journey"], &once[0]["kind"], &once[0]["who"]),
        (&json!(journey), &json!("operator"), &json!("ravi"))
    );
    server.clock.advance(HOUR_MS);
    looks(&server, &bearer, &journey).await;
    assert_eq!(seen(&asha).await.len(), 2);
    assert!(asha.get("/dashboard").await.text().contains("Who else saw your data"));

    // Who answers for it is told the same; nobody else asks.
    let (operations, me) = (&server.product.runtime.operations, Actor::operator("test"));
    assert_eq!(operations.seen_of(&me, ASHA).await.expect("an answer").map(|all| all.len()), Some(2));
    assert_eq!(operations.seen_of(&me, "9812345678").await.expect("an answer"), None);
    assert!(operations.seen_of(&Actor::visitor("v"), ASHA).await.is_err());
    server.stop().await;
}

/// How many rows there are, or which one of which chain is wrong, and how.
async fn verified(server: &TestServer) -> Result<u64, (String, i64, Fault)> {
    let verified = server.product.runtime.operations.verify_audit(&Actor::operator("test"), None).await;
    verified.expect("an answer").map(|whole| whole.rows).map_err(|bad| (bad.chain, bad.number, bad.how))
}

/// A journey with three rows; beside them are the first one of all and the one of the operator's token.
async fn looked_at_thrice(server: &TestServer) -> String {
    let (journey, bearer) = looked_at(server, &server.visitor()).await;
    for _ in 0..3 {
        looks(server, &bearer, &journey).await;
        server.clock.advance(HOUR_MS);
    }
    assert_eq!(verified(server).await, Ok(5));
    journey
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_was_put_in_is_named() {
    let server = start().await;
    let journey = looked_at_thrice(&server).await;
    let store = server.store().await;
    let rows = store.audit_of(std::slice::from_ref(&journey), 0, 10).await.expect("rows");
    let forged = AuditRow { number: 4, ..rows[0].clone() };
    assert!(!store.append_audit(rows[0].clone(), None).await.expect("an answer"), "no row is written twice");
    assert!(store.append_audit(forged, None).await.expect("an answer"));
    assert_eq!(verified(&server).await, Err((journey, 4, Fault::Changed)));
    server.stop().await;
}

/// The database itself refuses to change or remove one; whoever has taken that away is found.
#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_was_changed_or_taken_out_is_named() {
    let server = start().await;
    let journey = looked_at_thrice(&server).await;
    let mut database = sqlx::SqliteConnection::connect(server.database()).await.expect("the database");
    let mut run =
        async |sql: &str| sqlx::query(sqlx::AssertSqlSafe(sql.to_owned())).execute(&mut database).await.is_ok();
    let change = "update audit set at = at + 1 where number = 2 and length(chain) = 16";
    assert!(!run(change).await && !run("delete from audit where number = 1").await);
    assert!(run("drop trigger audit_is_not_changed").await && run("drop trigger audit_is_not_cut").await);
    assert!(run(change).await);
    assert_eq!(verified(&server).await, Err((journey.clone(), 2, Fault::Changed)));
    assert!(run("delete from audit where number = 2 and length(chain) = 16").await);
    assert_eq!(verified(&server).await, Err((journey, 2, Fault::Missing)));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_end_that_was_cut_off_is_found_by_the_anchors() {
    let server = start().await;
    let asha = server.visitor();
    let (journey, bearer) = looked_at(&server, &asha).await;
    looks(&server, &bearer, &journey).await;
    server.clock.advance(HOUR_MS);
    looks(&server, &bearer, &journey).await;
    let (runtime, me) = (&server.product.runtime, Actor::operator("test"));
    let verified = async || runtime.operations.verify_audit(&me, None).await.expect("an answer");

    // every hour what was written in it, once; the worker may have made one before
    let mut newest = 0;
    for hours in 1..4_u64 {
        server.clock.advance(2 * HOUR_MS);
        runtime.work.anchor_audit().await.expect("an anchor");
        runtime.work.anchor_audit().await.expect("the same anchor");
        let whole = verified().await.expect("whole");
        let number = whole.anchor.expect("an anchor").number;
        assert_eq!((whole.rows, number > newest), (3 + hours, true));
        newest = number;
        looks(&server, &bearer, &journey).await;
    }

    // what is cut off behind the newest anchor is missed by the count, what stands before it by the anchor
    let mut database = sqlx::SqliteConnection::connect(server.database()).await.expect("the database");
    let mut run = async |sql: &'static str| sqlx::raw_sql(sql).execute(&mut database).await.expect(sql);
    run("drop trigger audit_is_not_cut; delete from audit where number = 5 and length(chain) = 16").await;
    assert_eq!(verified().await.expect_err("cut").how, Fault::Uncounted);
    run("delete from audit where number = 4 and length(chain) = 16").await;
    let bad = verified().await.expect_err("cut");
    assert_eq!((bad.chain.as_str(), bad.number, bad.how), ("anchors", newest, Fault::Cut));
    server.stop().await;
}

/// What somebody does who may write into the database: each is found by one command, with what the log has.
#[tokio::test(flavor = "multi_thread")]
async fn a_tail_a_chain_and_a_table_that_are_gone_are_found() {
    const EARLIER: &str = "delete from audit where number > 1; \
         update kv set value = BEFORE where bucket = 'store' and key = 'audit'";
    const CUTS: [(&str, &str); 6] = [
        ("the last row", "delete from audit where number = 3 and length(chain) = 16"),
        ("a whole chain", "delete from audit where length(chain) = 16"),
        ("the last of the administration", "delete from audit where chain = J and number = 2"),
        ("all", "delete from audit"),
        ("all, and what counts it", "delete from audit; delete from kv where bucket = 'store' and key = 'audit'"),
        ("all but the first, put back to an earlier day", EARLIER),
    ];
    for (what, sql) in CUTS {
        let server = start().await;
        let (runtime, me) = (server.product.runtime.clone(), Actor::operator("test"));
        let mut database = sqlx::SqliteConnection::connect(server.database()).await.expect("the database");
        let count = "select value from kv where bucket = 'store' and key = 'audit'";
        let before: String = sqlx::query_scalar(count).fetch_one(&mut database).await.expect("the count");
        looked_at_thrice(&server).await;
        let whole = runtime.operations.verify_audit(&me, None).await.expect("an answer").expect("whole");
        let logged = whole.anchor.expect("an anchor after each row of the administration");
        assert!(runtime.operations.verify_audit(&me, Some(&logged)).await.expect("an answer").is_ok());
        let sql = sql.replace("BEFORE", &format!("'{before}'"));
        let sql = sql.replace("chain = J", "hex(chain) like '%61646D696E697374726174696F6E'");
        sqlx::raw_sql("drop trigger audit_is_not_cut").execute(&mut database).await.expect("no trigger");
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut database).await.expect(what);
        let found = runtime.operations.verify_audit(&me, Some(&logged)).await.expect("an answer");
        assert!(found.is_err(), "{what}: {found:?}");
        server.stop().await;
    }
}
