//! What may be personal is sealed before it is stored: in the database, beside it, and after a change of keys.

use crate::purchase::{Customer, INSURER};
use engine_runtime::operations::Holds;
use engine_runtime::{Actor, Clock, ManualClock, Runtime, RuntimeError, SystemClock};
use engine_server::{Product, Source, Start};
use engine_settings::{Mode, Secret, Settings};
use engine_store::{ClaimRequest, EffectFilter, MessageFilter, PersonRecord};
use journey_tests::server::{Reply, TestServer, Visitor, all_definitions};
use serde_json::{Value, json};
use sqlx::Connection as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Words that are in no definition.
const NAME: &str = "Qwertzuiop Canarybird";
const MOBILE: &str = "9813572468";
const STREET: &str = "Yxcvbnmlk Lane";
const FROM: &str = "canary-campaign-7531";

async fn start(change: impl FnOnce(&mut Settings)) -> TestServer {
    TestServer::start_with(all_definitions(), change).await
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

/// What the customer says about themselves, once logged in.
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

/// A database, opened with these master keys at the time of this clock; its list of the forgotten lies beside it.
async fn opened(
    database: &str,
    clock: Arc<dyn Clock>,
    master: &str,
    previous: Option<&str>,
) -> Result<Runtime, RuntimeError> {
    let mut settings = Settings::default();
    settings.keys.master = Some(Secret::new(master.repeat(32)));
    settings.keys.previous = previous.map(|key| Secret::new(key.repeat(32)));
    settings.keys.forgotten = list_of(database);
    let store = engine_store::connect(database).await.expect("it opens");
    Runtime::new(store, Arc::new(settings), clock).await
}

fn list_of(database: &str) -> PathBuf {
    Path::new(database.strip_prefix("sqlite:").expect("a file")).with_file_name("forgotten.list")
}

/// The server's database, opened with these keys on another machine: the server is gone for it.
async fn with_keys(server: &TestServer, master: &str, previous: Option<&str>) -> Result<Runtime, RuntimeError> {
    opened(server.database(), Arc::new(SystemClock::default()), master, previous).await
}

/// Rotates to another master key, which wraps all keys, and is the only one from then on.
async fn rotated(server: &TestServer, operator: &Actor, journey: &str, person: &str) -> Runtime {
    assert!(with_keys(server, "6b", None).await.is_err(), "another key opens nothing");
    let next = with_keys(server, "6b", Some("5a")).await.expect("both keys");
    assert!(next.store().journey(journey).await.expect("it opens").is_some());
    assert!(next.operations.rotate_keys(operator).await.expect("rotated") >= 1);
    assert_eq!(next.operations.rotate_keys(operator).await.expect("rotated"), 0, "nothing is left");
    let alone = with_keys(server, "6b", None).await.expect("the new key alone");
    assert!(alone.publishing.load_current().await.expect("its definitions"));
    let known = alone.store().person(person).await.expect("the new key opens her profile").expect("she is there");
    assert_eq!(known.profile["email"], PROFILE[1]);
    assert!(alone.store().journey(journey).await.expect("it opens").is_some());
    assert!(with_keys(server, "5a", None).await.is_err(), "the old one opens nothing any more");
    alone
}

/// Brings the person's row back from a backup, and the next start takes it away again; without their key nobody reads
/// it.
async fn stays_forgotten(server: &TestServer, alone: &Runtime, row: PersonRecord) {
    let backup = engine_store::connect(server.database()).await.expect("it opens");
    let person = row.id.clone();
    backup.person_of(row.clone()).await.expect("restored");
    assert_eq!(alone.store().person(&person).await.expect("read").expect("her").profile["email"], PROFILE[1]);
    alone.remember_forgotten().await.expect("the list");
    assert_eq!(alone.store().person(&person).await.expect("read"), None);
    let mut keyless = row;
    keyless.keys = keyless.keys.rsplit_once('.').map(|(_, kept)| format!(".{kept}")).expect("two keys");
    backup.person_of(keyless).await.expect("restored");
    assert_eq!(alone.store().person(&person).await.expect("read").expect("her").profile, Value::Null);
}

/// All that a database has of these journeys, as the product opens it.
async fn said_of(runtime: &Runtime, journeys: &[String]) -> String {
    let store = runtime.store();
    let mut said = format!("{:?}", store.records_in(journeys, &[]).await.expect("records"));
    for journey in journeys {
        said += &format!("{:?}", store.journey(journey).await.expect("read"));
        said += &format!("{:?}", store.events(journey, 0, 1_000).await.expect("events"));
        said += &format!("{:?}", store.incidents_of(journey, 1_000).await.expect("incidents"));
        let filter = MessageFilter { journey: Some(journey.clone()), limit: 1_000, ..MessageFilter::default() };
        said += &format!("{:?}", store.messages(filter).await.expect("messages"));
        let filter = EffectFilter { journey: Some(journey.clone()), limit: 1_000, ..EffectFilter::default() };
        said += &format!("{:?}", store.effects(filter).await.expect("effects"));
    }
    said
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

    // Erasure: who bought nothing is gone for everybody.
    assert!(alone.operations.forget_person(&operator, "9000000001").await.expect("asked").is_none());
    let before = said_of(&alone, std::slice::from_ref(&journey)).await;
    assert!([NAME, MOBILE, FROM].iter().all(|word| before.contains(word)), "it is all there: {before}");
    let backup = engine_store::connect(server.database()).await.expect("it opens");
    let row = backup.person(&person).await.expect("read").expect("as a backup has her");
    let forgotten = alone.operations.forget_person(&operator, MOBILE).await.expect("asked").expect("her");
    let forgotten = forgotten.expect("nothing is under way");
    assert!(forgotten.journeys.contains(&journey) && forgotten.persons[0].0 == person);
    assert_eq!(alone.store().person(&person).await.expect("read"), None);
    let after = said_of(&alone, &forgotten.journeys).await;
    for word in [NAME, "Canarybird", MOBILE, STREET, FROM].into_iter().chain(PROFILE) {
        assert!(!after.contains(word), "`{word}` is still there: {after}");
    }
    let kept = alone.store().records(&journey).await.expect("read");
    let kept: Vec<_> = kept.iter().map(|record| (record.kind.as_str(), &record.data["given"])).collect();
    assert_eq!(kept, [("consent", &json!(false))], "which says nobody's name, and has ended");
    // which another node knows after a moment
    server.clock.advance(3_000);
    assert_eq!(visitor.get("/api/v1/account/dashboard").await.code(), "sign_in", "her sessions have ended");
    stays_forgotten(&server, &alone, row).await;
    assert!(alone.operations.forget_person(&Actor::visitor("x"), MOBILE).await.is_err());
    server.stop().await;
}

/// A backup, taken before somebody was forgotten.
async fn copied(server: &TestServer, to: &Path) -> String {
    let mut database = sqlx::SqliteConnection::connect(server.database()).await.expect("the database");
    let sql = format!("vacuum into '{}'", to.display());
    sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut database).await.expect("a backup");
    format!("sqlite:{}", to.display())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_that_is_simply_started_brings_nobody_back() {
    let server = start(logging_in).await;
    let visitor = server.visitor();
    let journey = visited(&server, &visitor).await;
    described(&server, &visitor).await;
    let folder = tempfile::tempdir().expect("a folder");
    let database = copied(&server, &folder.path().join("journey.db")).await;
    let (operations, operator) = (&server.product.runtime.operations, Actor::operator("test"));
    assert!(matches!(operations.forget_person(&operator, MOBILE).await, Ok(Some(Ok(_)))));
    std::fs::copy(list_of(server.database()), list_of(&database)).expect("the list beside it");
    server.stop().await;

    let restored = start(|settings| {
        settings.database.url.clone_from(&database);
        settings.keys.forgotten = list_of(&database);
    })
    .await;
    let runtime = &restored.product.runtime;
    let said = said_of(runtime, std::slice::from_ref(&journey)).await;
    assert!([NAME, MOBILE, FROM].iter().all(|word| !said.contains(word)), "{said}");
    assert!(matches!(runtime.operations.forget_person(&operator, MOBILE).await, Ok(None)), "nobody has this number");
    restored.stop().await;

    // A list that cannot be read is no empty one.
    std::fs::remove_file(list_of(&database)).expect("the list");
    std::fs::create_dir(list_of(&database)).expect("something else in its place");
    let runtime = opened(&database, Arc::new(SystemClock::default()), "5a", None).await.expect("the database");
    let refused = runtime.remember_forgotten().await.expect_err("no list").to_string();
    assert!(refused.contains("forgotten.list"), "{refused}");
}

/// Buys from the number plate to the policy, for the verified number of who is logged in afterwards.
async fn bought(server: &TestServer) -> Customer<'_> {
    let mut asha = Customer::arrives(server, MOBILE, json!({"utm_campaign": FROM})).await;
    asha.submits(json!({"name": NAME, "mobile": MOBILE, "consent": true}), "car.contact.otp.asking").await;
    let code = asha.password().await;
    asha.submits(json!({"code": code}), "car.vehicle").await;
    asha.has_it_priced().await;
    let offers = asha.offers().await;
    let chosen = offers.iter().find(|item| item["action"]["data"]["insurer"] == INSURER).expect("our insurer");
    let chosen = chosen["action"]["data"].clone();
    asha.does("select", chosen, "car.owner").await;
    asha.names_the_owner("car.vehicle_details").await;
    asha.agrees_and_is_known().await;
    asha.submits(json!({}), "car.purchase.payment.paying").await;
    asha
}

