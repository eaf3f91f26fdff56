//! What no file of definitions can lower. `journey check` refuses such files (`tests/mistakes/floors.yaml`); here they
//! are published past it, as if an earlier program had let them through, and the runtime refuses what they ask for.

use crate::roles::sitting;
use engine_definitions::{FORMAT, Files, Only, Problem, load, load_beside};
use engine_store::{DefinitionFile, EffectFilter, Publication, VersionRecord};
use journey_tests::server::{TestServer, Visitor, fixture, line};
use serde_json::{Value, json};

const FLOW: &str = "workflows/bicycle/cover/flow.yaml";
const ROLES: &str = "workflows/roles.yaml";
const OTP: &str = "workflows/shared/otp/part.yaml";
const OURS: &str = include_str!("../../workflows/roles.yaml");

fn change(files: &mut Files, path: &str, changes: &[(&str, &str)]) {
    let text = files.get(path).map_or_else(Vec::new, |bytes| bytes.to_vec());
    let mut text = String::from_utf8(text).expect("text");
    for (from, to) in changes {
        assert!(text.contains(from), "`{from}` is not in {path}");
        text = text.replace(from, to);
    }
    files.insert(path, text.into_bytes());
}

/// Problems that `check` says, each of a floor.
fn floors(files: &Files) -> Vec<Problem> {
    let problems = load(files).problems;
    let others: Vec<&Problem> = problems.iter().filter(|problem| problem.code != "floor").collect();
    assert!(!problems.is_empty() && others.is_empty(), "{problems:?}");
    problems
}

