//! Fake partners, played by scripts and called by the real client.

use super::pdf::text_of;
use super::world::{Shop, router, told, until};
use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use engine_partners::CallOutcome;
use engine_settings::Settings;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

const FILES: [(&str, &str); 12] = [
    (
        "workflows/partners/carriers/depot/partner.yaml",
        "{name: Depot, host: depot, base_path: /api, data: {greeting: Hello}, auth: {kind: header, name: X-Key, value: 'secret://depot_key'}}",
    ),
    (
        "workflows/partners/carriers/depot/send.yaml",
        r#"
method: POST
path: ["v1", "parcels"]
body: {to: input.to, kilos: input.kilos}
idempotent: true
timeout: 1s
reply: {output: body}
errors: [{when: status == 422, kind: declined, code: depot.too_heavy}]
"#,
    ),
    (
        "workflows/partners/carriers/depot/send.sandbox.yaml",
        r#"
let:
  - id: "new_id('parcel_')"
  - place: "recall('count', request.body.to)"
  - number: "place == null ? 1 : place.number + 1"
cases:
  - when: request.body.kilos > 30
    status: 422
    body: {error: "'too heavy'"}
  - when: "request.headers['x-key'] != 'sandbox-depot_key'"
    status: 401
  - status: 201
    headers: {X-Parcel: id}
    body: {id: id, number: number, greeting: partner.data.greeting, page: "partner.data.url + '/track/' + id"}
    remember:
      - {bucket: "'parcels'", key: id, value: {id: id, to: request.body.to, state: "'sent'"}}
      - {bucket: "'count'", key: request.body.to, value: {number: number}}
      - {bucket: "'inbox'", key: id, value: {channel: "'sms'", to: "'+91' + request.body.to", text: "'Your parcel <' + id + '> is on its way'"}}
    webhook: {after: 1ms, name: moved, headers: {X-Event: "id + '-sent'"}, body: {id: id, at: now}}
"#,
    ),
    (
        "workflows/partners/carriers/depot/list.yaml",
        r#"
method: GET
path: ["v1", "parcels", "=input.id"]
reply: {output: body}
"#,
    ),
    (
        "workflows/partners/carriers/depot/list.sandbox.yaml",
        r#"
cases:
  - when: request.path[2] == 'all'
    body: "{'ids': recall_all('parcels').map(p, p.id)}"
  - body: "recall('parcels', request.path[2])"
"#,
    ),
    (
        "workflows/partners/carriers/depot/weigh.yaml",
        r#"
method: POST
path: ["v1", "scales"]
idempotent: true
reply: {output: body}
"#,
    ),
    (
        "workflows/partners/carriers/depot/weigh.sandbox.yaml",
        r#"
let:
  - tries: "recall('tries', key)"
  - unused: tries.nothing
  - number: "tries == null ? 1 : tries + 1"
cases:
  - {when: number < 3, status: 503, remember: {bucket: "'tries'", key: key, value: number}}
  - {body: {try: number}, remember: {bucket: "'tries'", key: key, value: number}}
"#,
    ),
    (
        "workflows/partners/carriers/depot/note.yaml",
        r#"
method: GET
path: ["v1", "notes", "=input.id"]
timeout: 2s
reply: {output: {id: input.id}, document: {name: "'note-' + input.id + '.pdf'"}}
"#,
    ),
    (
        "workflows/partners/carriers/depot/note.sandbox.yaml",
        r#"
cases:
  - pdf: {title: "'Note ' + request.path[2]", file: "'note.pdf'", sections: "[{'heading': 'Sums', 'rows': [['Carriage', money(123450)]], 'lines': []}]"}
"#,
    ),
    (
        "workflows/partners/carriers/depot/track.yaml",
        r#"
method: GET
path: ["track", "=input.id"]
reply: {output: body}
"#,
    ),
    (
        "workflows/partners/carriers/depot/track.sandbox.yaml",
        r#"
let: [{parcel: "recall('parcels', request.path[1])"}]
cases:
  - page:
      title: "'Parcel of ' + parcel.to"
      facts: "[{'label': 'State', 'value': parcel.state}]"
      fields: [{name: remark, label: Remark, value: "'none'"}]
      buttons:
        - id: arrived
          label: "'It came'"
          style: primary
          let: [{next: "merge(parcel, {'state': 'arrived', 'remark': answers.remark})"}]
          remember: {bucket: "'parcels'", key: parcel.id, value: next}
          webhook: {name: moved, headers: {X-Event: "parcel.id + '-arrived'"}, body: {id: parcel.id, remark: answers.remark}}
          later: [{after: 1ms, remember: {bucket: "'parcels'", key: "parcel.id + '-copy'", value: next}}]
          go: {method: POST, url: "'/back?of=' + parcel.id", fields: {state: "'arrived'", signature: "hmac_sha256_hex('depot_key', parcel.id)"}}
        - id: hidden
          when: parcel.state == 'lost'
          label: "'Never shown'"
        - {id: lost, label: "'It is lost'", style: danger, note: "'Nobody is told'", done: "'We are sorry'"}
"#,
    ),
    (
        "workflows/partners/carriers/depot/moved.webhook.yaml",
        r#"
verify: {kind: hmac_sha256_hex, header: X-Depot-Signature, secret: "secret://depot_key"}
once: headers['x-event']
correlate: body.id
events: [{event: parcel.moved, data: {id: body.id}}]
"#,
    ),
];

