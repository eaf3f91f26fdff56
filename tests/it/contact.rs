//! Reaching people: messages in their hours and languages, tracked steps in order, who is there, errors of browsers.

use engine_runtime::Clock;
use engine_settings::Settings;
use engine_store::{
    ClaimRequest, EffectEnd, EffectFilter, EffectRecord, EffectState, MessageFilter, MessageState, SentMessage,
};
use journey_tests::server::{TestServer, Visitor, fixture};
use serde_json::{Value, json};
use std::collections::BTreeMap;

mod errors;
mod messages;
mod presence;
mod tracking;

const HOUR_MS: i64 = 3_600_000;

async fn club(change: impl FnOnce(&mut Settings)) -> TestServer {
    TestServer::start_with(fixture("club"), change).await
}

/// A member who has just joined; `more` answers beside the name and the number.
async fn member(visitor: &Visitor, name: &str, more: Value) -> Value {
    let mut data = json!({"name": name, "mobile": "9876543210", "email": "asha@example.com"});
    for (key, value) in more.as_object().expect("a map") {
        data[key] = value.clone();
    }
    visitor.start("club/join", data).await.ok(201)
}

fn now(server: &TestServer) -> i64 {
    server.clock.now_ms()
}

fn id(view: &Value) -> &str {
    view["journey"]["id"].as_str().expect("a journey")
}

/// Answers every step that is left.
async fn to_the_end(visitor: &Visitor, mut view: Value) -> Value {
    while view["step"]["form"].is_object() {
        view = visitor.event(&view, "submit", json!({"word": "x"})).await.ok(200);
    }
    view
}

/// Effects of a journey by what they are: a message's id, a tracked step.
async fn effects(server: &TestServer, journey: &str) -> BTreeMap<String, EffectRecord> {
    let filter = EffectFilter { journey: Some(journey.into()), ..EffectFilter::default() };
    let found = server.product.runtime.store().effects(filter).await.expect("effects");
    let named = |e: &EffectRecord| {
        e.payload.get("message").or(e.payload.get("step")).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    found.into_iter().map(|e| (named(&e), e)).collect()
}

/// Waits until an effect is in this state.
async fn ended(server: &TestServer, journey: &str, name: &str, state: EffectState) -> EffectRecord {
    server.until(name, async || effects(server, journey).await.remove(name).filter(|e| e.state == state)).await
}

async fn sent(server: &TestServer, journey: &str) -> BTreeMap<String, SentMessage> {
    let filter = MessageFilter { journey: Some(journey.into()), ..MessageFilter::default() };
    let found = server.product.runtime.store().messages(filter).await.expect("messages");
    found.into_iter().map(|m| (m.message.clone(), m)).collect()
}

async fn texts(visitor: &Visitor) -> Vec<String> {
    let inbox = visitor.get("/sandbox/inbox.json").await.ok(200);
    inbox["messages"]
        .as_array()
        .expect("messages")
        .iter()
        .map(|m| m["text"].as_str().unwrap_or_default().to_owned())
        .collect()
}

/// Requests that reached an operation of a fake partner, oldest first: (key, how often it came).
async fn calls(visitor: &Visitor, partner: &str, operation: &str) -> Vec<(String, u64)> {
    let found = visitor.get(&format!("/sandbox/calls.json?partner={partner}&operation={operation}")).await.ok(200);
    let mut all: Vec<(String, u64)> = found["recent"]
        .as_array()
        .expect("calls")
        .iter()
        .map(|call| (call["key"].as_str().unwrap_or_default().to_owned(), call["count"].as_u64().unwrap_or_default()))
        .collect();
    all.reverse();
    all
}

async fn switch(visitor: &Visitor, partner: &str, mode: &str) {
    let reply = visitor
        .send("POST", "/sandbox/switches", &[], Some(json!({"partner": partner, "mode": mode}).to_string()))
        .await;
    assert!(reply.status < 400, "{}", reply.text());
}