/// Publishes these definitions, though `check` refuses them.
async fn publish_unchecked(server: &TestServer, files: Files) {
    floors(&files);
    let loaded = load_beside(&files, &[]);
    let catalog = loaded.catalog.unwrap_or_else(|| panic!("{:?}", loaded.problems));
    let file = |(path, bytes): (&str, &std::sync::Arc<[u8]>)| DefinitionFile {
        path: path.into(),
        hash: files.hash(path),
        content: bytes.to_vec(),
    };
    let version = |workflow: &std::sync::Arc<engine_definitions::Workflow>| VersionRecord {
        workflow: workflow.id.clone(),
        version: workflow.version.clone(),
        format: FORMAT,
        closure: workflow.closure.clone(),
    };
    let publication = Publication {
        number: 0,
        at_ms: server.product.runtime.now_ms(),
        by: "somebody".into(),
        files: files.iter().map(file).collect(),
        versions: catalog.workflows().map(version).collect(),
    };
    server.store().await.publish(publication).await.expect("stored");
    assert!(server.product.runtime.publishing.load_current().await.expect("definitions"));
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_opens_a_customers_journey_to_others() {
    let server = TestServer::start(fixture("parcel")).await;
    let mut files = fixture("parcel");
    files.insert(ROLES, OURS.as_bytes().to_vec());
    let opened = [
        ("see: {own: *everyone,", "see: {own: *everyone, any: *everyone,"),
        ("send: {own: *everyone,", "send: {own: *everyone, any: *everyone,"),
        ("operate: {any: operator}", "operate: {any: [operator, visitor, customer]}"),
        ("\"GET /api/v1/journeys/{id}\": see", "\"GET /api/v1/journeys/{id}\": open"),
        ("GET /api/v1/operator/effects: operate", "GET /api/v1/operator/effects: open"),
    ];
    change(&mut files, ROLES, &opened);
    // The neutral line has none of the events that the table names.
    change(&mut files, ROLES, &[("events: {retry: {roles: [visitor, customer]}}", "")]);
    publish_unchecked(&server, files).await;
    let hers = server.visitor();
    let view = hers.start("parcel/cover", json!({"weight": 2, "kind": "gift"})).await.ok(201);
    let journey = format!("/api/v1/journeys/{}", view["journey"]["id"].as_str().expect("a journey"));
    assert_eq!(hers.get(&journey).await.status, 200);
    for other in [server.visitor(), sitting(&server, "customer", 3).await] {
        assert_eq!(other.get(&journey).await.status, 404);
        assert_eq!(other.event(&view, "submit", json!({"name": "Somebody"})).await.status, 404);
        assert!([401, 403, 404].contains(&other.get("/api/v1/operator/effects").await.status));
    }
    // Each of the staff is noted who looks.
    let staff = sitting(&server, "call-centre", 4).await;
    assert_eq!(staff.get(&journey).await.status, 200);
    let store = server.store().await;
    let id = view["journey"]["id"].as_str().expect("a journey");
    let seen = store.audit_of(&[id.to_owned()], 0, 10).await.expect("a trail");
    assert!(!seen.is_empty(), "who looked at what is another's stands in the trail");
    server.stop().await;
}

/// A bicycle's cover in which a step leads elsewhere.
fn hostile(step: &str, leads: &str) -> Files {
    let mut files = line("guide");
    change(&mut files, FLOW, &[(step, &format!("on:\n      submit: {leads}"))]);
    let message = "channel: sms\npurpose: transactional\ntext: \"{{name}}, go on here: {{here}}\"\nsample: {name: Asha, here: x}\n";
    files.insert("workflows/bicycle/messages/bicycle-offers.yaml", message.as_bytes().to_vec());
    files.remove("languages/hi/workflows/bicycle/messages/bicycle-offers.yaml");
    files.remove("workflows/bicycle/cover/stories/bought.yaml");
    files
}

async fn with_contact(visitor: &Visitor, name: &str) -> journey_tests::server::Reply {
    let view = visitor.start("bicycle/cover", json!({"value": 5_000_000, "is_electric": false})).await.ok(201);
    visitor.event(&view, "submit", json!({"name": name, "mobile": "9812345670"})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn money_agreements_and_links_wait_for_a_verified_number() {
    let server = TestServer::start(line("guide")).await;
    let agrees = "{target: contact, actions: {type: record, kind: agreement, key: \"'terms'\", data: {}}}";
    publish_unchecked(&server, hostile("on: {submit: contact}", agrees)).await;
    // who has shown no number agrees to nothing: the step is closed
    let agreed = server.visitor().start("bicycle/cover", json!({"value": 600_000, "is_electric": false})).await;
    assert_eq!((agreed.status, agreed.code().as_str()), (409, "not_accepted"), "{}", agreed.text());

    let pays = "pay\n  pay:\n    step: {wait: otp.sending, path: pay}\n    invoke: {id: early, src: gateway/order, input: \
                {amount: 1, currency: \"'INR'\", receipt: \"'r'\"}, onDone: contact, onError: contact}";
    publish_unchecked(&server, hostile("on: {submit: otp}", pays)).await;
    let paid = with_contact(&server.visitor(), "Pays").await;
    assert_eq!((paid.status, paid.code().as_str()), (409, "not_accepted"), "{}", paid.text());
    let store = server.store().await;
    let effects = store.effects(EffectFilter { limit: 100, ..Default::default() }).await.expect("effects");
    assert!(!effects.iter().any(|effect| effect.kind == "call"), "nothing was ordered: {effects:?}");

    let links = "{target: otp, actions: {type: notify, message: bicycle-offers, to: context.lead.mobile, data: {name: \
                 context.lead.name, here: {link: {purpose: purchase, valid: 2d}}}}}";
    publish_unchecked(&server, hostile("on: {submit: otp}", links)).await;
    with_contact(&server.visitor(), "Links").await.ok(200);
    let browser = server.visitor();
    let told = async || {
        let inbox = browser.get("/sandbox/inbox.json?to=9812345670").await.ok(200);
        let texts = inbox["messages"].as_array()?.iter().filter_map(|message| message["text"].as_str());
        texts.map(str::to_owned).find(|text| text.contains("go on here"))
    };
    let text = server.until("the message", told).await;
    assert!(!text.contains("/r/") && text.contains("go on here: http"), "it opens nothing: {text}");
    server.stop().await;
}

/// Whoever writes no `only` beside a payment or a password changes nothing: they are the customer's.
#[test]
fn what_takes_money_or_proves_a_number_is_closed_to_who_acts_for_customers() {
    let mut files = line("guide");
    change(
        &mut files,
        "workflows/shared/payment/part.yaml",
        &[("      only: verified\n      title: Pay the premium", "      title: Pay the premium")],
    );
    change(&mut files, "workflows/shared/kyc/part.yaml", &[("      only: verified\n", "")]);
    change(&mut files, OTP, &[("      only: customer\n", "")]);
    let loaded = load(&files);
    assert_eq!(loaded.problems.iter().map(Problem::to_string).collect::<Vec<_>>(), Vec::<String>::new());
    let catalog = loaded.catalog.expect("a catalog");
    let flow = catalog.workflow("bicycle/cover").expect("the flow");
    let only = |step: &str| flow.step_by_node(step).expect(step).only;
    for step in ["cover.purchase.payment.paying", "cover.purchase.kyc.asking", "cover.purchase.kyc.aadhaar"] {
        assert_eq!(only(step), Some(Only::Verified), "{step}");
    }
    assert_eq!(only("cover.otp.asking"), Some(Only::Customer));
    assert_eq!(only("cover.owner"), None);
    let failed = flow.step_by_node("cover.purchase.payment.failed").expect("the step");
    assert!(failed.takes.contains("retry") && !failed.takes.contains("leave"), "{:?}", failed.takes);
}

/// An author's guard is no verification: the way past the password is followed to everything that it leads to.
#[test]
fn a_gate_that_an_author_opens_is_refused_where_it_leads() {
    let gate = "{guard: journey.skips_otp && !journey.verified && input.purpose == 'lead', target: verified}";
    let answer = "{guard: event.output.ok, target: verified}";
    for (from, to) in [
        (gate, "{guard: input.purpose == 'lead', target: verified}"),
        (gate, "{guard: \"journey.assisted_by == ''\", target: verified}"),
        (answer, "{guard: event.output.left > 0, target: verified}"),
    ] {
        let mut files = line("guide");
        change(&mut files, OTP, &[(from, to)]);
        let problems = floors(&files);
        let says = |file: &str, words: &str| {
            problems.iter().any(|problem| problem.span.file.ends_with(file) && problem.message.starts_with(words))
        };
        for (file, words) in [
            ("payment/part.yaml", "this call takes money"),
            ("payment/part.yaml", "this page takes money"),
            ("payment/part.yaml", "a link that opens the request goes out"),
            ("kyc/part.yaml", "an agreement is recorded"),
            ("kyc/part.yaml", "this call takes agreement"),
            ("policy/part.yaml", "a link that opens the request goes out"),
        ] {
            assert!(says(file, words), "{to}: {words} in {file}: {problems:?}");
        }
    }
}

#[test]
fn a_workflow_has_at_most_500_states() {
    let flow = |states: usize| {
        let each = |n: usize| {
            format!("  s{n}: {{step: {{form: bicycle, into: bicycle, path: s{n}}}, on: {{submit: s{}}}}}\n", n + 1)
        };
        let states: String = (0..states).map(each).collect();
        let last = states.matches("step:").count();
        format!(
            "title: Long\nbase: /long\ninitial: s0\ncontext: {{bicycle: {{}}}}\nstates:\n{states}  s{last}: {{type: final}}\n"
        )
    };
    for (states, refused) in [(498, false), (500, true)] {
        let mut files = line("guide");
        files.insert("workflows/bicycle/long/flow.yaml", flow(states).into_bytes());
        let form = files.get("forms/bicycle/cover/bicycle.json").expect("the form").to_vec();
        files.insert("forms/bicycle/long/bicycle.json", form);
        let said = load(&files).problems.iter().any(|problem| problem.message == "more than 500 states");
        assert_eq!(said, refused, "{states}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_cache_keeps_what_is_one_callers() {
    let server = TestServer::start(line("guide")).await;
    let mut files = line("guide");
    let mut endpoint = |name: &str, text: &str| {
        let text = format!("title: Mine\npath: /api/{name}\n{text}\n");
        files.insert(&*format!("workflows/endpoints/{name}.yaml"), text.into_bytes());
    };
    endpoint("visited", "cache: 1h\nreply: {agent: visit.agent}");
    endpoint("sat", "who: session\ncache: 1h\nreply: {ok: true}");
    endpoint("kept", "who: anyone\ncache: 1h\nreply: {ok: true}");
    endpoint(
        "pays",
        "who: anyone\ncall: {src: gateway/order, input: {amount: 1, currency: \"'INR'\", receipt: \"'r'\"}}\nreply: {ok: true}",
    );
    endpoint("unsaid", "call: {src: wheelsure/quote, input: {value: 1, is_electric: false}}\nreply: {ok: true}");
    publish_unchecked(&server, files).await;
    let visitor = server.visitor();
    assert_eq!(visitor.get("/api/unsaid").await.status, 401, "a word that is left out opens no partner to everybody");
    visitor.start("bicycle/cover", json!({"value": 5_000_000, "is_electric": false})).await.ok(201);
    for (name, expected) in [("visited", "no-store"), ("sat", "no-store"), ("kept", "public, max-age=3600")] {
        let reply = visitor.get(&format!("/api/{name}")).await;
        assert_eq!((reply.status, reply.header("cache-control")), (200, expected), "{name}");
    }
    assert_eq!(visitor.get("/api/pays").await.status, 500);
    server.stop().await;
}

/// A table that forgets who acts for customers makes nobody of the staff a customer.
#[tokio::test(flavor = "multi_thread")]
async fn who_acts_for_customers_does_so_whatever_the_table_forgets() {
    let server = TestServer::start(line("guide")).await;
    let mut files = line("guide");
    change(
        &mut files,
        ROLES,
        &[("assists: [health-agent, life-agent, partner-agent, app-agent, call-centre]", "assists: []")],
    );
    publish_unchecked(&server, files).await;
    let agent = sitting(&server, "partner-agent", 7).await;
    let view: Value = with_contact(&agent, "Asha Rao").await.ok(200);
    assert_eq!(view["step"]["id"], "cover.otp.inviting", "{view}");
    server.stop().await;
}
