//! Every fake partner of the product answers the examples of its own operations: no script fails on what its
//! partner's documentation shows.

use super::world::{Shop, told};
use axum::Router;
use engine_settings::Settings;
use serde_json::Value;

/// What is wrong with a script's answer. One that fails is noted with its reason and counted as no reply; what it gives
/// goes through the mapping and must fit the contract.
async fn plays(shop: &Shop, operation: &str, input: Value, number: usize) -> Option<String> {
    let outcome = told(&shop.world.call(operation, input, &number.to_string()).await);
    let (partner, name) = operation.split_once('/').expect("a partner and its operation");
    let calls = shop.json(&format!("/sandbox/calls.json?partner={partner}&operation={name}&key={number}")).await;
    let latest = &calls["recent"][0];
    let is_reply = latest["result"].as_str().is_some_and(|result| result.parse::<u16>().is_ok());
    let fits = !["contract.", "partner.unreadable", "partner.garbage"].iter().any(|code| outcome.contains(code));
    (latest["count"] == 0 || !is_reply || !fits).then(|| format!("{} ({outcome})", latest["result"]))
}

#[tokio::test]
async fn scripts_answer_their_examples() {
    let catalog = journey_tests::server::catalog();
    let mut settings = Settings::default();
    settings.sandbox.delay_percent = 0;
    let shop = Shop::open_with(catalog.clone(), Router::new(), settings).await;
    let (mut played, mut wrong) = (0, Vec::new());
    for partner in catalog.partners() {
        for operation in partner.operations.values().filter(|operation| operation.sandbox.is_some()) {
            // what reads a file needs one that somebody has sent: it/uploads.rs
            for example in operation.examples.iter().filter(|example| example.input.get("file").is_none()) {
                played += 1;
                let name = format!("{}/{}", partner.id, operation.id);
                let said = plays(&shop, &name, example.input.clone(), played).await;
                wrong.extend(said.map(|said| format!("{name} {}: {said}", example.name)));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(played > 50, "{played}");
}
