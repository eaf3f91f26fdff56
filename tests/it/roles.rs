//! The table of roles is what the server does: every route, as every role, with one's own, another's, and nothing.

use engine_definitions::{Files, Policy, ROUTES, Right, RouteAsks, Whose};
use engine_runtime::Actor;
use journey_tests::server::{Reply, TestServer, Visitor, fixture};
use serde_json::json;
use std::collections::BTreeSet;

pub(crate) use journey_tests::people::sitting;

/// Somebody with this role and a session (an operator: a token), and a journey of their own where the role begins any.
struct Somebody {
    role: String,
    visitor: Visitor,
    bearer: String,
    own: Option<Journey>,
}

/// A finished parcel: its id, and its document's.
struct Journey {
    id: String,
    document: String,
}

impl Somebody {
    async fn with(server: &TestServer, role: &str, n: u8) -> Somebody {
        let runtime = &server.product.runtime;
        let (visitor, mut bearer) = (sitting(server, role, n).await, String::new());
        if role == "operator" {
            bearer = format!("Bearer {}", runtime.people.new_operator("asha", 8).await.expect("a token"));
        }
        let mut somebody = Somebody { role: role.to_owned(), visitor, bearer, own: None };
        let policy = Policy::default();
        if policy.allows([role].into_iter(), Right::Begin, Whose::Own) {
            somebody.own = Some(finished(server, &somebody.visitor).await);
        }
        somebody
    }

    /// The route about this journey, with a body that reaches the question whose it is.
    async fn asks(&self, route: &str, journey: &Journey) -> Reply {
        let (method, path) = route.split_once(' ').expect("method and path");
        let path = path
            .replace("{line}/{name}", "parcel/cover")
            .replace("{id}", &journey.id)
            .replace("{key}", &format!("{}.1.0", journey.id))
            .replace("{document}", &journey.document)
            .replace("{upload}", &journey.document)
            .replace("{name}", "towns")
            .replace("{partner}", "swift")
            .replace("{state}", "none")
            .replace("{code}", "none")
            .replace("{*path}", "v1/nowhere");
        let body = match path.rsplit('/').next() {
            Some("journeys") => json!({"workflow": "parcel/cover", "data": {"weight": 2, "kind": "gift"}}),
            Some("events") => json!({"type": "submit", "data": {}, "revision": 0}),
            Some("uploads") => json!({"kind": "front", "name": "a", "size": 1}),
            Some("draft") => json!({"step": "cover.parcel", "data": {}}),
            _ => json!({}),
        };
        let key = format!("{}{}", self.role, path.len());
        let mut headers = vec![("idempotency-key", key.as_str()), ("content-range", "bytes */1")];
        if !self.bearer.is_empty() {
            headers.push(("authorization", &self.bearer));
        }
        let body = (method != "GET").then(|| body.to_string());
        self.visitor.send(method, &path, &headers, body).await
    }
}

/// A parcel of the visitor's from the first page to its document.
async fn finished(server: &TestServer, visitor: &Visitor) -> Journey {
    let view = visitor.start("parcel/cover", json!({"weight": 2, "kind": "gift"})).await.ok(201);
    let id = view["journey"]["id"].as_str().expect("a journey").to_owned();
    let view = visitor.event(&view, "submit", json!({"name": "Asha Rao"})).await.ok(200);
    let offered = async || {
        let view = visitor.view(view["journey"]["id"].as_str()?).await;
        let offers = view["step"]["view"]["blocks"][0]["items"].as_array()?.clone();
        offers.iter().any(|offer| offer["provider"]["name"] == "swift" && offer["state"] == "answered").then_some(view)
    };
    let view = server.until("an offer", offered).await;
    visitor.event(&view, "select", json!({"carrier": "swift"})).await.ok(200);
    let done = async || {
        let documents = server.store().await.documents_in(std::slice::from_ref(&id)).await.expect("a read");
        let document = documents.first()?.id.clone();
        (visitor.view(&id).await["step"]["id"] == "cover.done").then_some(document)
    };
    let document = server.until("the document", done).await;
    Journey { id, document }
}

fn is_refused(reply: &Reply) -> bool {
    matches!(reply.status, 401 | 403 | 404)
}

