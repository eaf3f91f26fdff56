//! What has expired is begun again.

use super::{Journeys, Sent, Start};
use crate::actor::{Action, Actor, owns};
use crate::core::read;
use crate::refusal::Refusal;

impl Journeys {
    /// A fresh journey of the flow of one that has expired; what its owner had answered stands in its forms as drafts,
    /// but for what a form asks anew. Asked twice it is the same one. `NotFound` when it has not expired, and to
    /// everybody else: a link shows no answers.
    pub async fn afresh(&self, actor: &Actor, expired: &str) -> Result<Sent, Refusal> {
        let (record, _) = self.core.mine(actor, Action::See, expired).await?;
        if !owns(actor, &record) {
            return Err(Refusal::NotFound);
        }
        match self.core.refuse_ended(&record).await {
            Err(Refusal::Expired { .. }) => {}
            Err(other) => return Err(other),
            Ok(()) => return Err(Refusal::NotFound),
        }
        let id = self.core.workflow_of(&record).await?.id.clone();
        let attribution = record.attribution.clone();
        let context = read(record)?.state.snapshot.context;
        let key = format!("afresh {expired}");
        let start = Start { workflow: id.clone(), key, event: None, attribution, session: None };
        let sent = self.start(actor, start).await?;
        let (catalog, journey) = (self.core.catalog(), sent.view.journey.id.clone().unwrap_or_default());
        let Some(workflow) = catalog.workflow(&id).filter(|_| !sent.repeated) else { return Ok(sent) };
        for step in workflow.steps() {
            let Some(form) = step.form.as_deref().and_then(|form| workflow.form(form)) else { continue };
            let mut place = step.into.as_deref().unwrap_or_default().split('.');
            let first = place.next().and_then(|name| context.get(name));
            if let Some(answers) = place.fold(first, |value, name| value?.get(name)) {
                let answers = form.answers_for_anew(answers.clone());
                self.keep_draft(workflow, &journey, (&step.node, step.node.clone()), answers).await?;
            }
        }
        Ok(sent)
    }
}
