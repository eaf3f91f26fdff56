//! Several nodes over one database: no leader, nothing on a node that matters.

use engine_definitions::Files;
use engine_runtime::SystemClock;
use engine_server::{Product, Source, Start};
use engine_settings::{Secret, Settings};
use engine_store::{EffectFilter, EffectState};
use futures::StreamExt;
use journey_tests::chaos::processes::{Binary, KEY};
use journey_tests::postgres;
use journey_tests::server::{Visitor, fixture, until};
use serde_json::{Value, json};
use sqlx::Connection;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Nodes of one product; the first one plays the partners for all.
pub struct Nodes {
    pub url: String,
    pub all: Vec<Product>,
}

impl Nodes {
    /// One node per entry: does it work too?
    async fn start(works: &[bool]) -> Nodes {
        Nodes::start_with(fixture("parcel"), works, |_| {}).await
    }

    pub async fn start_with(files: Files, works: &[bool], change: impl Fn(&mut Settings)) -> Nodes {
        let mut nodes = Nodes { url: postgres::database().await.expect("a database"), all: Vec::new() };
        for (number, works) in works.iter().enumerate() {
            let source = if number == 0 { Source::Files(files.clone()) } else { Source::Stored };
            nodes.join(source, *works, &change).await;
        }
        nodes
    }

    async fn join(&mut self, source: Source, worker: bool, change: impl Fn(&mut Settings)) {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut settings = Settings::default();
        settings.server.address = "127.0.0.1:0".into();
        settings.database.url = self.url.clone();
        settings.keys.master = Some(Secret::new(KEY.into()));
        settings.sandbox.url = self.all.first().map(|first| format!("{}/sandbox", first.url()));
        settings.otp.unproven_per_address_hour = 1_000;
        change(&mut settings);
        let start = Start { settings, source, clock: Arc::new(SystemClock::default()), worker };
        self.all.push(Product::start(start).await.expect("the node starts"));
    }

    pub fn at(&self, node: usize) -> String {
        self.all[node].url()
    }

    /// A person whose first step is done, at the first node.
    async fn started(&self) -> (Visitor, Value) {
        let visitor = Visitor::at(self.at(0));
        let view = visitor.start("parcel/cover", json!({"weight": 2, "kind": "gift"})).await.ok(201);
        (visitor, view)
    }

    pub async fn stop(self) {
        for node in self.all {
            node.stop().await.expect("the node stops in time");
        }
    }
}

fn id(view: &Value) -> &str {
    view["journey"]["id"].as_str().expect("a journey")
}

fn all_answered(view: &Value) -> bool {
    let items = view["step"]["view"]["blocks"][0]["items"].as_array();
    items.is_some_and(|items| items.len() == 2 && items.iter().all(|item| item["state"] == "answered"))
}

