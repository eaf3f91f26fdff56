//! What people do with journeys: start, send, look, keep a draft.

mod afresh;
mod conflict;
mod drafts;
mod event;
mod pages;
mod papers;
mod send;
mod start;

pub(crate) use event::{Applied, apply_event};
pub use papers::Paper;

use crate::actor::{Action, Actor};
use crate::core::Core;
use crate::refusal::Refusal;
use crate::turn::{HELP, SignsIn, Turn};
use crate::view::{JourneySummary, StepKind, StepView};
use engine_definitions::Workflow;
use engine_store::{Change, DocumentRecord, JourneyFilter, JourneyStatus, NewJourney, SessionRecord};
use event::internal;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

/// What people do with journeys.
#[derive(Clone)]
pub struct Journeys {
    pub(crate) core: Arc<Core>,
}

/// A journey begins, usually with its first answers.
#[derive(Debug, Clone)]
pub struct Start {
    pub workflow: String,
    pub key: String,
    /// Event type and data of the first step.
    pub event: Option<(String, Value)>,
    pub attribution: Value,
    /// The actor's session, when it begins with this journey.
    pub session: Option<SessionRecord>,
}

/// Which of one's own journeys.
#[derive(Debug, Clone, Default)]
pub struct List {
    /// Part of the title, or a whole mobile number: of the customer who has shown it.
    pub search: Option<String>,
    /// With a record of one of these kinds; empty: with or without any.
    pub records: Vec<String>,
    pub workflow: Option<String>,
    pub status: Option<JourneyStatus>,
    /// The last one of the page before.
    pub before: Option<String>,
    /// At most [`LIST_MAX`].
    pub limit: u32,
}

/// Longest page of a list.
pub const LIST_MAX: u32 = 200;

/// A person's event.
#[derive(Debug, Clone)]
pub struct Send {
    pub key: String,
    /// The revision that the person saw.
    pub revision: i64,
    pub kind: String,
    pub data: Value,
}

#[derive(Debug, Clone)]
pub struct Sent {
    pub view: Box<StepView>,
    /// The key was used by this very request before; nothing was done again.
    pub repeated: bool,
    /// As whom the sender's session is to be signed in.
    pub signs_in: Option<SignsIn>,
}

/// What a page address of a journey shows: its current step, which is there or at another address.
#[derive(Debug, Clone)]
pub enum Opened {
    Here(Box<StepView>),
    Elsewhere(Box<StepView>),
}

/// How long a reply may wait for a quick call to settle (workflows.md rule 17).
const SETTLE_WAIT: Duration = Duration::from_secs(1);

impl Journeys {
    /// The first step of a workflow, without a journey: nothing is stored.
    pub async fn preview(&self, workflow: &str, actor: &Actor) -> Result<StepView, Refusal> {
        let catalog = self.core.catalog();
        let workflow = catalog.workflow(workflow).ok_or(Refusal::NotFound)?.clone();
        let new = new_journey(&workflow, actor, None, Value::Null);
        let turn =
            Turn::begin(&workflow, &catalog, "", new, actor, self.core.now_ms()).map_err(|r| internal(&workflow, r))?;
        Ok(self.core.render(&turn, actor, None))
    }

    pub async fn view(&self, actor: &Actor, journey: &str) -> Result<StepView, Refusal> {
        let (record, actor) = self.core.mine(actor, Action::See, journey).await?;
        self.core.refuse_ended(&record).await?;
        self.core.view_of(&actor, record).await
    }

    pub async fn document(&self, actor: &Actor, journey: &str, id: &str) -> Result<DocumentRecord, Refusal> {
        self.core.mine(actor, Action::See, journey).await?;
        self.core.store().document(id).await?.filter(|d| d.journey == journey).ok_or(Refusal::NotFound)
    }

