//! What may be personal is sealed before it is stored: in the database, beside it, and after a change of keys.

use engine_definitions::Files;
use engine_runtime::{Actor, Runtime, RuntimeError, SystemClock};
use engine_settings::{Secret, Settings};
use engine_store::PersonRecord;
use journey_tests::server::{TestServer, Visitor};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// Words that are in no definition.
const NAME: &str = "Qwertzuiop Canarybird";
const MOBILE: &str = "9813572468";
const STREET: &str = "Yxcvbnmlk Lane";
const FROM: &str = "canary-campaign-7531";

async fn start(change: impl FnOnce(&mut Settings)) -> TestServer {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    TestServer::start_with(Files::read_dir(root).expect("the definitions are there"), change).await
}

/// A visit up to the address: answers, a draft, a message with a code, partner calls, records.
async fn visited(server: &TestServer, visitor: &Visitor) -> String {
    let lead = json!({"name": NAME, "mobile": MOBILE, "pincode": "110001", "consent": true});
    let body = json!({"workflow": "health/advisor-at-home", "data": lead, "attribution": {"utm_campaign": FROM}});
    let begun = visitor.send("POST", "/api/v1/journeys", &[("idempotency-key", "a")], Some(body.to_string())).await;
    let journey = begun.ok(201)["journey"]["id"].as_str().expect("a journey").to_owned();
    let at = async |path: &str| {
        let is_there = |view: &Value| view["step"]["path"] == path && view["step"]["form"].is_object();
        server.until(path, async || Some(visitor.view(&journey).await).filter(|view| is_there(view))).await
    };
    let view = at("otp").await;
    let otp = crate::passwords::code(&server.product.runtime, &journey).await;
    visitor.event(&view, "submit", json!({"code": otp})).await.ok(200);
    let view = at("address").await;
    let step = view["step"]["id"].as_str().expect("a step");
    let draft = json!({"step": step, "data": {"street": STREET}}).to_string();
    let kept = visitor.send("PUT", &format!("/api/v1/journeys/{journey}/draft"), &[], Some(draft)).await;
    assert_eq!(kept.status, 204, "{}", kept.text());
    journey
}

fn bytes_of(database: &str) -> Vec<u8> {
    let file = database.strip_prefix("sqlite:").expect("a file");
    ["", "-wal"].iter().flat_map(|end| std::fs::read(format!("{file}{end}")).unwrap_or_default()).collect()
}

fn holds(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|part| part == word.as_bytes())
}

/// What she says of herself, once she is logged in.
const PROFILE: [&str; 3] = ["Asdfghjkl", "canary@birds.example", "1971-08-23"];

async fn described(server: &TestServer, visitor: &Visitor) {
    crate::login::logs_in(server, visitor, MOBILE).await;
    let [name, email, born] = PROFILE;
    let said = json!({"first_name": name, "email": email, "dob": born});
    crate::login::post(visitor, "iam/user-accounts", &[], said).await.ok(200);
}