/// The offers of a journey arrive on the stream of a browser; each look is caused by a change.
async fn offers_are_heard(visitor: &Visitor, view: &Value) {
    let mut changes = visitor.stream(id(view)).await;
    let view = visitor.event(view, "submit", json!({"name": "Asha Rao"})).await.ok(200);
    loop {
        changes.next().await.expect("the stream stays open");
        if all_answered(&visitor.view(id(&view)).await) {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_hears_of_replies_that_another_node_took() {
    let nodes = Nodes::start(&[false, true]).await;
    let (visitor, view) = nodes.started().await;
    offers_are_heard(&visitor, &view).await;
    nodes.stop().await;
}

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    async fn ended(&mut self) -> bool {
        until("the process's end", async || self.0.try_wait().expect("its status")).await.success()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lone_worker_process_does_the_work_of_a_server_without_one() {
    let nodes = Nodes::start(&[false]).await;
    let folder = tempfile::tempdir().expect("a folder");
    let binary = Binary::build(folder.path()).expect("the binary");
    let mut command = binary.command(folder.path(), &nodes.url);
    command
        .arg("worker")
        .env("JOURNEY_SANDBOX__URL", format!("{}/sandbox", nodes.at(0)))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut worker = Running(command.spawn().expect("the worker starts"));
    let (visitor, view) = nodes.started().await;
    offers_are_heard(&visitor, &view).await;
    let told = std::process::Command::new("kill").arg(worker.0.id().to_string()).status().expect("kill");
    assert!(told.success() && worker.ended().await, "SIGTERM ends it well");
    nodes.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_journey_goes_on_at_another_node() {
    let nodes = Nodes::start(&[true, false]).await;
    let (here, view) = nodes.started().await;
    let there = here.moved(nodes.at(1));
    assert_eq!(there.view(id(&view)).await["journey"]["revision"], view["journey"]["revision"]);
    let view = there.event(&view, "submit", json!({"name": "Asha Rao"})).await.ok(200);
    until("the offers", async || all_answered(&here.view(id(&view)).await).then_some(())).await;
    let stranger = Visitor::at(nodes.at(1));
    assert_eq!(stranger.get(&format!("/api/v1/journeys/{}", id(&view))).await.status, 404);
    nodes.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_key_at_two_nodes_at_once_has_one_effect() {
    let nodes = Nodes::start(&[false, false]).await;
    for round in 0..10 {
        let (here, view) = nodes.started().await;
        let there = here.moved(nodes.at(1));
        let path = format!("/api/v1/journeys/{}/events", id(&view));
        let body = json!({"type": "submit", "data": {"name": "Asha Rao"}, "revision": view["journey"]["revision"]})
            .to_string();
        let same = [("idempotency-key", "the same")];
        let (one, two) = tokio::join!(
            here.send("POST", &path, &same, Some(body.clone())),
            there.send("POST", &path, &same, Some(body.clone()))
        );
        let mut replayed = [one.header("idempotent-replayed"), two.header("idempotent-replayed")];
        replayed.sort();
        assert_eq!(
            (one.status, two.status, replayed),
            (200, 200, ["false", "true"]),
            "round {round}: {} {}",
            one.text(),
            two.text()
        );
        let events = nodes.all[0].runtime.store().events(id(&view), 0, 100).await.expect("events");
        assert_eq!(events.iter().filter(|event| event.kind == "submitted").count(), 2, "the first step's and this one");

        // other keys at the same revision: one is first, the other is told
        let view = here.view(id(&view)).await;
        let body = json!({"type": "back", "data": {}, "revision": view["journey"]["revision"]}).to_string();
        let (a, b) = ([("idempotency-key", "a")], [("idempotency-key", "b")]);
        let (one, two) = tokio::join!(
            here.send("POST", &path, &a, Some(body.clone())),
            there.send("POST", &path, &b, Some(body.clone()))
        );
        let mut statuses = [one.status, two.status];
        statuses.sort();
        assert_eq!(statuses, [200, 409], "round {round}: {} {}", one.text(), two.text());
    }
    nodes.stop().await;
}

/// The parcel's definitions in a folder, with another title of the first form.
fn renamed(title: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, bytes) in fixture("parcel").iter() {
        let at = folder.path().join(path);
        std::fs::create_dir_all(at.parent().expect("a folder")).expect("made");
        let text = String::from_utf8_lossy(bytes).replace("What do you send?", title);
        std::fs::write(at, text).expect("written");
    }
    folder
}

/// A second of an optimised build; one without optimisation reads definitions several times slower, beside other tests.
const SECOND: Duration = Duration::from_secs(if cfg!(debug_assertions) { 4 } else { 1 });

#[tokio::test(flavor = "multi_thread")]
async fn a_publication_reaches_every_node_within_a_second_and_running_journeys_keep_theirs() {
    let nodes = Nodes::start(&[true, false]).await;
    let (visitor, running) = nodes.started().await;
    let folder = tempfile::tempdir().expect("a folder");
    let binary = Binary::build(folder.path()).expect("the binary");
    for (round, title) in ["Another parcel?", "And one more?"].into_iter().enumerate() {
        let changed = renamed(title);
        let done =
            binary.command(folder.path(), &nodes.url).arg("publish").arg(changed.path()).output().expect("publish");
        let published = Instant::now();
        assert!(done.status.success(), "{done:?}");
        for node in 0..2 {
            let fresh = Visitor::at(nodes.at(node));
            let served = async || {
                (fresh.get("/api/v1/workflows/parcel/cover/start").await.ok(200)["step"]["title"] == title)
                    .then_some(())
            };
            until("the new title", served).await;
        }
        assert!(published.elapsed() < SECOND, "round {round} took {:?}", published.elapsed());
    }
    let started = Visitor::at(nodes.at(1)).start("parcel/cover", json!({"weight": 2, "kind": "gift"})).await.ok(201);
    assert_ne!(started["journey"]["version"], running["journey"]["version"]);
    // the one that runs goes back to the first step as it was, at a node that never served that version as the current
    // one
    let there = visitor.moved(nodes.at(1));
    let back = there.event(&there.view(id(&running)).await, "back", json!({})).await.ok(200);
    assert_eq!(
        (&back["step"]["title"], &back["journey"]["version"]),
        (&json!("What do you send?"), &running["journey"]["version"])
    );
    nodes.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn migrations_may_run_on_several_nodes_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let binary = Binary::build(folder.path()).expect("the binary");
    let sqlite = format!("sqlite:{}", folder.path().join("journey.db").display());
    for url in [postgres::database().await.expect("a database"), sqlite] {
        let dry = || binary.told(folder.path(), &url, &["migrate", "--dry-run"]).expect("what would be done");
        let migrations =
            std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../migrations/sqlite")).expect("files");
        assert_eq!(dry(), format!("a new database: {} migrations\n", migrations.count()));
        let start = || {
            binary
                .command(folder.path(), &url)
                .arg("migrate")
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("migrate starts")
        };
        let at_once: Vec<Child> = (0..4).map(|_| start()).collect();
        for child in at_once {
            let done = child.wait_with_output().expect("its end");
            assert!(done.status.success(), "{url}: {}", String::from_utf8_lossy(&done.stderr));
        }
        assert!(dry().ends_with("is up to date\n"), "{}", dry());
        let store = engine_store::connect(&url).await.expect("the database");
        assert_eq!(store.publication_number().await.expect("its tables are there"), 0);
    }
}

const CODES: &str = "
id: codes
title: Codes
base: /codes
timezone: Asia/Kolkata
ttl: 1d
initial: ask
context: {parcel: {}}
states:
  ask:
    step: {form: parcel/cover/parcel, into: parcel, path: ''}
    on: {submit: sending}
  sending:
    step: {wait: label.printing, path: ''}
    invoke: {id: send, src: system/otp.send, input: {mobile: \"'9000000001'\", purpose: \"'lead'\"}, onDone: sent, onError: limited}
  sent: {step: {wait: label.printing, path: sent}, after: {1h: limited}}
  limited: {type: final}
";

#[tokio::test(flavor = "multi_thread")]
async fn the_budget_of_one_time_passwords_holds_across_nodes() {
    let mut files = fixture("parcel");
    files.insert("workflows/parcel/codes/flow.yaml", CODES.as_bytes());
    let nodes = Nodes::start_with(files, &[false, false], |settings| settings.otp.resend_ms = 0).await;
    let asks = (0..20).map(|number| {
        let visitor = Visitor::at(nodes.at(number % 2));
        async move {
            visitor.start("parcel/codes", json!({"weight": 2, "kind": "gift"})).await.ok(201)["journey"]["status"]
                == "active"
        }
    });
    let sent = futures::future::join_all(asks).await.into_iter().filter(|sent| *sent).count();
    assert_eq!(sent, 5, "five codes an hour to one number, wherever they are asked for");
    nodes.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_stops_gives_its_work_to_another_at_once() {
    // a lease so long that only giving it back explains what follows
    let patient = |settings: &mut Settings| (settings.worker.lease_ms, settings.worker.stop_ms) = (600_000, 100);
    let mut nodes = Nodes::start_with(fixture("parcel"), &[false, true], patient).await;
    let (visitor, view) = nodes.started().await;
    let switch = |mode: &str| json!({"partner": "*", "mode": mode}).to_string();
    assert_eq!(visitor.send("POST", "/sandbox/switches", &[], Some(switch("hang"))).await.status, 200);
    let view = visitor.event(&view, "submit", json!({"name": "Asha Rao"})).await.ok(200);
    let store = nodes.all[0].runtime.store().clone();
    let running = async || {
        let filter = EffectFilter { state: Some(EffectState::Running), ..EffectFilter::default() };
        let found = store.effects(filter).await.expect("effects");
        (found.len() == 2).then_some(found)
    };
    until("two calls that hang", running).await;
    assert_eq!(visitor.send("POST", "/sandbox/switches", &[], Some(switch("normal"))).await.status, 200);
    nodes.join(Source::Stored, true, patient).await;
    nodes.all.remove(1).stop().await.expect("it stops, whatever its calls do");
    until("the offers", async || all_answered(&visitor.view(id(&view)).await).then_some(())).await;
    let done = store
        .effects(EffectFilter { state: Some(EffectState::Done), ..EffectFilter::default() })
        .await
        .expect("effects");
    assert!(done.len() == 2 && done.iter().all(|effect| effect.attempts == 1), "a stop costs no attempt: {done:?}");
    nodes.stop().await;
}

/// Ends the connections over which nodes hear each other; how many there were.
async fn deafen(url: &str) -> i64 {
    let mut admin = sqlx::PgConnection::connect(url).await.expect("a connection");
    let ended = "select count(*) from (select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() \
                 and pid <> pg_backend_pid() and query ilike 'listen %') as ended";
    sqlx::query_scalar(ended).fetch_one(&mut admin).await.expect("their ends")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_line_between_nodes_delays_and_loses_nothing() {
    let nodes = Nodes::start(&[false, true]).await;
    let (visitor, view) = nodes.started().await;
    let mut changes = visitor.stream(id(&view)).await;
    let there = visitor.moved(nodes.at(1));
    for _ in 0..3 {
        until("both lines", async || (deafen(&nodes.url).await == 2).then_some(())).await;
    }
    // the worker's node is not told of this, and the browser's node not of the replies: both look for themselves
    let view = there.event(&view, "submit", json!({"name": "Asha Rao"})).await.ok(200);
    until("a change that is heard", async || {
        changes.next().await.expect("the stream stays open");
        all_answered(&visitor.view(id(&view)).await).then_some(())
    })
    .await;
    nodes.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sqlite_file_has_one_process_and_others_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let binary = Binary::build(folder.path()).expect("the binary");
    let url = format!("sqlite:{}", folder.path().join("journey.db").display());
    let refused = |arguments: &[&str], why: &str| {
        let done = binary.command(folder.path(), &url).args(arguments).output().expect("it runs");
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(!done.status.success() && said.contains(why), "{arguments:?}: {said}");
    };
    refused(&["worker"], "`journey worker` needs PostgreSQL");
    let mut settings = Settings::default();
    settings.server.address = "127.0.0.1:0".into();
    settings.database.url = url.clone();
    settings.keys.master = Some(Secret::new(KEY.into()));
    let _ = rustls::crypto::ring::default_provider().install_default();
    let start = Start {
        settings,
        source: Source::Files(fixture("parcel")),
        clock: Arc::new(SystemClock::default()),
        worker: true,
    };
    let product = Product::start(start).await.expect("it starts");
    refused(&["serve", "--port", "0"], "another `journey serve` works on");
    // looking from beside is no second product
    let looked = binary.command(folder.path(), &url).arg("doctor").output().expect("doctor");
    let said = String::from_utf8_lossy(&looked.stdout).into_owned();
    assert!(said.contains("a SQLite file has one process"), "{said}");
    assert!(Path::new(&folder.path().join("journey.db")).exists());
    product.stop().await.expect("it stops");
}

/// Whoever walks is told of to a partner; who turns waits for a password, and then for a deadline.
const WALK: &str = "
id: walk
title: A walk
base: /walk
timezone: Asia/Kolkata
ttl: 1d
track: {call: scribe/step, input: {member: \"get(context.member, 'name', '')\"}}
initial: ask
context: {member: {}}
states:
  ask:
    step: {form: club/join/member, into: member, path: ''}
    on: {submit: there}
  there: {step: {wait: club.joined, path: there}, after: {1d: over}}
  over: {type: final, step: {wait: club.joined, path: there}}
";
const TURN: &str = "
id: gate
title: The turn
base: /gate
timezone: Asia/Kolkata
ttl: 1d
initial: ask
context: {member: {}}
states:
  ask:
    step: {form: club/join/member, into: member, path: ''}
    on: {submit: sending}
  sending:
    step: {wait: club.joined, path: sending}
    invoke: {id: send, src: system/otp.send, input: {mobile: context.member.mobile, purpose: \"'lead'\"}, onDone: asking, onError: over}
  asking:
    step: {form: code, path: code}
    on: {submit: over}
    after: {1s: over}
  over: {type: final, step: {wait: club.joined, path: over}}
";
const DEADLINE: Duration = Duration::from_secs(1);
/// Longest wait beyond it, for an unoptimised build beside other work.
const SOON: Duration = Duration::from_secs(3);

async fn in_state(nodes: &Nodes, journey: Option<&str>, kind: &str, state: EffectState) -> usize {
    let filter = EffectFilter {
        journey: journey.map(str::to_owned),
        kind: Some(kind.into()),
        state: Some(state),
        limit: 10_000,
        ..EffectFilter::default()
    };
    nodes.all[0].runtime.store().effects(filter).await.expect("effects").len()
}

/// Steps of 500 journeys wait for a partner who takes a second for each: who comes now has a password at once and a
/// deadline in time, with two workers on one database.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_slow_partner_holds_up_nobodys_password_or_deadline() {
    let mut files = crate::passwords::gated(TURN);
    files.insert("workflows/club/walk/flow.yaml", WALK.as_bytes());
    files.insert("workflows/club/walk/texts.yaml", b"club.joined: You are in.".as_slice());
    let nodes = Nodes::start_with(files, &[true, true], |settings| {
        (settings.limits.rate_per_s, settings.limits.write_rate_per_s) = (0, 0);
        settings.limits.starts_per_hour = 0;
    })
    .await;
    let visitors = [0, 1].map(|node| Visitor::at(nodes.at(node)));
    let slow = json!({"partner": "scribe", "mode": "slow", "delay_ms": 1_000}).to_string();
    assert!(visitors[0].send("POST", "/sandbox/switches", &[], Some(slow)).await.status < 400);
    let who = |n: usize| json!({"name": "Asha", "mobile": format!("98{n:08}"), "email": "asha@example.com"});
    let walks = (0..500).map(|n| visitors[n % 2].start("club/walk", who(n)));
    let begun: Vec<_> = futures::stream::iter(walks).buffer_unordered(16).collect().await;
    assert!(begun.iter().all(|reply| reply.status == 201));
    assert!(in_state(&nodes, None, "track", EffectState::Pending).await > 250);

    for n in 0..4 {
        let began = Instant::now();
        let view = visitors[n % 2].start("club/gate", who(1_000 + n)).await.ok(201);
        let sent = async || (in_state(&nodes, Some(id(&view)), "notify", EffectState::Done).await == 1).then_some(());
        until("a password", sent).await;
        assert!(began.elapsed() < SOON, "a password after {:?}", began.elapsed());
        until("the deadline", async || (visitors[n % 2].view(id(&view)).await["step"]["path"] == "over").then_some(()))
            .await;
        assert!(began.elapsed() < DEADLINE + SOON, "a deadline after {:?}", began.elapsed());
    }
    assert!(in_state(&nodes, None, "track", EffectState::Pending).await > 0, "nobody was slow");
    nodes.stop().await;
}
