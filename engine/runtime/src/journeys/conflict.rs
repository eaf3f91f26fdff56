//! A person's event that comes twice, too late, or from somebody who may not send it.

use super::{Journeys, Send, Sent};
use crate::actor::{Action, Actor};
use crate::refusal::{Difference, Refusal};
use crate::state::JourneyState;
use crate::turn::get_path;
use engine_store::{JourneyRecord, UsedKey};
use serde_json::Value;

impl Journeys {
    /// Who came by a link sees the step but may not send this; for everybody else there is nothing here.
    pub(super) async fn not_offered(&self, actor: &Actor, record: JourneyRecord) -> Result<Refusal, Refusal> {
        if actor.came_by.is_none() {
            return Ok(Refusal::NotFound);
        }
        Ok(Refusal::NotAccepted { view: Box::new(self.core.view_of(actor, record).await?) })
    }

    pub(super) async fn repeated(&self, actor: &Actor, used: UsedKey, body_hash: i64) -> Result<Sent, Refusal> {
        if used.body_hash != body_hash {
            return Err(Refusal::KeyReused);
        }
        Ok(Sent { view: Box::new(self.view(actor, &used.journey).await?), repeated: true, signs_in: None })
    }

    pub(super) async fn stale(&self, actor: &Actor, journey: &str, send: &Send) -> Result<Refusal, Refusal> {
        let (record, actor) = self.core.mine(actor, Action::See, journey).await?;
        // Answers of other steps are not for who came by a link.
        let theirs = if send.kind == "submit" && actor.came_by.is_none() {
            self.answers_like(&record, &send.data).await?
        } else {
            None
        };
        let view = self.core.view_of(&actor, record).await?;
        let difference = theirs.map(|theirs| difference(&send.data, &theirs)).unwrap_or_default();
        Ok(Refusal::Stale { view: Box::new(view), difference })
    }

    /// The stored answers of the step to which such data belongs: the shown step's, else the newest of the trail with
    /// these fields.
    async fn answers_like(&self, record: &JourneyRecord, data: &Value) -> Result<Option<Value>, Refusal> {
        let (workflow, Some(sent)) = (self.core.workflow_of(record).await?, data.as_object()) else { return Ok(None) };
        let state: JourneyState = serde_json::from_str(&record.state).unwrap_or_default();
        let nodes = [record.step.clone()].into_iter().chain(state.trail.iter().rev().map(|entry| entry.node.clone()));
        for step in nodes.filter_map(|node| workflow.step_by_node(&node)) {
            let (Some(form), Some(into)) = (step.form.as_deref().and_then(|f| workflow.form(f)), step.into.as_deref())
            else {
                continue;
            };
            let names = form.properties();
            if sent.keys().all(|key| names.contains(key)) {
                return Ok(get_path(&state.snapshot.context, into).cloned());
            }
        }
        Ok(None)
    }
}

/// Fields that differ between what was sent and what is stored now.
fn difference(yours: &Value, theirs: &Value) -> Vec<Difference> {
    let (Some(a), Some(b)) = (yours.as_object(), theirs.as_object()) else { return Vec::new() };
    let mut names: Vec<&String> = a.keys().chain(b.keys().filter(|k| !a.contains_key(*k))).collect();
    names.dedup();
    let get = |map: &serde_json::Map<String, Value>, name: &str| map.get(name).cloned().unwrap_or(Value::Null);
    names
        .into_iter()
        .filter(|name| get(a, name) != get(b, name))
        .map(|name| Difference { pointer: format!("/{name}"), yours: get(a, name), theirs: get(b, name) })
        .collect()
}