/// Webhooks as they came in; refused while `open` is false.
#[derive(Clone, Default)]
struct Door(Arc<Mutex<Seen>>);
/// Is it open, what came, how often it was knocked.
type Seen = (bool, Vec<(HeaderMap, Bytes)>, u32);

impl Door {
    fn app(&self) -> Router {
        let door = self.clone();
        let take = move |headers: HeaderMap, body: Bytes| async move {
            let mut inner = door.0.lock().unwrap();
            inner.2 += 1;
            if inner.0 {
                inner.1.push((headers, body));
                StatusCode::NO_CONTENT
            } else {
                StatusCode::SERVICE_UNAVAILABLE
            }
        };
        Router::new().route("/api/v1/webhooks/depot/moved", post(take))
    }

    fn opened() -> Door {
        let door = Door::default();
        door.0.lock().unwrap().0 = true;
        door
    }

    fn knocks(&self) -> u32 {
        self.0.lock().unwrap().2
    }

    async fn taken(&self, count: usize) -> Vec<(HeaderMap, Bytes)> {
        until("a webhook", || async { Some(self.0.lock().unwrap().1.clone()).filter(|taken| taken.len() >= count) })
            .await
    }
}

fn output(outcome: CallOutcome) -> Value {
    match outcome {
        CallOutcome::Done { output, .. } => output,
        CallOutcome::Failed(_) | CallOutcome::NotBegun => panic!("{outcome:?}"),
    }
}

#[tokio::test]
async fn a_key_does_its_work_once_and_is_counted() {
    let door = Door::opened();
    let shop = Shop::open(&FILES, door.app()).await;
    let send =
        async |key: &str| output(shop.world.call("depot/send", json!({"to": "9000000001", "kilos": 2}), key).await);
    let first = send("k1").await;
    assert_eq!((&first["number"], &first["greeting"]), (&json!(1), &json!("Hello")));
    let (again, together) = futures::future::join(send("k1"), send("k1")).await;
    assert_eq!((&again, &together), (&first, &first));
    assert_eq!(send("k2").await["number"], 2);
    let calls = shop.json("/sandbox/calls.json?partner=depot&operation=send").await;
    let counts: Vec<_> = calls["keys"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| (c["key"].as_str().unwrap(), c["count"].as_u64().unwrap()))
        .collect();
    assert_eq!(counts, [("k1", 3), ("k2", 1)]);
    assert_eq!(
        output(shop.world.call("depot/list", json!({"id": "all"}), "l").await)["ids"].as_array().unwrap().len(),
        2
    );
    assert_eq!(door.taken(2).await.len(), 2);
    assert_eq!(
        told(&shop.world.call("depot/send", json!({"to": "1", "kilos": 31}), "k3").await),
        "declined depot.too_heavy never"
    );
}

