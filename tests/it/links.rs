//! Links in messages: who follows one may do in one journey what its purpose says, until it ends. On the neutral
//! journey of `fixtures/parcel`, whose offers are announced by e-mail with two links.

use crate::passwords::code;
use crate::roles::sitting;
use engine_definitions::Files;
use engine_store::PersonRecord;
use journey_tests::server::{Reply, TestServer, Visitor, all_definitions, fixture};
use serde_json::{Value, json};

const HOUR_MS: i64 = 3_600_000;
const MESSAGE: &str = r#"
channel: email
subject: Your offers
text: "Choose: {{choose}} Look: {{look}} Take it back: {{name}}"
sample: {name: Asha, choose: "https://example.org/r/x", look: "https://example.org/r/y"}
"#;

/// Definition of where the messages go.
const ADDRESS: &str = "chosen: '', address: 'asha@example.com',";

/// Somebody who is signed in, and has confirmed the address.
async fn customer(server: &TestServer) -> Visitor {
    let (visitor, now) = (sitting(server, "customer", 5).await, server.product.runtime.now_ms());
    let person = PersonRecord {
        id: "c".repeat(32),
        mobile: "a number".into(),
        profile: json!({"email_verified": "asha@example.com"}),
        keys: String::new(),
        created_at_ms: now,
        seen_at_ms: now,
    };
    server.store().await.person_of(person).await.expect("a person");
    visitor
}

/// The parcel journey with a message whose links open the offers: `choose` for two days, `look` for one.
fn files() -> Files {
    let mut files = fixture("parcel");
    let path = "workflows/parcel/cover/flow.yaml";
    let text = String::from_utf8(files.get(path).expect("the workflow").to_vec()).expect("text");
    let notify = "{type: notify, message: offers, to: context.address, data: {name: context.sender.name, choose: {link: {purpose: choose, valid: 2d}}, look: {link: {purpose: look, valid: 1d}}}}";
    let text = text
        .replace("chosen: '',", ADDRESS)
        .replace("on: {submit: offers}", &format!("on: {{submit: {{target: offers, actions: {notify}}}}}"))
        .replace("accepts: {select:", "links: {choose: [select], look: []}\n      accepts: {withdraw: {}, select:")
        .replace(
            "    on:\n      select:",
            "    on:\n      withdraw: {actions: {type: revoke, purpose: choose}}\n      select:",
        )
        .replace(
            "data: {label: context.label}}\n    after",
            "data: {label: context.label}, links: {look: []}}\n    after",
        );
    files.insert(path, text.into_bytes());
    files.insert("workflows/parcel/messages/offers.yaml", MESSAGE.as_bytes().to_vec());
    files
}

struct Stage {
    server: TestServer,
    owner: Visitor,
    view: Value,
    choose: String,
    look: String,
}

impl Stage {
    async fn set() -> Stage {
        let server = TestServer::start(files()).await;
        let owner = customer(&server).await;
        let view = owner.start("parcel/cover", json!({"weight": 2, "kind": "gift"})).await.ok(201);
        let view = owner.event(&view, "submit", json!({"name": "Asha Rao"})).await.ok(200);
        let text = server
            .until("the message", async || {
                let inbox = owner.get("/sandbox/inbox.json?to=asha@example.com").await.ok(200);
                inbox["messages"][0]["text"].as_str().map(str::to_owned)
            })
            .await;
        let codes: Vec<String> = text.split("/r/").skip(1).map(|rest| rest.chars().take(22).collect()).collect();
        let [choose, look] = codes.as_slice() else { panic!("two links in {text}") };
        assert_ne!(choose, look);
        Stage { choose: format!("/r/{choose}"), look: format!("/r/{look}"), server, owner, view }
    }

    fn id(&self) -> &str {
        self.view["journey"]["id"].as_str().expect("a journey")
    }

    fn journey(&self) -> String {
        format!("/api/v1/journeys/{}", self.id())
    }
}

/// The button of a link's page, as a browser sends a form without scripts.
async fn press(visitor: &Visitor, link: &str) -> Reply {
    visitor
        .send(
            "POST",
            link,
            &[("content-type", "application/x-www-form-urlencoded"), ("x-journey", "")],
            Some(String::new()),
        )
        .await
}

fn events(view: &Value) -> Vec<&str> {
    view["step"]["events"].as_array().into_iter().flatten().filter_map(|event| event["type"].as_str()).collect()
}

