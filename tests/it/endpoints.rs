//! Calls that are data: what each takes, refuses and answers.

use engine_definitions::{Files, MENU_KEYS, load};
use journey_tests::server::{Reply, TestServer, Visitor, all_definitions, fixture};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn texts(items: &Value) -> BTreeSet<String> {
    items.as_array().expect("items").iter().map(|item| item["text"].as_str().expect("a text").to_owned()).collect()
}

/// R7.2-14, R7.2-16, R3-17: menus and footers.
async fn has_menus(visitor: &Visitor) {
    let get = async |path: &str| visitor.get(path).await.ok(200);
    let menu = get("/api/v1/menu").await["data"]["menu"].clone();
    for item in menu.as_array().expect("items") {
        let keys: BTreeSet<&str> = item.as_object().expect("an item").keys().map(String::as_str).collect();
        assert_eq!(keys, MENU_KEYS.into(), "R3-17");
    }
    let mobile = texts(&get("/api/v1/menu?device=mobile").await["data"]["menu"]);
    let desktop = texts(&get("/api/v1/menu?device=desktop").await["data"]["menu"]);
    assert!(mobile.contains("Contact us") && !desktop.contains("Contact us"), "R3-17 {desktop:?}");
    assert!(texts(&get("/api/v1/sme-menu").await["data"]["menu"]).contains("Business insurance"));
    assert_eq!(get("/api/v1/footer-menu").await["data"]["menu"][0]["title"], "Products");
    let hindi = get("/api/v1/footer-menu?lang=hi").await["data"]["menu"][0]["title"].clone();
    assert_eq!(hindi, "प्रोडक्ट", "a kept answer has the language of its address");
    assert_eq!(get("/api/v1/home").await["data"]["name"], "Journey");
    let footer = get("/api/v1/footerData").await;
    assert_eq!((&footer["status"], &footer["data"]["footerMenus"][0]["title"]), (&json!(200), &json!("Products")));
}

/// R7.2-11, R7.2-12, R7.2-17, R7.2-18, R7.3-06, R7.3-17: reference data.
async fn has_rows(visitor: &Visitor) {
    let get = async |path: &str| visitor.get(path).await.ok(200);
    let cities = get("/api/v1/common/get-city?q=pune").await;
    assert_eq!(cities["data"]["city"][0]["citySlug"], "pune");
    assert!(get("/api/v1/motorbff/rtoMasterDetail").await["data"]["rto"].as_array().expect("rows").len() > 500);
    for number in ["DL3C", "dl-03", "DL%203C", "dl3cab1234", "DL-%E0%A5%A9"] {
        let office = get(&format!("/api/v1/motorbff/getRtoDetails?rto={number}")).await;
        assert_eq!(office["data"]["rto"]["rto"], "DL-03", "{number}");
    }
    assert_eq!(get("/api/v1/motorbff/getRtoDetails?rto=XX99").await["data"]["rto"], Value::Null);
    let all = get("/api/v1/HealthCityList").await["result"].clone();
    let one = get("/api/v1/hospitalCities?slug=mumbai&digest=x").await["result"].clone();
    assert!(all["city"].as_array().expect("rows").len() > 100 && all["digest"].is_string());
    assert_eq!((one["city"].as_array().map(Vec::len), &one["city"][0]["cityName"]), (Some(1), &json!("Mumbai")));
    assert_eq!(get("/api/v1/motorbff/getPageLoadTime").await["data"]["time"], "2026-11-21T04:30:00.000Z");
    let lines = [(4, "health"), (5, "life"), (6, "investment"), (7, "travel"), (8, "pet"), (41, "shop")];
    for (id, slug) in lines {
        let data = get(&format!("/api/v1/master-data?subProductTypeId={id}")).await["data"].clone();
        assert!(data["slug"] == slug && !data["choices"].as_array().expect("choices").is_empty(), "R7.3-17 {data}");
    }
}

/// The calls that a browser makes for header, footer, home and pickers.
#[tokio::test(flavor = "multi_thread")]
async fn calls_of_the_site_answer_as_specified() {
    let server = TestServer::start(all_definitions()).await;
    let visitor = server.visitor();
    has_menus(&visitor).await;
    has_rows(&visitor).await;

    // What is missing or wrong is named; the wrong method says which is right (R7-04, R7.3-34).
    for path in ["/api/v1/master-data", "/api/v1/master-data?subProductTypeId=9", "/api/v1/menu?device=watch"] {
        let refused = visitor.get(path).await;
        assert_eq!((refused.status, refused.code().as_str()), (422, "invalid"), "{path}");
        assert!(refused.json()["errors"][0]["text"].is_string(), "{path}");
    }
    let posted = visitor.send("POST", "/api/v1/menu", &[], Some("{}".into())).await;
    assert_eq!((posted.status, posted.header("allow"), posted.code().as_str()), (405, "GET", "method"));
    assert_eq!(visitor.get("/api/v1/menus").await.code(), "not_found");
    let described = visitor.get("/openapi.json").await.json();
    assert_eq!(described["paths"]["/api/v1/menu"]["get"]["parameters"][0]["name"], "device");
    server.stop().await;
}