/// Asks every route with what is their own, another's and nobody's; how many were asked.
async fn asks_every_route(somebody: &Somebody, role: &str, other: &Journey, nothing: &Journey) -> usize {
    let (policy, mut asked) = (Policy::default(), 0);
    for route in ROUTES {
        let RouteAsks::Right(right) = policy.asks(route).expect("a line") else { continue };
        let may = |whose| policy.allows([role].into_iter(), right, whose);
        let own = somebody.own.as_ref().map(|own| ("own", own, may(Whose::Own) || may(Whose::Any)));
        let cases = own.into_iter().chain([("another's", other, may(Whose::Any)), ("none", nothing, false)]);
        for (whose, journey, allowed) in cases {
            let about_one = route.contains("{id}") || route.contains("{key}");
            let allowed = if about_one { allowed } else { may(Whose::Own) || may(Whose::Any) };
            // A file is the customer's alone; who acts for a customer may send one.
            let is_file = ["{document}", "{upload}/file", "{upload}/preview"].iter().any(|part| route.ends_with(part));
            let is_theirs = !is_file || ["visitor", "customer"].contains(&role);
            let allowed = allowed && is_theirs;
            // An incident and an effect by their own names are the operators' tests.
            if allowed && (route.contains("{key}") || route.contains("incidents/{id}")) {
                continue;
            }
            // A file that is there: tests of uploads.
            if allowed && route.contains("{upload}") {
                continue;
            }
            // An operator's token is read by the operators' routes alone: elsewhere it is a visitor who comes.
            if role == "operator" && !route.contains("/operator/") {
                continue;
            }
            if allowed && route.ends_with("/stream") {
                somebody.visitor.stream(&journey.id).await;
                continue;
            }
            let reply = somebody.asks(route, journey).await;
            let told = format!("{role}: {route} with {whose}: {} {}", reply.status, reply.text());
            assert_eq!(is_refused(&reply), !allowed, "{told}");
            asked += 1;
        }
    }
    asked
}

/// R6-10: what the table does not say is refused, and each sees their own alone.
#[tokio::test(flavor = "multi_thread")]
async fn every_route_answers_every_role_as_the_table_says() {
    let server = TestServer::start_with(fixture("parcel"), |settings| {
        (settings.limits.rate_per_s, settings.limits.write_rate_per_s) = (0, 0);
    })
    .await;
    let policy = Policy::default();
    let other = Somebody::with(&server, "visitor", 1).await.own.expect("a journey of another");
    let nothing = Journey { id: "0".repeat(32), document: "1".repeat(32) };
    let (mut asked, mut of_others) = (0, Vec::new());
    for (n, (role, _)) in policy.roles().enumerate() {
        let mut somebody = Somebody::with(&server, role, n as u8 + 2).await;
        asked += asks_every_route(&somebody, role, &other, &nothing).await;
        for journey in &of_others {
            let seen = somebody.asks("GET /api/v1/journeys/{id}", journey).await;
            assert_eq!(seen.status, 404, "{role}: what was begun by another role");
        }
        of_others.extend(somebody.own.take());
        let open = async |route: &str| somebody.asks(route, &nothing).await.status;
        assert_eq!((open("GET /healthz").await, open("GET /api/v1/master/{name}").await), (200, 200), "{role}");
    }
    assert!(asked > 300, "{asked}");

    // Who has no role at all: nothing.
    let nobody = Actor { roles: vec!["nobody".into()], ..Actor::visitor("n") };
    assert!(server.product.runtime.journeys.view(&nobody, &other.id).await.is_err());
    server.stop().await;
}

/// The parcel with something for each of some roles: an item of a menu, a page, a part of one, a call, a field, a block
/// and an event.
fn with_desk() -> Files {
    let mut files = fixture("parcel");
    let mut change = |path: &str, from: &str, to: &str| {
        let text = String::from_utf8(files.get(path).expect(path).to_vec()).expect("text");
        assert!(text.contains(from), "{path}: {from}");
        files.insert(path, text.replacen(from, to, 1).into_bytes());
    };
    let item = "menus:\n  house:\n    - {text: The desk, link: /desk, roles: [call-centre, health-agent]}";
    change("workflows/site/site.yaml", "menus:\n  house:", item);
    let field = "\"commission\": {\"title\": \"Commission\", \"type\": \"integer\", \"minimum\": 0, \"maximum\": 9, \
                 \"x-roles\": [\"call-centre\", \"health-agent\"]},";
    change("forms/parcel/cover/sender.json", "\"properties\": {", &format!("\"properties\": {{{field}"));
    change("forms/parcel/cover/sender.json", "[\"name\"]", "[\"name\", \"commission\"]");
    let block = "blocks:\n  - {block: text, text: What it earns, roles: [call-centre, health-agent]}";
    change("workflows/parcel/cover/views/offers.yaml", "blocks:", block);
    let flow = "workflows/parcel/cover/flow.yaml";
    change(flow, "accepts: {select:", "accepts: {mark: {by: [call-centre, health-agent]}, select:");
    change(flow, "      select:\n", "      mark: {actions: {assign: {chosen: \"'marked'\"}}}\n      select:\n");
    let page = |path: &str, rest: &str| format!("path: {path}\nwho: person\ntitle: A page\n{rest}\n").into_bytes();
    let blocks = "blocks: [{block: text, text: Desk of agents}]";
    files.insert(
        "workflows/site/pages/desk.yaml",
        page("/desk", &format!("roles: [call-centre, health-agent]\n{blocks}")),
    );
    let blocks = "blocks: [{block: text, text: Hers}, {block: text, text: Her part, roles: customer}]";
    files.insert("workflows/site/pages/own.yaml", page("/own", blocks));
    let call = |path: &str, rest: &str| format!("title: A call\npath: {path}\nwho: session\n{rest}\n").into_bytes();
    let desk = call("/api/desk", "roles: [call-centre, health-agent]\nreply: {ok: true}");
    files.insert("workflows/endpoints/desk.yaml", desk);
    files.insert("workflows/endpoints/menu.yaml", call("/api/menu", "reply: {menu: site.menus.house}"));
    files
}

