//! Every fake partner of the product answers the examples of its own operations: no script fails on what its
//! partner's documentation shows.

use super::world::{Shop, told};
use axum::Router;
use engine_definitions::{Files, load};
use engine_settings::Settings;
use std::path::Path;

#[tokio::test]
async fn scripts_answer_their_examples() {
    let loaded = load(&Files::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap());
    let catalog = loaded
        .catalog
        .unwrap_or_else(|| panic!("{:#?}", loaded.problems.iter().map(ToString::to_string).collect::<Vec<_>>()));
    let mut settings = Settings::default();
    settings.sandbox.delay_percent = 0;
    let shop = Shop::open_with(catalog.clone(), Router::new(), settings).await;
    let (mut played, mut wrong) = (0, Vec::new());
    for partner in catalog.partners() {
        for operation in partner.operations.values().filter(|operation| operation.sandbox.is_some()) {
            for example in &operation.examples {
                played += 1;
                let outcome = shop
                    .world
                    .call(&format!("{}/{}", partner.id, operation.id), example.input.clone(), &played.to_string())
                    .await;
                let calls = shop
                    .json(&format!(
                        "/sandbox/calls.json?partner={}&operation={}&key={played}",
                        partner.id, operation.id
                    ))
                    .await;
                let latest = &calls["recent"][0];
                // A script that fails is noted with its reason and counted as no reply; what it gives goes through
                // the mapping and must fit the contract.
                let is_reply = latest["result"].as_str().is_some_and(|result| result.parse::<u16>().is_ok());
                let told = told(&outcome);
                let fits =
                    !["contract.", "partner.unreadable", "partner.garbage"].iter().any(|code| told.contains(code));
                if latest["count"] == 0 || !is_reply || !fits {
                    wrong.push(format!(
                        "{}/{} {}: {} ({})",
                        partner.id, operation.id, example.name, latest["result"], told
                    ));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(played > 50, "{played}");
}