/// What is wrong, by names of the body or of the address, each with its words.
fn named(refused: &Reply, path: &str) -> BTreeSet<String> {
    assert_eq!(refused.status, 422, "{path}: {}", refused.text());
    let errors = refused.json()["errors"].as_array().cloned().expect("a list");
    assert!(
        errors.iter().all(|error| {
            let text = error["text"].as_str().or(error["displayMessage"].as_str());
            text.is_some_and(|text| !text.is_empty())
        }),
        "{path}: {errors:?}"
    );
    errors.iter().filter_map(|error| Some(error["pointer"].as_str()?.trim_start_matches('/').to_owned())).collect()
}

fn words(list: &Value) -> BTreeSet<String> {
    list.as_array().into_iter().flatten().filter_map(|word| word.as_str().map(str::to_owned)).collect()
}

/// R7.3-34: whatever call of the definitions needs something says what is missing, each by its name, before it asks who
/// calls; so does the first form of every flow.
#[tokio::test(flavor = "multi_thread")]
async fn every_call_names_what_is_missing() {
    let files = all_definitions();
    let server = TestServer::start_with(files, |settings| settings.limits.write_rate_per_s = 0).await;
    let (visitor, catalog) = (server.visitor(), server.product.runtime.catalog());
    let described = visitor.get("/openapi.json").await.json();
    let mut calls = 0;
    for endpoint in catalog.endpoints() {
        let template = endpoint.address.template();
        let call = &described["paths"][&template][endpoint.method.to_lowercase()];
        // Parts that a caller fills in are of any word that they take.
        let open = endpoint.address.open();
        let path = open.fold(template.clone(), |path, (name, words)| {
            path.replace(&format!("{{{name}}}"), words.first().map_or("any", String::as_str))
        });
        let path = &path;
        let in_address = call["parameters"].as_array().into_iter().flatten();
        let in_address = in_address.filter(|one| one["required"] == true && one["in"] == "query");
        let in_address: BTreeSet<String> =
            in_address.filter_map(|one| Some(one["name"].as_str()?.to_owned())).collect();
        let in_body = words(&call["requestBody"]["content"]["application/json"]["schema"]["required"]);
        let missing = if in_address.is_empty() { in_body } else { in_address };
        if missing.is_empty() {
            continue;
        }
        let body = (endpoint.method != "GET").then(|| "{}".to_owned());
        let refused = visitor.send(endpoint.method, path, &[("x-api-key", "journey-web")], body).await;
        // An object that is missing has its fields named, where any must be there.
        let schema = &call["requestBody"]["content"]["application/json"]["schema"]["properties"];
        let named: BTreeSet<String> =
            named(&refused, path).iter().filter_map(|name| name.split('/').next().map(str::to_owned)).collect();
        let is_object = |name: &&String| schema[name.as_str()]["type"] == "object";
        let plain: BTreeSet<String> = missing.iter().filter(|name| !is_object(name)).cloned().collect();
        assert!(named.is_superset(&plain) && named.is_subset(&missing), "{path}: {named:?} {missing:?}");
        calls += 1;
    }
    assert!(calls > 12, "{calls}");
    for flow in catalog.workflows() {
        let first = visitor.get(&format!("/api/v1/workflows/{}/start", flow.id)).await.ok(200);
        let asked = &first["step"]["form"]["schema"];
        if !words(&asked["required"]).is_empty() {
            let missing = named(&visitor.start(&flow.id, json!({})).await, &flow.id);
            let is_asked = |name: &String| !asked["properties"][name].is_null();
            assert!(!missing.is_empty() && missing.iter().all(is_asked), "{}: {missing:?}", flow.id);
        }
    }
    server.stop().await;
}

/// A partner is asked while the caller waits; that it fails is an answer with the same keys.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_asks_a_partner_and_says_when_that_fails() {
    let server = TestServer::start(all_definitions()).await;
    let visitor = server.visitor();
    let get = async |query: &str| visitor.get(&format!("/api/v1/common/pincode?{query}")).await.ok(200);
    let found = get("pincode=560001&insurer=digit").await;
    let said = |reply: &Value| [reply["error"].clone(), reply["message"].clone(), reply["status"].clone()];
    assert_eq!(said(&found), [json!(false), json!(""), json!(200)]);
    assert_eq!((&found["response"]["city"], &found["response"]["status"]), (&json!("Bengaluru"), &json!("servicable")));
    // What is typed in another way is read as on a page, and held against the same rules.
    for typed in ["560%20001", "5-6-0-0-0-1", "%E0%A5%AB%E0%A5%AC%E0%A5%A6%E0%A5%A6%E0%A5%A6%E0%A5%A7"] {
        assert_eq!(get(&format!("pincode={typed}")).await["response"]["pincode"], "560001", "{typed}");
    }
    let wrong = visitor.get("/api/v1/common/pincode?pincode=56001").await;
    assert_eq!((wrong.status, &wrong.json()["errors"][0]["pointer"]), (422, &json!("/pincode")));
    for typed in ["sbin0000691", "SBIN%200000691", "SBIN0000691%E2%80%8B"] {
        let bank = visitor.get(&format!("/api/v1/common/bank?ifsc={typed}")).await.ok(200);
        assert_eq!(bank["error"], json!(false), "{typed}");
    }
    for typed in ["SBIN000691", "SBIN00000691"] {
        assert_eq!(visitor.get(&format!("/api/v1/common/bank?ifsc={typed}")).await.status, 422, "{typed}");
    }
    // R7-02
    let unknown = get("pincode=123123").await;
    assert_eq!(said(&unknown), [json!(true), json!("We do not know this pincode"), json!(422)]);
    assert!(unknown.as_object().expect("an object").contains_key("response") && unknown["response"].is_null());
    let missing = visitor.get("/api/v1/common/pincode").await;
    assert_eq!((missing.status, missing.code().as_str()), (422, "invalid"));
    server.stop().await;
}