/// Opening the address only asks, and nobody presses the button for somebody: no session, no right.
async fn only_asks(stage: &Stage, other: &Visitor) {
    let journey = stage.journey();
    let asked = other.get(&stage.choose).await;
    assert_eq!(
        (asked.status, asked.header("set-cookie"), asked.header("referrer-policy"), asked.header("cache-control")),
        (200, "", "same-origin", "no-store")
    );
    assert!(asked.text().contains("<form method=\"post\">"), "{}", asked.text());
    assert!(
        !asked.text().contains("Asha") && !asked.text().contains(&journey[17..]),
        "nothing of the journey is told before"
    );
    assert_eq!(other.get(&journey).await.status, 404);
    // Another site cannot press the button for a visitor.
    let elsewhere = [("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")];
    let foreign = other.send("POST", &stage.choose, &elsewhere, Some(String::new())).await;
    assert_eq!(foreign.status, 403);
    assert_eq!(other.get(&journey).await.status, 404);
}

/// The button gives the right, to this browser and for this journey.
async fn gets_the_right(stage: &Stage, other: &Visitor) {
    let pressed = press(other, &stage.choose).await;
    let page = format!("/parcel-cover/offers?request={}", stage.id());
    assert_eq!((pressed.status, pressed.header("location")), (303, page.as_str()), "{}", pressed.text());
    assert!(pressed.header("set-cookie").starts_with("__Host-session="));
    assert_eq!(other.get(pressed.header("location")).await.status, 200);
    assert_eq!(other.get(&stage.choose).await.status, 303, "who has the right goes straight on");
    assert_eq!(other.get("/api/v1/journeys").await.ok(200), json!([]), "it is not the visitor's own");
}

/// Checks that the other browser sees the step and may send `select`; what else the owner may, it may not.
async fn may_select_alone(stage: &Stage, other: &Visitor) {
    let journey = stage.journey();
    let view = other.get(&journey).await.ok(200);
    assert_eq!(
        (events(&view), &view["step"]["back"], &view["step"]["changeable"]),
        (vec!["select"], &Value::Null, &json!([]))
    );
    let mine = stage.owner.get(&journey).await.ok(200);
    assert!(["select", "withdraw", "back"].iter().all(|event| events(&mine).contains(event)), "{:?}", events(&mine));
    for event in ["withdraw", "back", "change", "submit", "save"] {
        let refused = other.event(&view, event, json!({})).await;
        assert_eq!((refused.status, refused.code().as_str()), (409, "not_accepted"), "{event}");
    }
    let draft = json!({"step": "offers", "data": {}}).to_string();
    assert_eq!(other.send("PUT", &format!("{journey}/draft"), &[], Some(draft)).await.status, 404);
}

