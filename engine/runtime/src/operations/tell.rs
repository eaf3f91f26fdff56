//! What a partner would tell, told by an operator in its place.

use super::{Operations, not_possible};
use crate::actor::{Action, Actor, Resource};
use crate::core::Deed;
use crate::refusal::Refusal;
use crate::work::Hook;
use engine_definitions::Now;
use serde_json::{Map, Value};

impl Operations {
    /// Takes what a partner would send to its webhook from an operator; only what the webhook opens to operators
    /// (`by_hand`).
    pub async fn tell(&self, actor: &Actor, partner: &str, webhook: &str, body: &Value) -> Result<(), Refusal> {
        self.core.permit(actor, Action::Operate, Resource::All)?;
        let hook = self.resolve_webhook(partner, webhook, body)?;
        if self.core.store().correlation(partner, &hook.reference).await?.is_none() {
            return Err(not_possible(format!("nobody here knows the reference `{}`", hook.reference)));
        }
        let about = format!("{partner}/{webhook} {}", hook.reference);
        self.core.operate(actor, Deed::EventTold, &about).await?;
        self.work.deliver(&hook).await?;
        tracing::info!(operator = actor.id, partner, webhook, "told in the partner's place");
        Ok(())
    }

    fn resolve_webhook(&self, partner: &str, name: &str, body: &Value) -> Result<Hook, Refusal> {
        let catalog = self.core.catalog();
        let Some(webhook) = catalog.webhook(partner, name) else {
            return Err(not_possible(format!("there is no webhook `{name}` of `{partner}`")));
        };
        let now = Now::utc(self.core.now_ms());
        let host = catalog.host(&now, None);
        let read = webhook.read(&Map::new(), body, &host);
        let event = read.map_err(|error| not_possible(format!("the body is not understood: {error}")))?;
        let Some(event) = event.filter(|event| event.by_hand) else {
            return Err(not_possible("this is for the partner alone to tell".into()));
        };
        Ok(Hook { partner: partner.to_owned(), once: event.once, reference: event.reference, tells: event.tells })
    }
}