/// A journey with something for some roles: there for these, and nowhere for the others.
async fn sees_in_a_journey(visitor: &Visitor, role: &str, is_named: bool) {
    let view = visitor.start("parcel/cover", json!({"weight": 2, "kind": "gift"})).await.ok(201);
    assert_eq!(view["step"]["form"]["schema"]["properties"].get("commission").is_some(), is_named, "{role}: {view}");
    let answers = json!({"name": "Asha Rao", "commission": 3});
    let both = visitor.event(&view, "submit", answers).await;
    assert_eq!(both.status, if is_named { 200 } else { 422 }, "{role}: {}", both.text());
    let view =
        if is_named { both.ok(200) } else { visitor.event(&view, "submit", json!({"name": "Asha Rao"})).await.ok(200) };
    assert_eq!(view["step"]["view"].to_string().contains("What it earns"), is_named, "{role}");
    assert_eq!(view["step"]["events"].to_string().contains("mark"), is_named, "{role}");
    let journey = view["journey"]["id"].as_str().expect("an id");
    let marked = visitor.event(&visitor.view(journey).await, "mark", json!({})).await;
    assert_eq!(marked.status, if is_named { 200 } else { 409 }, "{role}: {}", marked.text());
}

/// Checks that pages, calls and menus show what is for some roles to these alone; what everybody sees is given back.
async fn sees_of_the_site(visitor: &Visitor, role: &str, is_named: bool) -> String {
    let desk = visitor.get("/desk").await;
    assert_eq!(desk.status, if is_named { 200 } else { 404 }, "{role}");
    assert_eq!(desk.text().contains("Desk of agents"), is_named, "{role}");
    assert_eq!(visitor.get("/own").await.text().contains("Her part"), role == "customer", "{role}");
    assert_eq!(visitor.get("/api/desk").await.status, if is_named { 200 } else { 404 }, "{role}");
    let menu = visitor.get("/api/menu").await;
    assert_eq!(menu.ok(200).to_string().contains("The desk"), is_named, "{role}");
    // A page that is everybody's stays the same for all, and caches may keep it.
    let help = visitor.get("/help").await;
    assert!(help.header("cache-control").starts_with("public") && !help.text().contains("The desk"), "{role}");
    help.text()
}

/// What names roles is there for these alone, in no JSON and no HTML of anybody else.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_for_some_roles_is_nowhere_for_the_others() {
    let server = TestServer::start_with(with_desk(), |settings| {
        (settings.limits.rate_per_s, settings.limits.write_rate_per_s) = (0, 0);
    })
    .await;
    let policy = Policy::default();
    let mut public = None;
    for (n, (role, _)) in policy.roles().enumerate() {
        // Whoever has a journey of their own, and so a session.
        if !policy.allows([role].into_iter(), Right::Begin, Whose::Own) {
            continue;
        }
        let visitor = sitting(&server, role, n as u8 + 2).await;
        let is_named = ["call-centre", "health-agent"].contains(&role);
        sees_in_a_journey(&visitor, role, is_named).await;
        let help = sees_of_the_site(&visitor, role, is_named).await;
        assert_eq!(public.get_or_insert_with(|| help.clone()), &help, "{role}");
    }
    server.stop().await;
}

#[test]
fn every_route_of_the_program_has_its_line() {
    let described = serde_json::to_value(engine_http::openapi()).expect("JSON");
    let paths = described["paths"].as_object().expect("paths").iter();
    let routes = paths.flat_map(|(path, methods)| {
        let methods = methods.as_object().expect("methods").keys();
        methods.map(move |method| format!("{} {path}", method.to_uppercase())).collect::<Vec<_>>()
    });
    let undescribed = [
        "POST /stackTraceApi",
        "GET /openapi.json",
        "GET /r/{code}",
        "POST /r/{code}",
        "GET /openid",
        "GET /openid/back",
    ];
    let endpoints = ["GET /api/{*path}", "POST /api/{*path}", "PUT /api/{*path}"];
    let program: BTreeSet<String> = routes.chain(undescribed.into_iter().chain(endpoints).map(str::to_owned)).collect();
    assert_eq!(program, ROUTES.iter().map(|route| (*route).to_owned()).collect());
}