    /// The actor's own, the newest begun first.
    pub async fn journeys_of(&self, actor: &Actor, list: List) -> Result<Vec<JourneySummary>, Refusal> {
        let catalog = self.core.catalog();
        let List { mut search, records, workflow, status, before, limit } = list;
        let is_whole = search.is_none() && workflow.is_none() && before.is_none();
        let mut owners = vec![actor.id.clone(), actor.session.clone()];
        owners.retain(|owner| !owner.is_empty());
        owners.dedup();
        let limit = limit.clamp(1, LIST_MAX);
        let mut filter = JourneyFilter { owners, records, status, before, limit, ..JourneyFilter::default() };
        if let Some(mobile) = search.take_if(|words| is_mobile(words)) {
            let Some(person) = self.core.known_person(&mobile).await? else { return Ok(Vec::new()) };
            filter.person = Some(person.id);
        }
        if search.is_some() || workflow.is_some() {
            let words = search.unwrap_or_default().to_lowercase();
            let wanted = |one: &&Arc<Workflow>| {
                workflow.as_ref().is_none_or(|id| *id == one.id) && one.title.to_lowercase().contains(&words)
            };
            filter.workflows = catalog.workflows().filter(wanted).map(|one| one.id.clone()).collect();
            if filter.workflows.is_empty() {
                return Ok(Vec::new());
            }
        }
        let mut heads = self.core.store().journeys_of(filter).await?;
        for grant in actor.grants.iter().filter(|grant| is_whole && grant.purpose == HELP) {
            let record = self.core.store().journey(&grant.journey).await?;
            heads.extend(record.filter(|record| grant.holds(record, self.core.now_ms())).map(|record| record.head()));
        }
        Ok(heads
            .into_iter()
            .map(|head| {
                let workflow = catalog.workflow(&head.workflow);
                let base = workflow.map(|w| w.base.clone()).unwrap_or_default();
                let path = workflow
                    .and_then(|w| w.step_by_node(&head.step))
                    .and_then(|s| s.path.clone())
                    .filter(|p| !p.is_empty());
                JourneySummary {
                    url: format!("{base}{}?request={}", path.map(|p| format!("/{p}")).unwrap_or_default(), head.id),
                    title: workflow.map_or_else(|| head.workflow.clone(), |w| w.title.clone()),
                    id: head.id,
                    workflow: head.workflow,
                    status: head.status.into(),
                    step: head.step,
                    updated_at: crate::clock::rfc3339(head.updated_at_ms),
                }
            })
            .collect())
    }

    /// The view after a commit; waits a moment for a quick call, so that a short check needs no wait page (rule 17).
    async fn settled(
        &self,
        actor: &Actor,
        mut view: Box<StepView>,
        mut changes: Receiver<Change>,
    ) -> Result<Box<StepView>, Refusal> {
        let end = tokio::time::Instant::now() + SETTLE_WAIT;
        while let Some(journey) = view.journey.id.clone().filter(|_| waits(&view)) {
            let seen = view.journey.revision;
            loop {
                match tokio::time::timeout_at(end, changes.recv()).await {
                    // Its own commit is told too.
                    Ok(Ok(change)) if change.journey == journey && change.revision > seen => break,
                    Ok(Ok(_)) => {}
                    Ok(Err(RecvError::Lagged(_))) => break,
                    Ok(Err(RecvError::Closed)) | Err(_) => return Ok(view),
                }
            }
            *view = self.view(actor, &journey).await?;
        }
        Ok(view)
    }

    /// The reply to an event that was committed.
    async fn sent(
        &self,
        actor: &Actor,
        view: Box<StepView>,
        changes: Option<Receiver<Change>>,
    ) -> Result<Sent, Refusal> {
        let view = match changes {
            Some(changes) => Box::pin(self.settled(actor, view, changes)).await?,
            None => view,
        };
        Ok(Sent { view, repeated: false, signs_in: None })
    }
}

pub(crate) fn new_journey(
    workflow: &Workflow,
    actor: &Actor,
    session: Option<SessionRecord>,
    attribution: Value,
) -> NewJourney {
    NewJourney {
        session,
        workflow: workflow.id.clone(),
        version: workflow.version.clone(),
        owner: actor.id.clone(),
        language: actor.language.clone(),
        channel: actor.channel.clone(),
        attribution,
        keys: String::new(),
    }
}

/// Ten digits or more, as people write numbers.
fn is_mobile(words: &str) -> bool {
    words.bytes().filter(u8::is_ascii_digit).count() >= 10 && words.bytes().all(|one| b"+- 0123456789".contains(&one))
}

/// A page that only waits for a call.
fn waits(view: &StepView) -> bool {
    view.step.kind == StepKind::Wait && !view.step.waits.is_empty()
}