/// Address to which the code on the paper of this page leads.
fn seal(view: &Value) -> String {
    let blocks = view["step"]["view"]["blocks"].as_array().expect("blocks");
    let seal = blocks.iter().find(|block| block["block"] == "seal").expect("a seal");
    seal["url"].as_str().expect("an address").to_owned()
}

/// Asks for it in the account; the last page says that it is done.
async fn asks_to_be_forgotten(server: &TestServer, browser: &Visitor) -> Reply {
    let begun = browser.start("account/forget", json!({"mobile": MOBILE})).await.ok(201);
    let journey = begun["journey"]["id"].as_str().expect("a journey").to_owned();
    let view = server
        .until("the code is asked for", async || {
            let view = browser.view(&journey).await;
            (view["step"]["id"] == "forget.otp.asking").then_some(view)
        })
        .await;
    let code = crate::passwords::code(&server.product.runtime, &journey).await;
    browser.event(&view, "submit", json!({"code": code})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_stays_with_who_is_forgotten() {
    let server = start(logging_in).await;
    let mut asha = bought(&server).await;
    asha.pays("pay").await;
    asha.at("car.policy.issued").await;
    let journey = asha.id();
    asha.does("summary", json!({}), "car.policy.summary").await;
    let proof = seal(&asha.view);
    let valid = async || server.visitor().get(&proof).await;
    assert_eq!(valid().await.status, 200);
    crate::login::logs_in(&server, &asha.browser, MOBILE).await;
    let account = async |visitor: &Visitor| visitor.get("/api/v1/account/dashboard").await.ok(200)["data"].clone();
    let before = account(&asha.browser).await;
    let page = asha.browser.get("/your-data").await.text();
    assert!(page.contains("Delete my data") && page.contains("10 years after the policy has ended"), "{page}");

    let done = asks_to_be_forgotten(&server, &asha.browser).await.ok(200);
    assert_eq!(done["step"]["title"], "Your data is deleted");
    assert_eq!(asha.browser.get("/api/v1/account/dashboard").await.status, 401, "her session has ended");
    assert_eq!(asha.browser.get(&format!("/api/v1/journeys/{journey}")).await.status, 404);
    let inbox = format!("/sandbox/inbox.json?to={MOBILE}");
    server
        .until("she is told", async || {
            let inbox = server.visitor().get(&inbox).await.ok(200);
            let mut texts = inbox["messages"].as_array()?.iter().filter_map(|message| message["text"].as_str());
            texts.any(|text| text.starts_with("Journey: We've deleted your data")).then_some(())
        })
        .await;

    // The customer signs in again, and has the policy, and nothing else.
    server.clock.advance(3_600_000);
    crate::login::logs_in(&server, &asha.browser, MOBILE).await;
    let after = account(&asha.browser).await;
    let number = |account: &Value| account["records"]["policy"][0]["policy_number"].clone();
    assert!(number(&before).is_string() && number(&before) == number(&after), "{after}");
    assert_eq!((&after["journeys"], &after["records"]["lead"]), (&json!([]), &Value::Null));
    assert!(!after.to_string().contains("Canarybird"), "{after}");
    let file = after["documents"][0]["url"].as_str().expect("the policy's document").to_owned();
    assert!(asha.browser.get(&file).await.bytes.starts_with(b"%PDF-"));
    assert_eq!(server.visitor().get(&file).await.status, 404, "which is hers alone");
    // What the law keeps still says that the paper is genuine, and nothing of whose it was.
    let told = valid().await.text();
    assert!(told.contains("Check this paper") && told.contains("DL 3 CAB 1234"), "{told}");
    assert!(!told.contains(NAME) && !told.contains(MOBILE) && !told.contains("Canarybird"), "{told}");
    let copy = asha.browser.get("/api/v1/account/copy").await;
    assert!(copy.status == 200 && copy.bytes.starts_with(b"%PDF-"), "a copy that people read");
    for page in ["/dashboard", "/your-data"] {
        assert_eq!(asha.browser.get(page).await.status, 200, "{page}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_paid_is_not_forgotten_before_it_is_a_policy() {
    let server = start(logging_in).await;
    let asha = bought(&server).await;
    let down = json!({"partner": INSURER, "mode": "fail"}).to_string();
    server.visitor().send("POST", "/sandbox/switches", &[], Some(down)).await.ok(200);
    asha.pays("pay").await;
    let (store, journey) = (server.store().await, asha.id());
    server
        .until("the payment is on record", async || {
            let records = store.records(&journey).await.expect("records");
            records.iter().any(|record| record.kind == "payment").then_some(())
        })
        .await;
    let asked = server.product.runtime.operations.forget_person(&Actor::operator("test"), MOBILE).await;
    assert!(matches!(asked, Ok(Some(Err(Holds::UnderWay)))), "{asked:?}");
    assert!(store.journey(&journey).await.expect("read").is_some());
    server.stop().await;
}

/// Who may be paying is not forgotten; money that comes later all the same is told to an operator.
#[tokio::test(flavor = "multi_thread")]
async fn who_may_be_paying_is_not_forgotten_and_late_money_is_told() {
    let server = start(logging_in).await;
    let mut asha = bought(&server).await;
    let (operations, operator) = (&server.product.runtime.operations, Actor::operator("test"));
    let asked = operations.forget_person(&operator, MOBILE).await;
    assert!(matches!(asked, Ok(Some(Err(Holds::Paying)))), "{asked:?}");
    let order = asha.view["step"]["redirect"]["fields"]["order_id"].clone();
    asha.pays("fail").await;
    asha.at("car.purchase.payment.failed").await;
    let asked = operations.forget_person(&operator, MOBILE).await;
    assert!(matches!(asked, Ok(Some(Ok(_)))), "{asked:?}");

    let paid = json!({"id": "pay_late", "order_id": order, "amount": 1, "currency": "INR"});
    let body = json!({"event": "payment.captured", "created_at": server.clock.now_ms() / 1_000, "payload": {"payment": {"entity": paid}}});
    let body = body.to_string();
    let signature = engine_partners::signature::hmac_sha256_hex(b"sandbox-razorpay_webhook_secret", body.as_bytes());
    let signed = [("x-razorpay-signature", signature.as_str())];
    server.visitor().send("POST", "/api/v1/webhooks/gateway/payments", &signed, Some(body)).await.ok(200);
    let work = &server.product.runtime.work;
    assert_eq!(work.report_unknown(0, &mut Default::default()).await.expect("a look"), 1);
    let open = operations.incidents(&operator, true, 9).await.expect("incidents");
    assert!(open[0].place == "gateway" && open[0].reason.contains("payment.captured"), "{open:?}");
    server.stop().await;
}

/// Nobody but who is signed in is forgotten by this: neither by another's session nor without one.
#[tokio::test(flavor = "multi_thread")]
async fn who_is_forgotten_has_shown_it_and_is_signed_in() {
    let server = start(logging_in).await;
    let (asha, ravi) = (server.visitor(), server.visitor());
    crate::login::logs_in(&server, &asha, MOBILE).await;
    crate::login::logs_in(&server, &ravi, crate::login::RAVI).await;
    for other in [&ravi, &server.visitor()] {
        let begun = other.start("account/forget", json!({"mobile": MOBILE})).await.ok(201);
        let journey = begun["journey"]["id"].as_str().expect("a journey").to_owned();
        let refused = server.until("an answer", async || {
            let view = other.view(&journey).await;
            (view["step"]["id"] == "forget.otp.unsent").then_some(view)
        });
        assert_eq!(refused.await["messages"][0]["code"], "otp.not_yours");
    }
    asha.get("/api/v1/account/dashboard").await.ok(200);
    server.stop().await;
}

/// A new database, and the time that all who open it share.
async fn empty() -> (tempfile::TempDir, String, Arc<ManualClock>) {
    let folder = tempfile::tempdir().expect("a folder");
    let database = format!("sqlite:{}", folder.path().join("journey.db").display());
    engine_store::connect(&database).await.expect("it opens").migrate().await.expect("migrated");
    (folder, database, Arc::new(ManualClock::at(journey_tests::server::START_MS)))
}

/// The documented order: everywhere the coming key beside, everywhere the coming key first, wrapped anew, the old one
/// dropped. What would break it is refused.
#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_the_master_key_goes_in_its_order() {
    let (_folder, database, clock) = empty().await;
    let operator = Actor::operator("test");
    let node = async |master: &str, previous: Option<&str>| {
        opened(&database, clock.clone(), master, previous).await.expect("its keys open it")
    };
    let refused = |error: RuntimeError| matches!(error, RuntimeError::KeyOrder(_));
    let old = node("5a", None).await;
    old.join("one", false).await.expect("alone");

    // Too early: the node that runs could not open what this one writes.
    let early = node("6b", Some("5a")).await;
    assert!(refused(early.join("two", false).await.expect_err("too early")));
    assert!(early.operations.rotate_keys(&operator).await.is_err(), "a running node has the old key alone");
    old.leave("one").await.expect("it stops");

    let knows = node("5a", Some("6b")).await;
    knows.join("one", false).await.expect("with the coming key beside");
    early.join("two", false).await.expect("now every node has it");
    assert!(early.operations.rotate_keys(&operator).await.is_err(), "one wraps with the old key still");
    knows.leave("one").await.expect("it stops");
    node("6b", Some("5a")).await.join("one", false).await.expect("switched");
    early.operations.rotate_keys(&operator).await.expect("every node has switched");
    node("6b", None).await.join("three", false).await.expect("the new key alone");

    // Who is gone without a word holds up nobody for long.
    clock.advance(60_000);
    early.operations.rotate_keys(&operator).await.expect("nobody else runs");
}

/// One whose key is broken is left to its lease; the others of the batch are worked on.
#[tokio::test(flavor = "multi_thread")]
async fn an_effect_that_cannot_be_opened_is_set_aside_alone() {
    let server = start(logging_in).await;
    let (one, other) = (server.visitor(), server.visitor());
    let begun = async |visitor: &Visitor, mobile: &str| {
        let lead = json!({"name": NAME, "mobile": mobile, "pincode": "110001", "consent": true});
        let begun = visitor.start("health/advisor-at-home", lead).await.ok(201);
        begun["journey"]["id"].as_str().expect("a journey").to_owned()
    };
    let (good, bad) = (begun(&one, MOBILE).await, begun(&other, "9813572469").await);
    let database = server.database().to_owned();
    let folder = tempfile::tempdir().expect("a folder");
    let copy = copied(&server, &folder.path().join("journey.db")).await;
    server.stop().await;
    let mut raw = sqlx::SqliteConnection::connect(&copy).await.expect("the database");
    let mut run = async |sql: String| sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut raw).await.expect("done");
    run("update effects set state = 0, next_at = 0, due_at = 0, attempts = 0".into()).await;
    run(format!("update journeys set keys = 'AAAA.AAAA' where id = x'{bad}'")).await;
    assert_ne!(database, copy);

    let runtime = opened(&copy, Arc::new(SystemClock::default()), "5a", None).await.expect("it opens");
    let claim = ClaimRequest {
        worker: "w".into(),
        now_ms: runtime.now_ms(),
        lease_ms: 1_000,
        limit: 100,
        ahead: 0,
        lanes: Vec::new(),
    };
    let claimed = runtime.store().claim_effects(claim).await.expect("the others");
    assert!(!claimed.is_empty() && claimed.iter().all(|effect| effect.key.journey == good), "{claimed:?}");
    let listed = runtime.store().effects(EffectFilter { limit: 100, ..EffectFilter::default() }).await.expect("listed");
    let closed = listed.iter().find(|effect| effect.key.journey == bad).expect("an operator sees it");
    assert_eq!(closed.payload, Value::Null);
}

/// What was sealed for one row opens in no other, and who has a journey cannot be written beside what is sealed.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_moved_within_a_journey_is_noticed() {
    let server = start(logging_in).await;
    let visitor = server.visitor();
    let journey = visited(&server, &visitor).await;
    let store = server.store().await;
    server.until("two records", async || (store.records(&journey).await.expect("read").len() > 1).then_some(())).await;
    let moves = [
        ("records", ""),
        (
            "events",
            "update events set data = (select e.data from events e where e.id = events.id + 1) \
          where id = (J << 20) + 1",
        ),
        ("owner", "update journeys set owner = x'00112233445566778899aabbccddeeff' where n = J"),
        ("person", "update journeys set person = x'00112233445566778899aabbccddeeff' where n = J"),
    ];
    for (what, sql) in moves {
        let folder = tempfile::tempdir().expect("a folder");
        let copy = copied(&server, &folder.path().join("journey.db")).await;
        let mut raw = sqlx::SqliteConnection::connect(&copy).await.expect("the database");
        if what == "records" {
            let sql = format!(
                "insert into records (journey, kind, key, public_id, at, data, kept) select journey, kind, \
                 'other', x'01', at, data, kept from records where journey = (select n from journeys where id = x'{journey}') \
                 limit 1"
            );
            sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut raw).await.expect("a copy under another key");
        } else {
            let sql = sql.replace('J', &format!("(select n from journeys where id = x'{journey}')"));
            let done = sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut raw).await.expect("moved");
            assert_eq!(done.rows_affected(), 1, "{what}");
        }
        let runtime = opened(&copy, Arc::new(SystemClock::default()), "5a", None).await.expect("it opens");
        let store = runtime.store();
        let noticed = match what {
            "records" => store.records(&journey).await.is_err(),
            "events" => store.events(&journey, 0, 100).await.is_err(),
            _ => store.journey(&journey).await.is_err(),
        };
        assert!(noticed, "{what}");
    }
    server.stop().await;
}