#[tokio::test]
async fn trouble_is_not_kept_as_a_reply() {
    let shop = Shop::open(&FILES, Router::new()).await;
    for expected in
        ["failed partner.failed later", "failed partner.failed later", r#"done {"try":3}"#, r#"done {"try":3}"#]
    {
        assert_eq!(told(&shop.world.call("depot/weigh", json!({}), "k").await), expected);
    }
}

#[tokio::test]
async fn webhooks_are_signed_and_survive_a_restart() {
    // A process of its own, as far as tasks go.
    let process = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let closed = Door::default();
    let shop = process.spawn(Shop::open(&FILES, closed.app())).await.unwrap();
    let id = output(shop.world.call("depot/send", json!({"to": "9000000001", "kilos": 2}), "k1").await)["id"].clone();
    until("a refused webhook", || async {
        let tasks = shop.memory.list("later", 10).await.unwrap();
        let (_, task) = tasks.first()?;
        (closed.knocks() > 0 && task["attempts"] != 0 && task["leased_ms"] == 0).then_some(())
    })
    .await;
    process.shutdown_background();

    // The next one has the same memory, and a product that listens.
    let door = Door::opened();
    let product = super::world::listen(|_| door.app()).await;
    let mut settings = Settings::default();
    settings.server.address = shop.url.trim_start_matches("http://").into();
    let restarted = router(Arc::clone(&shop.world.catalog), &shop.memory, settings, Some(product));
    let (headers, body) = door.taken(1).await.remove(0);
    drop(restarted);

    let webhook = shop.world.catalog.webhook("depot", "moved").unwrap();
    let check = |raw: &[u8]| shop.world.partners.verify_webhook(webhook, &headers, raw);
    assert_eq!(check(&body), Ok(()));
    assert!(check(&[&body[..], b" "].concat()).is_err());
    assert_eq!(headers["x-event"].to_str().unwrap(), format!("{}-sent", id.as_str().unwrap()));
    assert_eq!(serde_json::from_slice::<Value>(&body).unwrap()["id"], id);
    until("no task left", || async { shop.memory.list("later", 10).await.unwrap().is_empty().then_some(()) }).await;
    assert_eq!(door.taken(1).await.len(), 1);
}

#[tokio::test]
async fn switches_make_trouble_and_unmake_it() {
    let door = Door::opened();
    let shop = Shop::open(&FILES, door.app()).await;
    let mut number = 0;
    let mut check = async |mode: Value, expected: &str| {
        number += 1;
        let mut switch = json!({"partner": "depot", "operation": "list", "times": 1});
        switch.as_object_mut().unwrap().extend(mode.as_object().unwrap().clone());
        shop.switch(switch.clone()).await;
        let call = async || told(&shop.world.call("depot/list", json!({"id": "all"}), &format!("k{number}")).await);
        assert_eq!(call().await, expected, "{switch}");
        assert_eq!(call().await, r#"done {"ids":[]}"#, "after {switch}");
    };
    check(json!({"mode": "fail"}), "failed partner.failed later").await;
    check(json!({"mode": "garbage"}), "failed partner.garbage later").await;
    check(json!({"mode": "reset"}), "failed partner.broken later").await;
    check(json!({"mode": "slow", "delay_ms": 1}), r#"done {"ids":[]}"#).await;
    check(json!({"mode": "fail", "percent": 0}), r#"done {"ids":[]}"#).await;
    let unknown = shop.http.post(format!("{}/sandbox/switches", shop.url));
    let unknown = unknown.json(&json!({"partner": "depot", "mode": "explode"})).send().await.unwrap();
    assert_eq!(unknown.status(), 422);
}

#[tokio::test]
async fn what_hung_was_done() {
    let door = Door::opened();
    let shop = Shop::open(&FILES, door.app()).await;
    let send = async |key: &str| shop.world.call("depot/send", json!({"to": "9000000001", "kilos": 1}), key).await;
    shop.switch(json!({"partner": "depot", "mode": "hang"})).await;
    assert_eq!(told(&send("h").await), "failed partner.timeout later");
    shop.switch(json!({"partner": "depot", "mode": "normal"})).await;
    // A second send with the key gets its answer now.
    assert_eq!(output(send("h").await)["number"], 1);

    shop.switch(json!({"partner": "*", "mode": "twice"})).await;
    output(send("t").await);
    let bodies: Vec<_> = door.taken(3).await.into_iter().map(|(_, body)| body).collect();
    assert_eq!(bodies[1], bodies[2]);
}

#[tokio::test]
async fn the_inbox_shows_messages_newest_first() {
    let shop = Shop::open(&FILES, Door::opened().app()).await;
    for key in ["a", "b"] {
        output(shop.world.call("depot/send", json!({"to": "9000000001", "kilos": 1}), key).await);
        output(shop.world.call("depot/send", json!({"to": "9000000002", "kilos": 1}), &format!("{key}2")).await);
    }
    let all = shop.json("/sandbox/inbox.json").await;
    let times: Vec<i64> = all["messages"].as_array().unwrap().iter().map(|m| m["time_ms"].as_i64().unwrap()).collect();
    assert!(times.len() == 4 && times.is_sorted_by(|a, b| a >= b), "{times:?}");
    for (to, count) in [("9000000001", 2), ("+919000000002", 2), ("%2B919000000002", 2), ("9000000003", 0)] {
        let found = shop.json(&format!("/sandbox/inbox.json?to={to}")).await;
        assert_eq!(found["messages"].as_array().unwrap().len(), count, "{to}");
    }
    let page = shop.http.get(format!("{}/sandbox/inbox", shop.url)).send().await.unwrap();
    assert!(page.headers()["content-security-policy"].to_str().unwrap().contains("script-src 'self'"));
    let html = page.text().await.unwrap();
    assert!(html.contains("Your parcel &lt;parcel_"), "{html}");
    assert!(
        !html.contains("<parcel_") && !html.contains("<style") && !html.contains("style=") && !html.contains("onclick")
    );
}

#[tokio::test]
async fn a_hosted_page_takes_one_press() {
    let door = Door::opened();
    let shop = Shop::open(&FILES, door.app()).await;
    let parcel = output(shop.world.call("depot/send", json!({"to": "9000000001", "kilos": 1}), "k").await);
    let id = parcel["id"].as_str().unwrap();
    let opened = shop.http.get(parcel["page"].as_str().unwrap()).send().await.unwrap();
    assert_eq!(opened.status(), 303);
    let page = format!("{}{}", shop.url, opened.headers()["location"].to_str().unwrap());
    let html = shop.http.get(&page).send().await.unwrap().text().await.unwrap();
    for part in ["Parcel of 9000000001", "It came", "Nobody is told", "value=\"none\""] {
        assert!(html.contains(part), "{part}\n{html}");
    }
    assert!(!html.contains("Never shown"));

    let press = async |button: &str| {
        let answer = shop
            .http
            .post(&page)
            .form(&[("button", button), ("answers.remark", "by the <door>")])
            .send()
            .await
            .unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    assert_eq!(press("hidden").await.0, 422);
    let (first, second) = futures::future::join(press("arrived"), press("arrived")).await;
    assert_eq!(first, second, "a double click");
    assert_eq!(press("lost").await, first, "the first press counts");
    let signature = engine_partners::signature::hmac_sha256_hex(b"sandbox-depot_key", id.as_bytes());
    for part in [&format!("action=\"/back?of={id}\""), "name=\"state\" value=\"arrived\"", &signature] {
        assert!(first.1.contains(part), "{part}\n{}", first.1);
    }
    let taken = door.taken(2).await;
    let arrived = taken.iter().find(|(headers, _)| headers["x-event"].to_str().unwrap().ends_with("-arrived")).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&arrived.1).unwrap(), json!({"id": id, "remark": "by the <door>"}));
    assert_eq!(output(shop.world.call("depot/list", json!({"id": id}), "l").await)["state"], "arrived");
    until("what comes later", || async { shop.memory.get("parcels", &format!("{id}-copy")).await.unwrap() }).await;
    assert_eq!(door.taken(2).await.len(), 2);
}

#[tokio::test]
async fn documents_come_as_files() {
    let shop = Shop::open(&FILES, Router::new()).await;
    let outcome = shop.world.call("depot/note", json!({"id": "7"}), "k").await;
    let CallOutcome::Done { output, document: Some(document), .. } = outcome else { panic!("{outcome:?}") };
    assert_eq!(
        (output, document.name.as_str(), document.media_type.as_str()),
        (json!({"id": "7"}), "note-7.pdf", "application/pdf")
    );
    let text = text_of(&document.bytes);
    assert!(text.contains("Note 7") && text.contains("Rs. 1,234.50"), "{text}");
}

#[tokio::test]
async fn unknown_places_say_so() {
    let shop = Shop::open(&FILES, Router::new()).await;
    for path in ["nobody/v1/parcels", "depot/v1/parcels", "depot/api/v1/other", "depot/api/v1"] {
        let answer = shop.http.get(format!("{}/sandbox/partners/{path}", shop.url)).send().await.unwrap();
        assert_eq!(answer.status(), 404, "{path}");
    }
    let page = shop.http.get(format!("{}/sandbox", shop.url)).send().await.unwrap();
    assert_eq!(page.status(), 200);
    let html = page.text().await.unwrap();
    assert!(html.contains("Depot") && html.contains("for=\"depot-send\""), "{html}");
}