/// Chooses an offer once it is there.
async fn selects(stage: &Stage, other: &Visitor) -> Reply {
    let answered = |item: &Value| item["state"] == "answered" && item["provider"]["name"] == "swift";
    let offered = async || {
        let view = other.get(&stage.journey()).await.ok(200);
        view["step"]["view"]["blocks"][0]["items"].as_array()?.iter().any(answered).then_some(view)
    };
    let view = stage.server.until("an offer", offered).await;
    other.event(&view, "select", json!({"carrier": "swift"})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_opens_one_journey_for_its_purpose() {
    let stage = Stage::set().await;
    let (journey, other) = (stage.journey(), stage.server.visitor());
    assert_eq!(other.get(&journey).await.status, 404);
    only_asks(&stage, &other).await;
    gets_the_right(&stage, &other).await;
    may_select_alone(&stage, &other).await;

    let chosen = selects(&stage, &other).await;
    // What comes after the choice is not of this link: like a journey that does not exist.
    assert_eq!(chosen.status, 404, "{}", chosen.text());
    assert_eq!(other.get(&journey).await.status, 404);
    let store = stage.server.store().await;
    let history = store.events(stage.id(), 0, 100).await.expect("a history");
    let select = history.iter().find(|event| event.data["event"] == "select").expect("the event");
    assert_eq!((&select.by["kind"], &select.by["roles"]), (&json!("link"), &json!(["visitor", "link:choose"])));

    // The code itself stands nowhere in the history or in what a job reads.
    let code = stage.choose.trim_start_matches("/r/");
    assert!(!history.iter().any(|event| event.data.to_string().contains(code)));
    let of_journey = engine_store::EffectFilter { journey: Some(stage.id().into()), limit: 100, ..Default::default() };
    let effects = store.effects(of_journey).await.expect("effects");
    assert!(effects.iter().any(|effect| effect.kind == "notify"));
    assert!(!effects.iter().any(|effect| effect.payload.to_string().contains(code)));
}

#[tokio::test(flavor = "multi_thread")]
async fn another_purpose_opens_something_else() {
    let stage = Stage::set().await;
    let (journey, other) = (stage.journey(), stage.server.visitor());
    assert_eq!(press(&other, &stage.look).await.status, 303);
    let view = other.get(&journey).await.ok(200);
    assert_eq!(events(&view), Vec::<&str>::new());
    assert_eq!(other.event(&view, "select", json!({"carrier": "swift"})).await.code(), "not_accepted");
    // Rights come with a new token: the old one is of no use to anybody, and what was the visitor's own stays it.
    let own = other.start("parcel/cover", json!({"weight": 1, "kind": "gift"})).await.ok(201);
    let own = format!("/api/v1/journeys/{}", own["journey"]["id"].as_str().expect("a journey"));
    let old = other.cookie("__Host-session");
    assert_eq!(press(&other, &stage.look).await.status, 303);
    assert_ne!(other.cookie("__Host-session"), old);
    assert_eq!((other.get(&own).await.status, other.get(&journey).await.status), (200, 200));
    let thief = format!("__Host-session={old}");
    assert_eq!(stage.server.visitor().send("GET", &own, &[("cookie", &thief)], None).await.status, 404);

    // Both links in one browser: both rights.
    assert_eq!(press(&other, &stage.choose).await.status, 303);
    assert_eq!(events(&other.get(&journey).await.ok(200)), vec!["select"]);
}

/// The parcel journey with a message after its first step, whose link opens all of it.
fn resumable() -> Files {
    let mut files = fixture("parcel");
    let path = "workflows/parcel/cover/flow.yaml";
    let text = String::from_utf8(files.get(path).expect("the workflow").to_vec()).expect("text");
    let notify =
        "{type: notify, message: resume, to: context.address, data: {link: {link: {purpose: resume, valid: 3d}}}}";
    let text = text
        .replace("chosen: '',", ADDRESS)
        .replace("initial: parcel\n", "initial: parcel\nlinks: {resume: ['*']}\n")
        .replace("on: {submit: sender}", &format!("on: {{submit: {{target: sender, actions: {notify}}}}}"));
    files.insert(path, text.into_bytes());
    let message = "channel: email\nsubject: Go on\ntext: \"Go on here: {{link}}\"\nsample: {link: x}\n";
    files.insert("workflows/parcel/messages/resume.yaml", message.as_bytes().to_vec());
    files
}

#[tokio::test(flavor = "multi_thread")]
async fn a_purpose_of_the_whole_journey_goes_on_where_its_owner_stopped() {
    let server = TestServer::start(resumable()).await;
    let (owner, other) = (customer(&server).await, server.visitor());
    let view = owner.start("parcel/cover", json!({"weight": 2, "kind": "gift"})).await.ok(201);
    let journey = format!("/api/v1/journeys/{}", view["journey"]["id"].as_str().expect("a journey"));
    let link = server
        .until("the message", async || {
            let inbox = owner.get("/sandbox/inbox.json?to=asha@example.com").await.ok(200);
            Some(inbox["messages"][0]["text"].as_str()?.split_once("/r/")?.1.trim().to_owned())
        })
        .await;
    assert_eq!(press(&other, &format!("/r/{link}")).await.status, 303);

    let view = other.get(&journey).await.ok(200);
    let back = other.event(&view, "back", json!({})).await.ok(200);
    assert_eq!(back["step"]["id"], "cover.parcel");
    let again = other.event(&back, "submit", json!({"weight": 3, "kind": "gift"})).await.ok(200);
    let offers = other.event(&again, "submit", json!({"name": "Asha Rao"})).await.ok(200);
    assert_eq!(offers["step"]["id"], "offers");
    assert_eq!(owner.get(&journey).await.ok(200)["step"]["id"], "offers");
    // Who is late learns where the journey is, the owner also what was answered.
    let late = json!({"type": "submit", "data": {"name": "B"}, "revision": again["journey"]["revision"]}).to_string();
    let send = async |who: &Visitor, key: &str| {
        who.send("POST", &format!("{journey}/events"), &[("idempotency-key", key)], Some(late.clone())).await
    };
    let (theirs, mine) = (send(&other, "late-1").await, send(&owner, "late-2").await);
    assert_eq!((theirs.code(), mine.code()), ("stale".to_owned(), "stale".to_owned()));
    assert_eq!(
        (
            theirs.json()["difference"].as_array().map(Vec::len).unwrap_or_default(),
            mine.json()["difference"][0]["theirs"].clone()
        ),
        (0, json!("Asha Rao"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_is_over_unknown_or_revoked_says_so_and_no_more() {
    let stage = Stage::set().await;
    let (journey, other) = (stage.journey(), stage.server.visitor());
    assert_eq!(press(&other, &stage.look).await.status, 303);
    assert_eq!(press(&other, &stage.choose).await.status, 303);

    let last = if stage.choose.ends_with('A') { "B" } else { "A" };
    let tampered = format!("{}{last}", &stage.choose[..stage.choose.len() - 1]);
    let unknown = stage.server.visitor().get(&tampered).await;
    assert_eq!(unknown.status, 404);
    assert!(unknown.text().contains("This link no longer works"));
    for wrong in ["/r/short", "/r/..%2f..%2fetc%2fpasswd%00%00", &tampered] {
        let asked = stage.server.visitor().get(wrong).await;
        assert_eq!((asked.status, asked.bytes), (404, unknown.bytes.clone()), "{wrong}");
        assert_eq!(press(&stage.server.visitor(), wrong).await.status, 404, "{wrong}");
    }

    // A day later `look` has ended, for the link and for the browser that followed it; `choose` goes on.
    stage.server.clock.advance(25 * HOUR_MS);
    let over = stage.server.visitor().get(&stage.look).await;
    assert_eq!((over.status, over.bytes), (404, unknown.bytes.clone()));
    assert_eq!(events(&other.get(&journey).await.ok(200)), vec!["select"]);

    // Revoked: everywhere at once.
    let mine = stage.owner.get(&journey).await.ok(200);
    stage.owner.event(&mine, "withdraw", json!({})).await.ok(200);
    assert_eq!(other.get(&journey).await.status, 404);
    let over = stage.server.visitor().get(&stage.choose).await;
    assert_eq!((over.status, over.bytes), (404, unknown.bytes));
    assert_eq!(press(&other, &stage.choose).await.status, 404);
}

/// A text message is opened on any phone: before the customer has chosen a language there, the page asks in the one of
/// their request.
#[tokio::test(flavor = "multi_thread")]
async fn a_link_asks_in_the_language_of_its_journey_until_another_one_is_chosen() {
    let files = all_definitions();
    let server = TestServer::start(files).await;
    let (hers, phone) = (server.visitor(), server.visitor());
    assert_eq!(hers.get("/?lang=hi").await.status, 302);
    let begun = hers.start("motor/car", json!({"registration": "dl3cab1234", "kind": "registered"})).await.ok(201);
    let journey = begun["journey"]["id"].as_str().expect("a journey").to_owned();
    let at = async |path: &str| {
        let there = async || Some(hers.view(&journey).await).filter(|view| view["step"]["path"] == path);
        server.until(path, there).await
    };
    let contact = json!({"name": "Asha Rao", "mobile": "9876543210", "consent": true});
    hers.event(&at("contact").await, "submit", contact).await.ok(200);
    let asked = async || Some(at("otp").await).filter(|view| view["step"]["form"].is_object());
    let asked = server.until("the code's form", asked).await;
    let otp = code(&server.product.runtime, &journey).await;
    hers.event(&asked, "submit", json!({"code": otp})).await.ok(200);
    at("vehicle").await;
    server.clock.advance(3 * HOUR_MS);
    let link = server
        .until("the message", async || {
            let inbox = phone.get("/sandbox/inbox.json?to=9876543210").await.ok(200);
            let text = inbox["messages"][0]["text"].as_str()?.to_owned();
            Some(format!("/r/{}", text.split("/r/").nth(1)?.chars().take(22).collect::<String>()))
        })
        .await;

    let page = async |address: &str| phone.get(address).await.text();
    let asks = page(&link).await;
    assert!(
        asks.contains("<html lang=\"hi\"") && asks.contains("अपना अनुरोध खोलें") && asks.contains("“कार बीमा”"),
        "{asks}"
    );
    let chosen = phone.get(&format!("{link}?lang=en")).await;
    assert_eq!(
        (chosen.status, chosen.header("location"), chosen.header("referrer-policy")),
        (302, &*link, "same-origin")
    );
    let asks = page(&link).await;
    assert!(asks.contains("Open your request") && asks.contains("“Car insurance”"), "{asks}");
    assert!(page("/r/AAAAAAAAAAAAAAAAAAAAAA").await.contains("This link no longer works"));
    assert_eq!(phone.get(&format!("{link}?lang=hi")).await.status, 302);
    assert!(page("/r/AAAAAAAAAAAAAAAAAAAAAA").await.contains("यह लिंक अब काम नहीं करता"));
    let followed = press(&phone, &link).await;
    assert_eq!(followed.status, 303, "{}", followed.text());
    server.stop().await;
}