/// What was exchanged within a journey, or given to somebody else, is left out of its person's account, whose other rows
/// are sound; an operator is told.
#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_cannot_be_opened_is_set_aside_alone() {
    let server = start(logging_in).await;
    let visitor = server.visitor();
    let journey = visited(&server, &visitor).await;
    described(&server, &visitor).await;
    let store = server.store().await;
    server.until("two records", async || (store.records(&journey).await.expect("read").len() > 1).then_some(())).await;
    let number = format!("(select n from journeys where id = x'{journey}')");
    let lead = json!({"name": "Ravi", "mobile": "9813572469", "pincode": "110001", "consent": true});
    let other = server.visitor().start("health/advisor-at-home", lead).await.ok(201)["journey"]["id"].clone();
    let other = other.as_str().expect("a journey");
    let moves = [
        format!(
            "update records set data = (select o.data from records o where o.journey = {number} and o.rowid <> \
             records.rowid limit 1) where journey = {number}"
        ),
        format!("update journeys set person = (select person from journeys where n = {number}) where id = x'{other}'"),
    ];
    for sql in moves {
        let folder = tempfile::tempdir().expect("a folder");
        let copy = copied(&server, &folder.path().join("journey.db")).await;
        let mut raw = sqlx::SqliteConnection::connect(&copy).await.expect("the database");
        let done = sqlx::query(sqlx::AssertSqlSafe(sql.clone())).execute(&mut raw).await.expect("moved");
        assert!(done.rows_affected() > 0, "{sql}");
        drop(raw);
        let again = start(|settings| {
            logging_in(settings);
            settings.database.url.clone_from(&copy);
            settings.keys.forgotten = list_of(&copy);
        })
        .await;
        let browser = again.visitor();
        crate::login::logs_in(&again, &browser, MOBILE).await;
        for path in ["/dashboard", "/your-data", "/api/v1/account/export", "/api/v1/journeys"] {
            let page = browser.get(path).await;
            assert_eq!(page.status, 200, "{path} after {sql}: {}", page.text());
        }
        let told = again.store().await.incidents(true, 10).await.expect("read");
        assert!(told.iter().any(|one| one.reason.contains("cannot be opened")), "{told:?} after {sql}");
        again.stop().await;
    }
    server.stop().await;
}