fn with(endpoint: &str) -> Files {
    let mut files = fixture("parcel");
    files.insert("workflows/endpoints/send.yaml", endpoint.as_bytes().to_vec());
    files
}

const SEND: &str = "title: Send a parcel
method: POST
path: /api/v1/parcels
who: anyone
body: parcel/cover/parcel
start: {workflow: parcel/cover, data: body}
reply: {statusCode: 200, data: {leadId: journey.id, next: journey.url, kind: body.kind}}
";

#[tokio::test(flavor = "multi_thread")]
async fn a_call_begins_a_journey_of_its_caller() {
    let server = TestServer::start(with(SEND)).await;
    let visitor = server.visitor();
    let post = async |headers: &[(&str, &str)], body: Value| {
        visitor.send("POST", "/api/v1/parcels", headers, Some(body.to_string())).await
    };
    let reply = post(&[("idempotency-key", "a")], json!({"weight": 2, "kind": "gift"})).await.ok(200);
    assert_eq!((&reply["statusCode"], &reply["data"]["kind"]), (&json!(200), &json!("gift")));
    let journey = reply["data"]["leadId"].as_str().expect("an id");
    assert_eq!(visitor.view(journey).await["step"]["path"], "sender");
    assert_eq!(server.visitor().get(&format!("/api/v1/journeys/{journey}")).await.status, 404, "it is its caller's");
    let again = post(&[("idempotency-key", "a")], json!({"weight": 2, "kind": "gift"})).await.ok(200);
    assert_eq!(again["data"]["leadId"], reply["data"]["leadId"]);

    let refused = post(&[], json!({})).await;
    let errors = refused.json()["errors"].clone();
    let named: Vec<&Value> = errors.as_array().expect("errors").iter().map(|error| &error["pointer"]).collect();
    assert_eq!((refused.status, named), (422, vec![&json!("/weight"), &json!("/kind")]), "R7.3-34");
    assert_eq!(post(&[("content-type", "text/plain")], json!({})).await.status, 415);
    assert_eq!(post(&[("origin", "https://evil.example")], json!({})).await.status, 403);
    assert_eq!(visitor.get("/api/v1/parcels").await.status, 405);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn some_calls_need_a_session() {
    let files = with("title: Mine\nmethod: GET\npath: /api/v1/mine\nwho: session\nreply: {ok: true}\n");
    let server = TestServer::start(files).await;
    let visitor = server.visitor();
    assert_eq!(visitor.get("/api/v1/mine").await.status, 404);
    visitor.start("parcel/cover", json!({"weight": 2, "kind": "gift"})).await.ok(201);
    assert_eq!(visitor.get("/api/v1/mine").await.ok(200), json!({"ok": true}));
    server.stop().await;
}

#[test]
fn an_endpoint_that_cannot_answer_is_found_before_it_is_published() {
    let errors = |text: &str| -> Vec<String> {
        let loaded = load(&with(text));
        loaded.problems.iter().filter(|p| p.is_error()).map(|p| format!("{} {}", p.span.line, p.code)).collect()
    };
    let get = "title: A\nmethod: GET\npath: /api/v1/a\n";
    assert_eq!(errors(&format!("{get}reply: {{a: qery.x}}\n")), ["4 unknown-name"]);
    assert_eq!(errors(&format!("{get}reply: {{a: site.menus.none}}\n")), ["4 evaluation"]);
    assert_eq!(errors(&format!("{get}list: {{of: none}}\nreply: {{a: list}}\n")), ["1 unknown-name"]);
    assert_eq!(
        errors(&format!("{get}who: anyone\ncall: {{src: none/asks, input: {{}}}}\nreply: {{a: call}}\n")),
        ["1 unknown-name"]
    );
    assert_eq!(
        errors(&format!("{get}who: anyone\nstart: {{workflow: parcel/cover, data: query}}\nreply: {{}}\n")),
        ["1 value"]
    );
    assert_eq!(errors("title: A\nmethod: GET\npath: /a\nreply: {}\n"), ["1 value"]);
    assert_eq!(errors(&SEND.replace("parcel/cover,", "parcel/none,")), ["1 unknown-name"]);
    assert_eq!(errors(&SEND.replace("cover/parcel", "cover/none")), ["1 unknown-name"]);
}
