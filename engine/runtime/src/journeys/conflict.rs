//! A person's event that comes twice, too late, or from somebody who may not send it.

use super::{Journeys, Send, Sent};
use crate::actor::{Action, Actor, VISITOR};
use crate::core::read;
use crate::refusal::{Difference, Refusal};
use crate::turn::{
    Turn, {SignsIn, get_path},
};
use engine_definitions::SignIn;
use engine_store::{JourneyRecord, JourneyStatus, UsedKey};
use serde_json::{Value, json};

impl Journeys {
    /// Who came by a link sees the step but may not send this; for everybody else there is nothing here.
    pub(super) async fn not_offered(&self, actor: &Actor, record: JourneyRecord) -> Result<Refusal, Refusal> {
        if actor.came_by.is_none() {
            return Ok(Refusal::NotFound);
        }
        Ok(Refusal::NotAccepted { view: Box::new(self.core.view_of(actor, record).await?) })
    }

    pub(super) async fn repeat_reply(&self, actor: &Actor, used: UsedKey, body_hash: i64) -> Result<Sent, Refusal> {
        if used.body_hash != body_hash {
            return Err(Refusal::KeyReused);
        }
        let signs_in = self.lost_sign_in(actor, &used.journey).await?;
        Ok(Sent { view: Box::new(self.view(actor, &used.journey).await?), repeated: true, signs_in })
    }

    /// The answer by which this visitor was signed in never came: the number was shown in this very session.
    async fn lost_sign_in(&self, actor: &Actor, journey: &str) -> Result<Option<SignsIn>, Refusal> {
        if actor.kind != VISITOR || actor.claims.is_some() {
            return Ok(None);
        }
        let record = self.core.store().journey(journey).await?.filter(|record| record.owner == actor.id);
        let Some(record) = record else { return Ok(None) };
        let is_shown = match self.core.workflow_of(&record).await?.signs_in {
            None => true,
            Some(SignIn::Person) => record.status == JourneyStatus::Done,
            Some(SignIn::Staff | SignIn::Number | SignIn::Email | SignIn::Forget) => false,
        };
        Ok(record.person.filter(|_| is_shown).map(|person| SignsIn::Person { person, stays: false }))
    }

    pub(super) async fn stale(&self, actor: &Actor, journey: &str, send: &Send) -> Result<Refusal, Refusal> {
        let (record, actor) = self.core.mine(actor, Action::See, journey).await?;
        // Answers of other steps are not for who came by a link.
        let theirs = if send.kind == "submit" && actor.came_by.is_none() {
            self.answers_like(&record, &actor, &send.data).await?
        } else {
            None
        };
        let view = self.core.view_of(&actor, record).await?;
        let difference = theirs.map(|theirs| difference(&send.data, &theirs)).unwrap_or_default();
        Ok(Refusal::Stale { view: Box::new(view), difference })
    }

    /// An offer is taken at the price that its reader saw: where another stands by now, nothing is done.
    pub(super) fn refuse_other_price(
        &self,
        turn: &Turn<'_>,
        actor: &Actor,
        journey: &str,
        send: &Send,
    ) -> Result<(), Refusal> {
        let Some(shown) = send.shown else { return Ok(()) };
        let view = Box::new(self.core.render(turn, actor, Some(journey)));
        let blocks = view.step.view.as_ref().map(|view| &view["blocks"]);
        match blocks.and_then(|blocks| price_of(blocks, &send.kind, &send.data)) {
            Some(price) if price != shown => Err(Refusal::Repriced { view }),
            Some(_) | None => Ok(()),
        }
    }

    /// The stored answers of the step to which such data belongs: the shown step's, else the newest of the trail with
    /// these fields; as this actor may see them.
    async fn answers_like(
        &self,
        record: &JourneyRecord,
        actor: &Actor,
        data: &Value,
    ) -> Result<Option<Value>, Refusal> {
        let (workflow, Some(sent)) = (self.core.workflow_of(record).await?, data.as_object()) else { return Ok(None) };
        let catalog = self.core.catalog();
        let turn = Turn::on(&workflow, &catalog, read(record.clone())?, self.core.now_ms());
        let state = &turn.state;
        let nodes = [record.step.clone()].into_iter().chain(state.trail.iter().rev().map(|entry| entry.node.clone()));
        for step in nodes.filter_map(|node| workflow.step_by_node(&node)) {
            let (Some(form), Some(into)) = (step.form.as_deref().and_then(|f| workflow.form(f)), step.into.as_deref())
            else {
                continue;
            };
            let names = form.properties();
            if sent.keys().all(|key| names.contains(key)) {
                let mut theirs = get_path(&state.snapshot.context, into).cloned();
                if let (Some(cover), Some(theirs)) = (turn.cover(actor), &mut theirs) {
                    cover.show(form, "", theirs);
                }
                return Ok(theirs);
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

/// The price in paise of the offer that this event takes.
fn price_of(blocks: &Value, kind: &str, data: &Value) -> Option<i64> {
    let offers = blocks.as_array()?.iter().filter_map(|block| block["items"].as_array()).flatten();
    let takes = |offer: &&Value| {
        let action = &offer["action"];
        action["event"] == kind && (&action["data"] == data || action["data"].is_null() && *data == json!({}))
    };
    offers.filter(takes).find_map(|offer| offer["price"]["paise"].as_i64())
}