/// A new key beside a database that was made with another one would only hide that the right one is gone.
#[tokio::test(flavor = "multi_thread")]
async fn a_missing_key_file_is_said_and_not_made_anew() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("master.key");
    let set = |master: &str| {
        let mut settings = Settings::default();
        settings.server.address = "127.0.0.1:0".into();
        settings.database.url = format!("sqlite:{}", folder.path().join("journey.db").display());
        settings.keys.file.clone_from(&file);
        settings.keys.forgotten = folder.path().join("forgotten.list");
        settings.keys.master = Some(Secret::new(master.repeat(32)));
        settings.is_key_new = true;
        settings
    };
    let started = async |settings: Settings| {
        let source = Source::Files(all_definitions());
        Product::start(Start { settings, source, clock: Arc::new(SystemClock::default()), worker: false }).await
    };
    let first = started(set("5a")).await.expect("a new database, and a new key");
    first.stop().await.expect("stopped");
    assert_eq!(std::fs::read_to_string(&file).expect("kept"), "5a".repeat(32));

    std::fs::remove_file(&file).expect("lost");
    let refused = started(set("6b")).await.err().expect("refused").to_string();
    assert!(refused.contains("master.key` is missing") && !file.exists(), "{refused}");
}

/// Operators' addresses are nobody's business where strangers come by, unless a setting says otherwise.
#[tokio::test(flavor = "multi_thread")]
async fn the_description_of_the_api_is_a_setting() {
    let mut settings = Settings::default();
    assert!(settings.shows_reference());
    settings.mode = Mode::Production;
    assert!(!settings.shows_reference());
    settings.server.reference = Some(true);
    assert!(settings.shows_reference());
    let server = start(|settings| settings.server.reference = Some(false)).await;
    for address in ["/openapi.json", "/docs", "/docs/"] {
        assert_eq!(server.visitor().get(address).await.status, 404, "{address}");
    }
    server.stop().await;
}
