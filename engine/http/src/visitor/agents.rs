//! Agents: whoever knows them is asked, once in a visit for each product's check (R4-08 to R4-11). A page never asks by
//! being opened: its script does, or the first write. What cannot be asked counts as no agent (R8-09).

use crate::app::App;
use engine_definitions::{AgentChecks, Attribution, Brought, Catalog};
use engine_partners::CallOutcome;
use serde_json::json;

/// Whether somebody is to be asked about the ids that a visitor came with, for pages of this address.
pub fn is_due(catalog: &Catalog, came: &Attribution, known: &AgentChecks, path: &str) -> bool {
    let site = catalog.site("");
    let (agents, product) = (&site.channels.agents, site.product(path).map(|product| product.id.as_str()));
    agents.due(&agents.ids_of(&came.said), product, known).is_some()
}

/// What is known of the ids that a visitor came with, after the check that pages of this address need; `None`: nothing
/// is to be asked.
pub async fn check(
    app: &App,
    catalog: &Catalog,
    came: &Attribution,
    known: &AgentChecks,
    (path, visit): (&str, &str),
) -> Option<AgentChecks> {
    let site = catalog.site("");
    let product = site.product(path).map(|product| product.id.as_str());
    let ids = site.channels.agents.ids_of(&came.said);
    let check = site.channels.agents.due(&ids, product, known)?;
    let asked = catalog.operation_named(&check.call)?;
    let told = site.channels.attribution(&Brought { came, agent: known, seller: None }, product, "");
    let of = |name: &str| told.get(name).cloned().unwrap_or_else(|| json!(""));
    let input = json!({
        "product": product.unwrap_or_default(), "business": product.unwrap_or_default(), "visit_id": visit,
        "source": of("source"), "sub_source": of("sub_source"), "medium": of("medium"), "said": came.said,
    });
    let is_confirmed = match app.ask(catalog, asked, &input).await {
        CallOutcome::Done { output, .. } => output["ok"] == true,
        CallOutcome::Failed(_) | CallOutcome::NotBegun => false,
    };
    Some(known.with(ids, check, is_confirmed))
}
