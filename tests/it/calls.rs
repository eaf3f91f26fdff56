//! A line of business is asked by calls that are data: a request, its answers, its offers, the choice.

use engine_definitions::{Files, load};
use journey_tests::server::{Reply, TestServer, Visitor, fixture};
use serde_json::{Value, json};

/// The parcel line with a form beside its offers, and calls for all of it.
fn called() -> Files {
    let mut files = fixture("parcel");
    let flow = "workflows/parcel/cover/flow.yaml";
    let text = String::from_utf8(files.get(flow).expect("the flow").to_vec()).expect("text");
    let text = text
        .replace("chosen: '', label", "chosen: '', speed: {}, label")
        .replace("      view: offers\n", "      form: speed\n      into: speed\n      view: offers\n")
        .replace(
            "    on:\n      select:\n",
            "    on:\n      submit: {target: '#offers', reenter: true}\n      select:\n",
        );
    files.insert(flow, text.into_bytes());
    let values = "workflows/parcel/cover/values.yaml";
    let mut text = files.get(values).expect("values").to_vec();
    text.extend_from_slice(
        b"prices: \"keys(context.offers).map(k, {'id': k, 'state': context.offers[k].state, 'name': context.sender.?name.orValue('')})\"\n\
        answered: \"keys(context.offers).size() > 0 && keys(context.offers).all(k, context.offers[k].state != 'asked')\"\n\
        how_fast: context.speed.?speed.orValue('')\n",
    );
    files.insert(values, text);
    let mut add = |path: &str, text: &str| files.insert(path, text.as_bytes().to_vec());
    add(
        "forms/parcel/cover/speed.json",
        r#"{"title": "How fast?", "required": ["speed"], "properties": {"speed": {"title": "Speed", "type": "string",
            "default": "normal", "oneOf": [{"const": "normal", "title": "Normal"}, {"const": "express", "title": "Express"}]}}}"#,
    );
    for (name, text) in CALLS {
        add(&format!("workflows/endpoints/{name}.yaml"), text);
    }
    files
}

const CALLS: [(&str, &str); 6] = [
    (
        "lead",
        "title: Adds a parcel
method: POST
path: /api/parcels/leads
who: anyone
envelope: data
body: {steps: true}
start: {workflow: parcel/cover}
refuses: [{unless: body.?weight.orValue(0) * 2 < 1000, code: weight.lorry, field: weight, or: That is for a lorry}]
send: [{step: parcel}, {step: sender}]
values: [how_fast]
status: 201
reply: {lead_id: journey.id, state: journey.state, speed: journey.values.how_fast}
",
    ),
    (
        "update",
        "title: Changes a parcel
method: POST
path: /api/parcels/leads/{lead_id}
who: session
envelope: status
body: {steps: true}
journey: {id: path.lead_id, workflow: parcel/cover}
send: [{step: parcel, change: true}, {step: sender, change: true}]
reply: {state: journey.state}
",
    ),
    (
        "offers",
        "title: Offers for a parcel
method: GET
path: /api/parcels/{kind:all|some}/offers
who: session
envelope: data
query: {lead_id: string, speed: {type: [string, 'null'], default: null}}
journey: {id: query.lead_id, workflow: {of: path.kind, all: parcel/cover}}
refuses: [{unless: journey.state != 'sender', status: 409, code: sender.needed, or: Please say who sends it first}]
send: [{step: offers, data: {speed: query.speed}}]
waits: {at_most: 5s, until: journey.values.answered}
values: [answered, prices, how_fast]
status: \"journey.values.answered ? 200 : 202\"
retry_after: \"journey.values.answered ? null : 2\"
reply: {status: \"journey.values.answered ? 'done' : 'running'\", speed: journey.values.how_fast, offers: journey.values.prices}
",
    ),
    (
        "choose",
        "title: Chooses a carrier
method: POST
path: /api/parcels/choose
who: session
envelope: meta
body: parcel/calls/choose
journey: {id: body.lead_id, workflow: parcel/cover}
send: [{step: offers, event: select, data: {carrier: body.offer}}]
fails: [{unless: journey.state != 'offers', status: 409, code: offer.gone, field: offer, or: This offer is gone}]
reply: {state: journey.state}
",
    ),
    (
        "plain",
        "title: What a parcel is
method: GET
path: /api/parcels/one/{lead_id}
who: session
journey: {id: path.lead_id, workflow: parcel/cover}
reply: {kind: journey.answers.?kind.orValue(''), url: journey.url}
",
    ),
    (
        "named",
        "title: Adds a parcel by other names
method: POST
path: /api/parcels/named
who: anyone
envelope: data
body: parcel/calls/named
start: {workflow: parcel/cover}
send:
  - {step: parcel, data: {weight: body.what.?kilos, kind: body.what.kind}}
  - {step: sender, data: {name: body.?who.orValue(null)}}
reply: {lead_id: journey.id}
",
    ),
];

const FORMS: [(&str, &str); 2] = [
    (
        "choose",
        r#"{"title": "Which?", "required": ["lead_id", "offer"], "properties": {
            "lead_id": {"title": "Request", "type": "string", "maxLength": 40}, "offer": {"title": "Offer", "type": "string", "maxLength": 40}}}"#,
    ),
    (
        "named",
        r#"{"title": "Parcel", "required": ["what"], "properties": {"who": {"title": "Sender", "type": "string", "maxLength": 60},
            "what": {"title": "Parcel", "type": "object", "required": ["kind"], "properties": {
                "kilos": {"title": "Weight", "type": "integer"}, "kind": {"title": "Kind", "type": "string", "enum": ["gift", "goods"]}}}}}"#,
    ),
];