fn logging_in(settings: &mut Settings) {
    settings.otp.proof_bits = 4;
    settings.otp.resend_ms = 0;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_byte_of_the_database_says_who_it_is() {
    let server = start(logging_in).await;
    let visitor = server.visitor();
    let journey = visited(&server, &visitor).await;
    described(&server, &visitor).await;
    let store = server.store().await;
    let events = store.events(&journey, 0, 100).await.expect("events");
    assert!(events.iter().any(|event| event.data.to_string().contains(NAME)), "the product itself reads it");
    let bytes = bytes_of(server.database());
    assert!(holds(&bytes, "health/advisor-at-home") && bytes.len() > 100_000, "it is the database");
    for word in [NAME, "Canarybird", MOBILE, STREET, FROM].into_iter().chain(PROFILE) {
        assert!(!holds(&bytes, word), "`{word}` is in the database");
    }
    server.stop().await;
}

/// The same database, opened with these master keys.
async fn with_keys(server: &TestServer, master: &str, previous: Option<&str>) -> Result<Runtime, RuntimeError> {
    let mut settings = Settings::default();
    settings.keys.master = Some(Secret::new(master.repeat(32)));
    settings.keys.previous = previous.map(|key| Secret::new(key.repeat(32)));
    let store = engine_store::connect(server.database()).await.expect("it opens");
    Runtime::new(store, Arc::new(settings), Arc::new(SystemClock::default())).await
}

/// Another master key wraps all keys, and is the only one from then on.
async fn rotated(server: &TestServer, operator: &Actor, journey: &str, person: &str) -> Runtime {
    assert!(with_keys(server, "6b", None).await.is_err(), "another key opens nothing");
    let next = with_keys(server, "6b", Some("5a")).await.expect("both keys");
    assert!(next.store().journey(journey).await.expect("it opens").is_some());
    assert!(next.operations.rotate_keys(operator).await.expect("rotated") >= 1);
    assert_eq!(next.operations.rotate_keys(operator).await.expect("rotated"), 0, "nothing is left");
    let alone = with_keys(server, "6b", None).await.expect("the new key alone");
    let known = alone.store().person(person).await.expect("the new key opens her profile").expect("she is there");
    assert_eq!(known.profile["email"], PROFILE[1]);
    assert!(alone.store().journey(journey).await.expect("it opens").is_some());
    assert!(with_keys(server, "5a", None).await.is_err(), "the old one opens nothing any more");
    alone
}

/// A backup brings her row back, and the list of what was forgotten takes it away again; without her key nobody reads it.
async fn stays_forgotten(server: &TestServer, alone: &Runtime, row: PersonRecord, again: impl AsyncFnOnce()) {
    let backup = engine_store::connect(server.database()).await.expect("it opens");
    let person = row.id.clone();
    backup.person_of(row.clone()).await.expect("restored");
    assert_eq!(alone.store().person(&person).await.expect("read").expect("her").profile["email"], PROFILE[1]);
    again().await;
    assert_eq!(alone.store().person(&person).await.expect("read"), None);
    let mut keyless = row;
    keyless.keys = keyless.keys.rsplit_once('.').map(|(_, kept)| format!(".{kept}")).expect("two keys");
    backup.person_of(keyless).await.expect("restored");
    assert_eq!(alone.store().person(&person).await.expect("read").expect("her").profile, Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_wrapped_anew_while_others_work_and_a_person_can_be_forgotten() {
    let server = start(logging_in).await;
    let (visitor, operator) = (server.visitor(), Actor::operator("test"));
    let journey = visited(&server, &visitor).await;
    described(&server, &visitor).await;
    let account = server.store().await.journey(&journey).await.expect("read").expect("a journey").person;
    let person = account.expect("hers");
    let alone = rotated(&server, &operator, &journey, &person).await;
    visitor.view(&journey).await;

    // Erasure: what served the request is gone for everybody, what must be kept is not.
    assert_eq!(alone.operations.forget_person(&operator, "9000000001").await.expect("asked"), None);
    let backup = engine_store::connect(server.database()).await.expect("it opens");
    let row = backup.person(&person).await.expect("read").expect("as a backup has her");
    let forgotten = alone.operations.forget_person(&operator, MOBILE).await.expect("asked").expect("her");
    assert!(forgotten.journeys.contains(&journey) && forgotten.persons == [person.clone()]);
    assert_eq!(alone.store().person(&person).await.expect("read"), None);
    let again = async || alone.operations.forget(&operator, &forgotten).await.expect("again");
    stays_forgotten(&server, &alone, row, again).await;
    assert!(alone.operations.forget_person(&Actor::visitor("x"), MOBILE).await.is_err());
    let store = alone.store();
    assert_eq!(store.journey(&journey).await.expect("read"), None);
    assert!(store.events(&journey, 0, 100).await.expect("read").iter().all(|event| event.data.is_null()));
    let records = store.records(&journey).await.expect("read");
    assert!(records.iter().any(|record| record.kind == "lead" && record.data["name"] == NAME), "{records:?}");
    server.stop().await;
}
