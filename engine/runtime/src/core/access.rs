//! Who may do what with a stored journey, and what they see of it.

use super::{Core, Deed, RuntimeError};
use crate::actor::{Action, Actor, Grant, Resource, STAFF, can, is_sent_away, owns};
use crate::refusal::Refusal;
use crate::render::render;
use crate::turn::{Journey, Turn};
use crate::view::StepView;
use engine_store::{JourneyRecord, JourneyStatus};
use serde_json::{Value, json};
use std::borrow::Cow;

impl Core {
    /// A journey that this actor may use so; otherwise it does not exist.
    pub async fn mine<'a>(
        &self,
        actor: &'a Actor,
        action: Action<'_>,
        journey: &str,
    ) -> Result<(JourneyRecord, Cow<'a, Actor>), Refusal> {
        let record = self.store().journey(journey).await?.ok_or(Refusal::NotFound)?;
        let actor = self.actor_with_grants(actor, &record).await?;
        if !can(self.catalog().policy(), &actor, action, &record) {
            return Err(Refusal::NotFound);
        }
        if !owns(&actor, &record) || actor.kind == STAFF {
            Box::pin(self.note_seen(&actor, &record.id)).await?;
        }
        Ok((record, actor))
    }

    /// Whether nothing is left of a journey but what a law keeps, and this is whose it was.
    pub async fn is_kept_for(&self, actor: &Actor, journey: &str) -> Result<bool, Refusal> {
        let Some(person) = actor.person() else { return Ok(false) };
        Ok(self.store().person_of_buried(journey).await?.as_deref() == Some(person))
    }

    /// Work on the whole that changes something: it stands in the audit trail before it is done.
    pub async fn operate(&self, actor: &Actor, deed: Deed, about: &str) -> Result<(), Refusal> {
        self.permit(actor, Action::Operate, Resource::All)?;
        Ok(self.note_deed(actor, deed, about).await?)
    }

    /// What is the actor's own, what is not there yet, or the work of all; otherwise it does not exist.
    pub fn permit(&self, actor: &Actor, action: Action<'_>, resource: Resource<'_>) -> Result<(), Refusal> {
        if can(self.catalog().policy(), actor, action, resource) { Ok(()) } else { Err(Refusal::NotFound) }
    }

    pub async fn refuse_ended(&self, record: &JourneyRecord) -> Result<(), Refusal> {
        let over = match record.status {
            JourneyStatus::Expired => true,
            JourneyStatus::Active => record.expires_at_ms.is_some_and(|at| at <= self.now_ms()),
            JourneyStatus::Done => false,
        };
        if !over {
            return Ok(());
        }
        let base = self.workflow_of(record).await.map(|w| w.base.clone()).unwrap_or_default();
        Err(Refusal::Expired { base })
    }

    pub async fn view_of(&self, actor: &Actor, record: JourneyRecord) -> Result<StepView, Refusal> {
        let (workflow, catalog) = (self.workflow_of(&record).await?, self.catalog());
        let id = record.id.clone();
        let turn = Turn::on(&workflow, &catalog, read(record)?, self.now_ms());
        Ok(self.render(&turn, actor, Some(&id)))
    }

    /// The actor as it stands towards a journey: one that is not its own may be opened by links that it came by.
    pub async fn actor_with_grants<'a>(
        &self,
        actor: &'a Actor,
        record: &JourneyRecord,
    ) -> Result<Cow<'a, Actor>, RuntimeError> {
        if actor.grants.is_empty() || owns(actor, record) && !is_sent_away(actor, record) {
            return Ok(Cow::Borrowed(actor));
        }
        let grants: Vec<&Grant> = actor.grants.iter().filter(|g| g.holds(record, self.now_ms())).collect();
        // What was open at an earlier step is not carried on.
        let plain = actor.plain();
        if grants.is_empty() {
            return Ok(plain);
        }
        let workflow = self.workflow_of(record).await?;
        let opened =
            grants.iter().filter_map(|g| Some((g.purpose.as_str(), workflow.link_events(&g.purpose, &record.step)?)));
        Ok(plain.came_by(&record.id, opened).map_or(plain, Cow::Owned))
    }

    /// `journey` is `None` for the first step before there is a journey.
    pub fn render(&self, turn: &Turn<'_>, actor: &Actor, journey: Option<&str>) -> StepView {
        self.render_at(turn, actor, journey, None)
    }

    /// The step as it is seen from the page of this path.
    pub fn render_at(&self, turn: &Turn<'_>, actor: &Actor, journey: Option<&str>, path: Option<&str>) -> StepView {
        let returns = |partner: &str| self.return_url(partner, turn.id(), turn.record.revision);
        let mut view = render(turn, actor, (journey, path), &returns);
        let blocks = view.step.view.as_mut().and_then(|view| view.get_mut("blocks")?.as_array_mut());
        if let (Some(id), Some(blocks)) = (journey, blocks) {
            self.seal(blocks, id);
        }
        view
    }

    /// Names the page behind the code of each seal, and where it is passed on, its whole address.
    pub fn seal(&self, blocks: &mut [Value], journey: &str) {
        let path = || self.keys.proof_code(journey).map(|code| format!("/v/{code}"));
        for block in blocks {
            if block["block"] == "seal" {
                block["url"] = path().into();
            } else if let Some(share) = block.get_mut("share") {
                share["url"] = path().map(|path| self.settings.public_url() + &path).into();
            }
        }
    }

    /// The address to which a partner sends the person back; bound to the journey, its step and its revision.
    pub fn return_url(&self, partner: &str, journey: &str, revision: i64) -> String {
        let state = self.keys.seal(&json!([journey, revision]).to_string(), &format!("return:{partner}"));
        let state = state.rsplit(':').next().unwrap_or_default();
        format!("{}/api/v1/partners/{partner}/return/{state}", self.settings.public_url())
    }
}

pub fn read(record: JourneyRecord) -> Result<Journey, RuntimeError> {
    let id = record.id.clone();
    Journey::read(record).map_err(|reason| RuntimeError::State { journey: id, reason })
}