fn files() -> Files {
    let mut files = called();
    for (name, text) in FORMS {
        files.insert(format!("forms/parcel/calls/{name}.json"), text.as_bytes().to_vec());
    }
    files
}

async fn post(visitor: &Visitor, path: &str, body: Value) -> Reply {
    visitor.send("POST", path, &[], Some(body.to_string())).await
}

/// What is wrong, by pointer.
fn pointers(reply: &Reply) -> Vec<String> {
    let body = reply.ok(422);
    let errors = body["errors"].as_array().cloned().expect("errors");
    for error in &errors {
        let keys: Vec<&String> = error.as_object().expect("an error").keys().collect();
        assert_eq!(keys, ["code", "displayMessage", "message", "pointer"], "{error}");
        assert!(error["displayMessage"].as_str().is_some_and(|text| !text.is_empty()), "{error}");
    }
    let mut named: Vec<String> =
        errors.iter().map(|error| error["pointer"].as_str().expect("a pointer").to_owned()).collect();
    named.sort();
    named
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_added_asked_and_chosen_over_http() {
    let loaded = load(&files());
    assert!(loaded.catalog.is_some(), "{:?}", loaded.problems);
    let server = TestServer::start(files()).await;
    let visitor = server.visitor();
    // All that is wrong is said at once, of every step that the body is for.
    assert_eq!(pointers(&post(&visitor, "/api/parcels/leads", json!({})).await), ["/kind", "/name", "/weight"]);
    assert_eq!(
        pointers(&post(&visitor, "/api/parcels/leads", json!({"weight": 99, "kind": "gift", "name": "A"})).await),
        ["/name", "/weight"]
    );
    assert_eq!(
        pointers(&post(&visitor, "/api/parcels/leads", json!({"weight": 2, "colour": "red"})).await),
        ["/colour"]
    );

    // What a call works with is of the kind that its step asks for, before the step is there.
    for weight in [json!("many"), json!([2]), json!({}), json!(true)] {
        let mistyped = json!({"weight": weight, "kind": 7, "name": "Asha Rao"});
        assert_eq!(pointers(&post(&visitor, "/api/parcels/leads", mistyped).await), ["/kind", "/weight"], "{weight}");
    }
    let heavy = json!({"weight": "900", "kind": "gift", "name": "Asha Rao"});
    assert_eq!(post(&visitor, "/api/parcels/leads", heavy).await.ok(422)["errors"][0]["code"], "weight.lorry");
    let unsaid = json!({"weight": null, "kind": "gift", "name": "Asha Rao"});
    assert_eq!(pointers(&post(&visitor, "/api/parcels/leads", unsaid).await), ["/weight"]);

    let lead = post(&visitor, "/api/parcels/leads", json!({"weight": 2, "kind": "gift"})).await;
    assert_eq!(pointers(&lead), ["/name"], "begun, and what is missing is said");
    let lead = post(&visitor, "/api/parcels/leads", json!({"weight": 2, "kind": "gift", "name": "Asha Rao"})).await;
    let lead = lead.ok(201)["data"].clone();
    assert_eq!(lead["state"], "offers");
    let id = lead["lead_id"].as_str().expect("an id").to_owned();

    // Nobody else's: as if it were not there.
    let stranger = server.visitor();
    post(&stranger, "/api/parcels/leads", json!({"weight": 2, "kind": "gift", "name": "Om"})).await.ok(201);
    for visitor in [&stranger, &server.visitor()] {
        let refused = visitor.get(&format!("/api/parcels/all/offers?lead_id={id}")).await;
        assert_eq!((refused.status, &refused.json()["errors"][0]["code"]), (404, &json!("not_found")));
        let refused = post(visitor, "/api/parcels/choose", json!({"lead_id": id, "offer": "steady"})).await;
        assert_eq!((refused.status, &refused.json()["data"]["meta"]["statusCode"]), (404, &json!(404)));
    }
    assert_eq!(visitor.get("/api/parcels/all/offers?lead_id=none").await.status, 404);
    assert_eq!(visitor.get(&format!("/api/parcels/some/offers?lead_id={id}")).await.status, 404, "another flow's");
    assert_eq!(visitor.get(&format!("/api/parcels/none/offers?lead_id={id}")).await.status, 404);

    // A fixed part goes before one that is filled in; and the answers are there as the form holds them.
    let offers = visitor.get(&format!("/api/parcels/all/offers?lead_id={id}")).await.ok(200)["data"].clone();
    assert_eq!((&offers["status"], &offers["offers"][0]["name"]), (&json!("done"), &json!("Asha Rao")));
    let plain = visitor.get(&format!("/api/parcels/one/{id}")).await.ok(200);
    assert!(plain["url"].as_str().is_some_and(|url| url.starts_with("/parcel-cover/offers?request=")), "{plain}");

    // Another speed asks anew, the same again asks nothing.
    let seq = async || visitor.view(&id).await["journey"]["seq"].as_i64();
    let express = visitor.get(&format!("/api/parcels/all/offers?lead_id={id}&speed=express")).await.ok(200);
    assert_eq!(express["data"]["speed"], "express");
    let before = seq().await;
    let again = visitor.get(&format!("/api/parcels/all/offers?lead_id={id}&speed=express")).await.ok(200);
    assert_eq!((&again["data"], seq().await), (&express["data"], before));
    let wrong = visitor.get(&format!("/api/parcels/all/offers?lead_id={id}&speed=slow")).await;
    assert_eq!(pointers(&wrong), ["/speed"]);
    let foreign = [("sec-fetch-site", "cross-site")];
    let foreign =
        visitor.send("GET", &format!("/api/parcels/all/offers?lead_id={id}&speed=normal"), &foreign, None).await;
    assert_eq!((foreign.status, seq().await), (403, before), "nobody else's page asks");

    // Going back changes what was said, and comes forward again.
    let updated = post(&visitor, &format!("/api/parcels/leads/{id}"), json!({"name": "Asha R"})).await.ok(200);
    assert_eq!(updated, json!({"statusCode": 200, "status": "T", "data": {"state": "offers"}}));
    let offers = visitor.get(&format!("/api/parcels/all/offers?lead_id={id}")).await.ok(200);
    assert_eq!(offers["data"]["offers"][0]["name"], "Asha R");
    let refused = post(&visitor, &format!("/api/parcels/leads/{id}"), json!({"weight": 0})).await;
    assert_eq!((&refused.json()["statusCode"], &refused.json()["status"]), (&json!(422), &json!("F")));
    assert_eq!(pointers(&refused), ["/weight"]);
    post(&visitor, &format!("/api/parcels/leads/{id}"), json!({"weight": 3})).await.ok(200);

    let gone = post(&visitor, "/api/parcels/choose", json!({"lead_id": id, "offer": "nobody"})).await;
    let error = gone.ok(409)["errors"][0].clone();
    assert_eq!((&error["code"], &error["pointer"]), (&json!("offer.gone"), &json!("/offer")));
    visitor.get(&format!("/api/parcels/all/offers?lead_id={id}")).await.ok(200);
    let chosen = post(&visitor, "/api/parcels/choose", json!({"lead_id": id, "offer": "steady"})).await.ok(200);
    assert_eq!(chosen["data"]["data"]["state"], "done");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_said_where_the_call_has_it() {
    let server = TestServer::start(files()).await;
    let visitor = server.visitor();
    let wrong = post(&visitor, "/api/parcels/named", json!({"what": {"kind": "gift", "kilos": 40}, "who": "A"})).await;
    assert_eq!(pointers(&wrong), ["/what/kilos", "/who"]);
    let missing = post(&visitor, "/api/parcels/named", json!({"what": {"kind": "gift"}})).await;
    assert_eq!(pointers(&missing), ["/what/kilos"]);
    // Without the sender nothing is said there; and prices are for who has said it.
    let lead = post(&visitor, "/api/parcels/named", json!({"what": {"kind": "gift", "kilos": 4}})).await.ok(200);
    let id = lead["data"]["lead_id"].as_str().expect("an id");
    let early = visitor.get(&format!("/api/parcels/all/offers?lead_id={id}")).await.ok(409);
    assert_eq!(early["errors"][0]["code"], "sender.needed");
    server.stop().await;
}

/// What a file may not say.
#[test]
fn a_call_that_cannot_be_is_refused_at_its_place() {
    let with = |name: &str, from: &str, to: &str| {
        let mut files = files();
        let path = format!("workflows/endpoints/{name}.yaml");
        let text = String::from_utf8(files.get(&path).expect("a call").to_vec()).expect("text");
        assert!(text.contains(from), "{name}: {from}");
        files.insert(path, text.replacen(from, to, 1).into_bytes());
        load(&files).problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>()
    };
    for (name, from, to, says) in [
        ("lead", "{step: sender}", "{step: sendr}", "unknown step `sendr`"),
        ("lead", "[how_fast]", "[how_slow]", "unknown value `how_slow`"),
        ("named", "kind: body", "sort: body", "unknown field `sort`"),
        ("choose", "event: select", "event: choose", "unknown event `choose`"),
        (
            "offers",
            "[{step: offers, data: {speed: query.speed}}]",
            "[{step: sender, data: {}}]",
            "GET sends nothing but",
        ),
        ("offers", "workflow: {of: path.kind, all: parcel/cover}", "workflow: parcel/none", "unknown workflow"),
        ("choose", "status: 409", "status: 500", "`status` of a refusal is one of"),
        ("plain", "/one/{lead_id}", "/{kind:all}/offers", "an address fits both"),
    ] {
        let problems = with(name, from, to);
        assert!(problems.iter().any(|problem| problem.contains(says)), "{name} {to}: {problems:?}");
    }
}
