//! What people do with journeys: start, send, look, keep a draft.

mod afresh;
mod conflict;
mod drafts;
mod event;
mod listed;
mod pages;
mod papers;
mod reading;
mod send;
mod start;

pub(crate) use event::{Applied, apply_event};
pub use papers::{PAPER, Paper};
pub use reading::{Reading, Standing};

use crate::actor::{Action, Actor, STAFF, is_sent_away};
use crate::core::Core;
use crate::refusal::Refusal;
use crate::turn::{HELP, SignsIn, Turn};
use crate::view::{About, JourneySummary, StepKind, StepView, WaitsFor};
use engine_definitions::{Accept, Catalog, Step, StepKind as Kind, Waits, Workflow};
use engine_store::{Change, DocumentRecord, JourneyFilter, JourneyHead, JourneyStatus, NewJourney, SessionRecord};
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
    /// Journeys with a record of one of these kinds; empty: with or without any.
    pub records: Vec<String>,
    pub workflow: Option<String>,
    pub status: Option<JourneyStatus>,
    /// The last one of the page before.
    pub before: Option<String>,
    /// Only journeys of which nothing is left but what a law keeps: they have no page.
    pub forgotten: bool,
    /// Most journeys, at most [`LIST_MAX`].
    pub limit: u32,
}

/// A journey in a list, in somebody's language; one whose person is forgotten has no page.
fn summary(catalog: &Catalog, head: JourneyHead, language: &str, forgotten: bool) -> JourneySummary {
    let workflow = catalog.workflow(&head.workflow);
    let words = workflow.map(|workflow| workflow.in_language(language));
    let step = words.and_then(|words| words.step_by_node(&head.step));
    let base = workflow.map(|workflow| workflow.base.as_str()).unwrap_or_default();
    let path = step.and_then(|step| step.path.as_deref()).filter(|path| !path.is_empty());
    let title = words.map_or_else(|| head.workflow.clone(), |words| words.title.clone());
    let is_over = head.status != JourneyStatus::Active;
    let path = path.map(|path| format!("/{path}")).unwrap_or_default();
    JourneySummary {
        url: if forgotten { String::new() } else { format!("{base}{path}?request={}", head.id) },
        step_title: words
            .and_then(|words| step.and_then(|step| words.step_words(step)))
            .unwrap_or_else(|| title.clone()),
        waits_for: step.filter(|_| !is_over).map_or(WaitsFor::Nobody, waits_for),
        about: About::default(),
        title,
        id: head.id,
        workflow: head.workflow,
        status: head.status.into(),
        step: head.step,
        updated_at: crate::clock::rfc3339(head.updated_at_ms),
    }
}

impl From<Waits> for WaitsFor {
    fn from(said: Waits) -> WaitsFor {
        match said {
            Waits::Nobody => WaitsFor::Nobody,
            Waits::Customer => WaitsFor::Customer,
            Waits::Partner => WaitsFor::Partner,
        }
    }
}

/// Who is to do something at this step.
fn waits_for(step: &Step) -> WaitsFor {
    let by_link = |accept: &Accept| accept.by.iter().any(|by| by.starts_with("link:"));
    if let Some(said) = step.waits_for {
        return said.into();
    }
    match step.kind {
        _ if step.only.is_some() || step.confirms || step.accepts.values().any(by_link) => WaitsFor::Customer,
        Kind::Wait | Kind::Tracker => WaitsFor::Partner,
        _ => WaitsFor::Anybody,
    }
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
    /// The price in paise that stood beside what was pressed, where one did.
    pub shown: Option<i64>,
}

#[derive(Debug, Clone)]
pub struct Sent {
    pub view: Box<StepView>,
    /// The key was used by this very request before; nothing was done again.
    pub repeated: bool,
    /// Who the sender's session is to be signed in as.
    pub signs_in: Option<SignsIn>,
}

/// What a page address of a journey shows: its current step, which is there or at another address.
#[derive(Debug, Clone)]
pub enum Opened {
    Here(Box<StepView>),
    Elsewhere(Box<StepView>),
}

/// How long a reply may wait for a quick call to settle.
const SETTLE_WAIT: Duration = Duration::from_secs(1);

impl Journeys {
    /// The first step of a workflow, without a journey: nothing is stored. `attribution`: what a journey would be
    /// told of where its visitor came from.
    pub async fn preview(&self, workflow: &str, actor: &Actor, attribution: Value) -> Result<StepView, Refusal> {
        let catalog = self.core.catalog();
        let workflow = catalog.workflow(workflow).ok_or(Refusal::NotFound)?.clone();
        let actor = &self.core.with_prefill(actor).await?;
        let new = new_journey(&workflow, actor, None, attribution);
        let turn =
            Turn::begin(&workflow, &catalog, "", new, actor, self.core.now_ms()).map_err(|r| internal(&workflow, r))?;
        Ok(self.core.render(&turn, actor, None))
    }

    pub async fn view(&self, actor: &Actor, journey: &str) -> Result<StepView, Refusal> {
        let (record, actor) = self.core.mine(actor, Action::See, journey).await?;
        self.core.refuse_ended(&record).await?;
        self.core.view_of(&actor, record).await
    }

    /// Whether the actor may see it, now.
    pub async fn is_open_to(&self, actor: &Actor, journey: &str) -> bool {
        self.core.mine(actor, Action::See, journey).await.is_ok()
    }

    pub async fn document(&self, actor: &Actor, journey: &str, id: &str) -> Result<DocumentRecord, Refusal> {
        if !self.core.is_kept_for(actor, journey).await? {
            self.core.mine(actor, Action::Document, journey).await?;
        }
        self.core.store().document(id).await?.filter(|d| d.journey == journey).ok_or(Refusal::NotFound)
    }

    /// The actor's own, the newest begun first.
    pub async fn journeys_of(&self, actor: &Actor, list: List) -> Result<Vec<JourneySummary>, Refusal> {
        let catalog = self.core.catalog();
        let List { mut search, records, workflow, status, before, forgotten, limit } = list;
        let is_whole = search.is_none() && workflow.is_none() && before.is_none();
        let mut owners = vec![actor.id.clone(), actor.session.clone()];
        owners.retain(|owner| !owner.is_empty());
        owners.dedup();
        let limit = limit.clamp(1, LIST_MAX);
        let not_of_others = actor.person().or(actor.claims.as_deref()).map(str::to_owned);
        let mut filter =
            JourneyFilter { owners, not_of_others, records, status, before, limit, ..JourneyFilter::default() };
        filter.forgotten = forgotten;
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
        let mut heads = self.heads(actor, filter).await?;
        for grant in actor.grants.iter().filter(|grant| is_whole && !forgotten && grant.purpose == HELP) {
            let record = self.core.store().journey(&grant.journey).await?;
            heads.extend(record.filter(|record| grant.holds(record, self.core.now_ms())).map(|record| record.head()));
        }
        Ok(heads.into_iter().map(|head| summary(&catalog, head, &actor.language, forgotten)).collect())
    }

    /// A page of what is theirs, without what a customer ended their access to.
    async fn heads(&self, actor: &Actor, mut filter: JourneyFilter) -> Result<Vec<JourneyHead>, Refusal> {
        let store = self.core.store();
        if actor.kind != STAFF {
            return Ok(store.journeys_of(filter).await?);
        }
        let (limit, mut heads) = (filter.limit as usize, Vec::new());
        loop {
            let page = store.journeys_of(filter.clone()).await?;
            let is_last = page.len() < limit;
            filter.before = page.last().map(|head| head.id.clone());
            for head in page {
                let record = store.journey(&head.id).await?;
                heads.extend(record.filter(|record| !is_sent_away(actor, record)).map(|_| head));
            }
            if is_last || heads.len() >= limit {
                heads.truncate(limit);
                return Ok(heads);
            }
        }
    }

    /// The view after a commit; waits a moment for a quick call, so that a short check needs no wait page.
    async fn wait_for_calls(
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
                    // A commit of this request is told too.
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
    async fn reply_to_event(
        &self,
        actor: &Actor,
        view: Box<StepView>,
        changes: Option<Receiver<Change>>,
    ) -> Result<Sent, Refusal> {
        let view = match changes {
            Some(changes) => Box::pin(self.wait_for_calls(actor, view, changes)).await?,
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
pub(crate) fn is_mobile(words: &str) -> bool {
    words.bytes().filter(u8::is_ascii_digit).count() >= 10 && words.bytes().all(|one| b"+- 0123456789".contains(&one))
}

/// A page that only waits for a call.
fn waits(view: &StepView) -> bool {
    view.step.kind == StepKind::Wait && !view.step.waits.is_empty()
}
