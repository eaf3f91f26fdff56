//! What people do with journeys: start, send, look, keep a draft.

use crate::actor::{Action, Actor, can};
use crate::clock::new_id;
use crate::effect::{CallFailure, CallResult};
use crate::fact::{Fact, Outcome};
use crate::refusal::{Difference, Refusal};
use crate::runtime::{Runtime, RuntimeError};
use crate::state::JourneyState;
use crate::turn::{Checked, Journey, Question, Refused, Turn, draft_of, get_path, write_canonical};
use crate::view::{JourneySummary, StepKind, StepView};
use engine_definitions::{FieldError, Workflow};
use engine_store::{
    Change, Committed, DocumentRecord, Draft, IdempotencyKey, JourneyRecord, JourneyStatus, NewJourney, SessionRecord,
    UsedKey,
};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

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
}

/// Where a page address leads.
#[derive(Debug, Clone)]
pub enum Opened {
    Here(Box<StepView>),
    Elsewhere(String),
}

/// Tries of a turn against other writers of the same journey.
const TRIES: usize = 20;

impl From<RuntimeError> for Refusal {
    fn from(error: RuntimeError) -> Self {
        match error {
            RuntimeError::Store(error) => error.into(),
            other => Refusal::Internal(Box::new(other)),
        }
    }
}

impl Runtime {
    /// The first step of a workflow, without a journey: nothing is stored.
    pub async fn preview(&self, workflow: &str, actor: &Actor) -> Result<StepView, Refusal> {
        let catalog = self.catalog();
        let workflow = catalog.workflow(workflow).ok_or(Refusal::NotFound)?.clone();
        let new = new_journey(&workflow, actor, None, Value::Null);
        let turn =
            Turn::begin(&workflow, &catalog, "", new, actor, self.now_ms()).map_err(|r| internal(&workflow, r))?;
        Ok(self.render(&turn, actor, None))
    }

    pub async fn start(&self, actor: &Actor, start: Start) -> Result<Sent, Refusal> {
        if start.key.is_empty() {
            return Err(Refusal::KeyMissing);
        }
        let catalog = self.catalog();
        let workflow = catalog.workflow(&start.workflow).ok_or(Refusal::NotFound)?.clone();
        let (kind, data) = start.event.as_ref().map_or(("", &Value::Null), |(kind, data)| (kind.as_str(), data));
        let body_hash = self.request_hash(&[&start.workflow, kind], data);
        // Who starts twice with one key finds the same journey; nobody can guess its id.
        let id = self.inner.keys.short_hash("start", &format!("{} {}", actor.id, start.key));
        let new = new_journey(&workflow, actor, start.session, start.attribution);
        for _ in 0..TRIES {
            let now = self.now_ms();
            let mut turn =
                Turn::begin(&workflow, &catalog, &id, new.clone(), actor, now).map_err(|r| internal(&workflow, r))?;
            // The commit refuses a repeat; what asks the store on the way, or is refused now, must not come so far.
            let mut asked = turn.has_questions();
            if asked && let Some(used) = self.store().used_key(&id, None).await? {
                return Box::pin(self.repeated_start(actor, new.session, used, body_hash)).await;
            }
            match Box::pin(self.answer_pending(&mut turn, actor)).await {
                Ok(()) => {}
                Err(Unanswered::Broken { place, reason }) => {
                    return Err(internal(&workflow, Refused::Broken { place, reason }));
                }
                Err(Unanswered::Refused(refusal)) => return Err(refusal),
            }
            if start.event.is_some() {
                let applied = self.event_on(&mut turn, actor, kind, data);
                asked = !asked && (turn.has_questions() || !matches!(applied, Ok(Applied::Done)));
                if asked && let Some(used) = self.store().used_key(&id, None).await? {
                    return Box::pin(self.repeated_start(actor, new.session, used, body_hash)).await;
                }
                self.applied(&mut turn, applied, actor, (kind, data), None).await?;
            }
            turn.acted(IdempotencyKey { key: None, body_hash });
            let view = Box::new(self.render(&turn, actor, Some(&id)));
            let changes = waits(&view).then(|| self.changes());
            let (commit, after) = turn.commit().map_err(RuntimeError::from)?;
            match self.store().commit(commit).await? {
                Committed::Done { .. } => {
                    self.inner.recent.put(after);
                    if let Some(session) = new.session {
                        self.inner.sessions.put(session, now);
                    }
                    let view = match changes {
                        Some(changes) => Box::pin(self.settled(actor, view, changes)).await?,
                        None => view,
                    };
                    return Ok(Sent { view, repeated: false });
                }
                Committed::KeyUsed(used) => {
                    return Box::pin(self.repeated_start(actor, new.session, used, body_hash)).await;
                }
                // Somebody sent to the same number at this moment.
                Committed::Moved | Committed::Superseded => {}
            }
        }
        Err(Refusal::Busy)
    }

    /// A person's event: at most once per key, only at the revision that the person saw. Its future is made for every
    /// request: what most requests do not need is boxed.
    pub async fn send(&self, actor: &Actor, journey: &str, send: Send) -> Result<Sent, Refusal> {
        if send.key.is_empty() {
            return Err(Refusal::KeyMissing);
        }
        let body_hash = self.request_hash(&[&send.kind, &send.revision.to_string()], &send.data);
        let key = self.inner.keys.number("key", &send.key);
        let _line = self.lock(journey).await;
        let fits = |record: &JourneyRecord| record.revision == send.revision && record.status == JourneyStatus::Active;
        // Only from answer to answer: whoever goes another way may come to a step with a draft that this node has not
        // seen.
        let forward = send.kind == "submit";
        let mut recent = self
            .inner
            .recent
            .take(journey)
            .filter(|j| forward && fits(&j.record) && can(actor, Action::Send(&send.kind), &*j.record));
        for _ in 0..TRIES {
            let from_recent = recent.is_some();
            let (stored, sender) = match recent.take() {
                Some(stored) => (stored, Cow::Borrowed(actor)),
                None => {
                    let (record, sender) = Box::pin(self.mine(actor, Action::See, journey)).await?;
                    if !can(&sender, Action::Send(&send.kind), &record) {
                        return Err(Box::pin(self.not_offered(&sender, record)).await?);
                    }
                    (read(record)?, sender)
                }
            };
            let sender = sender.as_ref();
            if !fits(&stored.record) {
                if let Some(used) = self.store().used_key(journey, Some(key)).await? {
                    return Box::pin(self.repeated(actor, used, body_hash)).await;
                }
                self.refuse_ended(&stored.record).await?;
                return Err(Box::pin(self.stale(actor, journey, &send)).await?);
            }
            let (workflow, catalog) = (self.workflow_of(&stored.record).await?, self.catalog());
            self.refuse_ended(&stored.record).await?;
            let now = self.now_ms();
            let mut turn = Turn::on(&workflow, &catalog, stored, now);
            let applied = self.event_on(&mut turn, sender, &send.kind, &send.data);
            if from_recent && (!matches!(applied, Ok(Applied::Done)) || turn.has_questions()) {
                continue;
            }
            self.applied(&mut turn, applied, sender, (&send.kind, &send.data), Some(journey)).await?;
            turn.acted(IdempotencyKey { key: Some(key), body_hash });
            let view = Box::new(self.render(&turn, sender, Some(journey)));
            let changes = waits(&view).then(|| self.changes());
            let (commit, after) = turn.commit().map_err(RuntimeError::from)?;
            match self.store().commit(commit).await? {
                Committed::Done { .. } => {
                    if forward {
                        self.inner.recent.put(after);
                    }
                    drop(_line);
                    // A link may not open the step that follows.
                    let view = if sender.came_by.is_some() {
                        Box::new(Box::pin(self.view(actor, journey)).await?)
                    } else {
                        view
                    };
                    let view = match changes {
                        Some(changes) => Box::pin(self.settled(actor, view, changes)).await?,
                        None => view,
                    };
                    return Ok(Sent { view, repeated: false });
                }
                Committed::KeyUsed(used) => return Box::pin(self.repeated(actor, used, body_hash)).await,
                Committed::Moved | Committed::Superseded => {}
            }
        }
        Err(Refusal::Busy)
    }

    pub async fn view(&self, actor: &Actor, journey: &str) -> Result<StepView, Refusal> {
        let (record, actor) = self.mine(actor, Action::See, journey).await?;
        self.refuse_ended(&record).await?;
        self.view_of(&actor, record).await
    }

    /// A page of a journey is opened by its address: the current step, a step of the trail (back, change), or
    /// elsewhere.
    pub async fn open_path(&self, actor: &Actor, journey: &str, path: &str) -> Result<Opened, Refusal> {
        let (record, actor) = self.mine(actor, Action::See, journey).await?;
        let actor = actor.as_ref();
        self.refuse_ended(&record).await?;
        let (workflow, catalog) = (self.workflow_of(&record).await?, self.catalog());
        let path = workflow.aliases.get(path).map_or(path, String::as_str);
        let turn = Turn::on(&workflow, &catalog, read(record)?, self.now_ms());
        let view = self.render(&turn, actor, Some(journey));
        if view.step.path.as_deref().unwrap_or_default() == path {
            return Ok(Opened::Here(Box::new(view)));
        }
        let target =
            turn.state.trail.iter().rev().find(|e| {
                workflow.step_by_node(&e.node).is_some_and(|s| s.path.as_deref().unwrap_or_default() == path)
            });
        let Some(target) = target.map(|e| e.node.clone()) else { return Ok(Opened::Elsewhere(view.step.url)) };
        let last = turn.state.trail.last().is_some_and(|e| e.node == target);
        let (kind, data) = if last { ("back", json!({})) } else { ("change", json!({"step": target})) };
        let send = Send { key: new_id(), revision: view.journey.revision, kind: kind.into(), data };
        match self.send(actor, journey, send).await {
            Ok(sent) if sent.view.step.path.as_deref().unwrap_or_default() == path => Ok(Opened::Here(sent.view)),
            Ok(sent) => Ok(Opened::Elsewhere(sent.view.step.url)),
            // The journey forbids it, or moved meanwhile.
            Err(Refusal::NotAccepted { view } | Refusal::Stale { view, .. }) => Ok(Opened::Elsewhere(view.step.url)),
            Err(refusal) => Err(refusal),
        }
    }

    /// What is being typed; never part of the history. Secret fields are not kept.
    pub async fn save_draft(&self, actor: &Actor, journey: &str, step: &str, data: Value) -> Result<(), Refusal> {
        let (record, _) = self.mine(actor, Action::Send("submit"), journey).await?;
        self.refuse_ended(&record).await?;
        if record.step != step {
            // A late draft of a step that was left: the answer that left it wins.
            return Ok(());
        }
        let workflow = self.workflow_of(&record).await?;
        Ok(self.keep_draft(&workflow, journey, step, data).await?)
    }

    async fn keep_draft(
        &self,
        workflow: &Workflow,
        journey: &str,
        step: &str,
        data: Value,
    ) -> engine_store::Result<()> {
        let Some(data) = draft_of(workflow, step, data) else { return Ok(()) };
        self.store().save_draft(Draft { journey: journey.into(), step: step.into(), data, at_ms: self.now_ms() }).await
    }

    pub async fn document(&self, actor: &Actor, journey: &str, id: &str) -> Result<DocumentRecord, Refusal> {
        self.mine(actor, Action::See, journey).await?;
        self.store().document(id).await?.filter(|d| d.journey == journey).ok_or(Refusal::NotFound)
    }

    pub async fn journeys_of(&self, actor: &Actor) -> Result<Vec<JourneySummary>, Refusal> {
        let catalog = self.catalog();
        let heads = self.store().journeys_of(&actor.id, 50).await?;
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

    /// A journey that this actor may use so; otherwise it does not exist.
    pub(crate) async fn mine<'a>(
        &self,
        actor: &'a Actor,
        action: Action<'_>,
        journey: &str,
    ) -> Result<(JourneyRecord, Cow<'a, Actor>), Refusal> {
        let record = self.store().journey(journey).await?.ok_or(Refusal::NotFound)?;
        let actor = self.towards(actor, &record).await?;
        if can(&actor, action, &record) { Ok((record, actor)) } else { Err(Refusal::NotFound) }
    }

    /// Who came by a link sees the step but may not send this; for everybody else there is nothing here.
    async fn not_offered(&self, actor: &Actor, record: JourneyRecord) -> Result<Refusal, Refusal> {
        if actor.came_by.is_none() {
            return Ok(Refusal::NotFound);
        }
        Ok(Refusal::NotAccepted { view: Box::new(self.view_of(actor, record).await?) })
    }

    async fn refuse_ended(&self, record: &JourneyRecord) -> Result<(), Refusal> {
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

    fn event_on(&self, turn: &mut Turn<'_>, actor: &Actor, kind: &str, data: &Value) -> Result<Applied, Refused> {
        let flow = turn.id().to_owned();
        apply_event(turn, actor, kind, data, &|plain| self.inner.keys.seal(plain, &flow))
    }

    /// What came of a person's event; answers what the turn asks on the way. Most events ask nothing.
    async fn applied(
        &self,
        turn: &mut Turn<'_>,
        applied: Result<Applied, Refused>,
        actor: &Actor,
        event: (&str, &Value),
        stored: Option<&str>,
    ) -> Result<(), Refusal> {
        match applied {
            Ok(Applied::Done) if !turn.has_questions() => Ok(()),
            applied => Box::pin(self.answered(turn, applied, actor, event, stored)).await,
        }
    }

    async fn answered(
        &self,
        turn: &mut Turn<'_>,
        applied: Result<Applied, Refused>,
        actor: &Actor,
        (kind, data): (&str, &Value),
        stored: Option<&str>,
    ) -> Result<(), Refusal> {
        match applied {
            Ok(Applied::Done) => match self.answer_pending(turn, actor).await {
                Ok(()) => Ok(()),
                Err(Unanswered::Broken { place, reason }) => {
                    Err(self.broken(turn, stored, kind, data, &place, &reason).await)
                }
                Err(Unanswered::Refused(refusal)) => Err(refusal),
            },
            Ok(Applied::Invalid(errors)) => Err(Refusal::Invalid { errors }),
            Err(Refused::Unselected) => {
                let view = match stored {
                    Some(journey) => self.view(actor, journey).await?,
                    None => self.preview(&turn.workflow.id, actor).await?,
                };
                Err(Refusal::NotAccepted { view: Box::new(view) })
            }
            Err(Refused::Broken { place, reason }) => Err(self.broken(turn, stored, kind, data, &place, &reason).await),
        }
    }

    /// An incident: the answers are kept as a draft, the state does not move (workflows.md rule 27).
    async fn broken(
        &self,
        turn: &Turn<'_>,
        stored: Option<&str>,
        kind: &str,
        data: &Value,
        place: &str,
        reason: &str,
    ) -> Refusal {
        tracing::error!(
            workflow = turn.workflow.id,
            version = turn.workflow.version,
            place,
            reason,
            event = kind,
            "definition failed"
        );
        let Some(journey) = stored else {
            return Refusal::Internal(Box::new(RuntimeError::Definition {
                place: place.into(),
                reason: reason.into(),
            }));
        };
        match self.record_incident(turn, place, reason, json!({"event": kind})).await {
            Ok((id, step)) => {
                if kind == "submit"
                    && let Err(error) = self.keep_draft(turn.workflow, journey, &step, data.clone()).await
                {
                    tracing::error!(%error, "draft of a failed answer is lost");
                }
                Refusal::Broken { reference: id }
            }
            Err(error) => error.into(),
        }
    }

    /// Answers what the turn asked, until it asks no more.
    pub(crate) async fn answer_pending(&self, turn: &mut Turn<'_>, actor: &Actor) -> Result<(), Unanswered> {
        let flow = turn.id().to_owned();
        while let Some(question) = turn.question() {
            let answered = match question {
                Question::Reuse { invoke, run, key, source, input_hash, since_ms } => {
                    match self.store().reusable_reply(&source, &input_hash, since_ms).await? {
                        Some(output) => turn.answer(&invoke, run, &key, Outcome::Output(output)),
                        None => Ok(()),
                    }
                }
                Question::Resend { seq } => {
                    let sent = self.store().events(&flow, seq - 1, 1).await?.pop().filter(|event| event.seq == seq);
                    turn.resend(sent.and_then(|event| Fact::read(&event).ok()));
                    Ok(())
                }
                Question::Link { effect, name, purpose, valid_ms } => {
                    self.remember_link(turn, &effect, &name, &purpose, valid_ms);
                    Ok(())
                }
                Question::System { invoke, run, name, input } => {
                    let result = self.system(turn, &name, &input, actor).await?;
                    turn.answer(&invoke, run, "", result.outcome)
                }
            };
            if let Err(Refused::Broken { place, reason }) = answered {
                return Err(Unanswered::Broken { place, reason });
            }
        }
        Ok(())
    }

    /// Sources that are the product's own, run inside the commit.
    async fn system(
        &self,
        turn: &mut Turn<'_>,
        name: &str,
        input: &Value,
        actor: &Actor,
    ) -> Result<CallResult, Refusal> {
        match name {
            "otp.send" => self.send_otp(turn, input, actor).await,
            "otp.verify" => Ok(self.verify_otp(turn, input)),
            other => {
                let message = Some(format!("`system/{other}` does not exist"));
                Ok(CallFailure { message, ..CallFailure::of("unknown_source") }.into())
            }
        }
    }

    /// Of what was asked: equal requests have equal hashes, whatever the order of their fields.
    fn request_hash(&self, words: &[&str], data: &Value) -> i64 {
        let mut text = Vec::with_capacity(1_024);
        for word in words {
            text.extend_from_slice(&word.len().to_be_bytes());
            text.extend_from_slice(word.as_bytes());
        }
        write_canonical(data, &mut text);
        self.inner.keys.number("request", &text)
    }

    /// Whoever repeats a first start has no cookie yet: the session that began with it must still be there.
    async fn repeated_start(
        &self,
        actor: &Actor,
        first: Option<SessionRecord>,
        used: UsedKey,
        body_hash: i64,
    ) -> Result<Sent, Refusal> {
        if let Some(first) = first
            && !self.began_lately(&first.token_hash).await?
        {
            return Err(Refusal::KeyReused);
        }
        self.repeated(actor, used, body_hash).await
    }

    async fn repeated(&self, actor: &Actor, used: UsedKey, body_hash: i64) -> Result<Sent, Refusal> {
        if used.body_hash != body_hash {
            return Err(Refusal::KeyReused);
        }
        Ok(Sent { view: Box::new(self.view(actor, &used.journey).await?), repeated: true })
    }

    async fn stale(&self, actor: &Actor, journey: &str, send: &Send) -> Result<Refusal, Refusal> {
        let (record, actor) = self.mine(actor, Action::See, journey).await?;
        // Answers of other steps are not for who came by a link.
        let theirs = if send.kind == "submit" && actor.came_by.is_none() {
            self.answers_like(&record, &send.data).await?
        } else {
            None
        };
        let view = self.view_of(&actor, record).await?;
        let difference = theirs.map(|theirs| difference(&send.data, &theirs)).unwrap_or_default();
        Ok(Refusal::Stale { view: Box::new(view), difference })
    }

    /// The stored answers of the step to which such data belongs: the shown step's, else the newest of the trail with
    /// these fields.
    async fn answers_like(&self, record: &JourneyRecord, data: &Value) -> Result<Option<Value>, Refusal> {
        let (workflow, Some(sent)) = (self.workflow_of(record).await?, data.as_object()) else { return Ok(None) };
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

    pub(crate) async fn view_of(&self, actor: &Actor, record: JourneyRecord) -> Result<StepView, Refusal> {
        let (workflow, catalog) = (self.workflow_of(&record).await?, self.catalog());
        let id = record.id.clone();
        let turn = Turn::on(&workflow, &catalog, read(record)?, self.now_ms());
        Ok(self.render(&turn, actor, Some(&id)))
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
}

/// How long a reply may wait for a quick call to settle (workflows.md rule 17).
const SETTLE_WAIT: Duration = Duration::from_secs(1);

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
    }
}

/// A page that only waits for a call.
fn waits(view: &StepView) -> bool {
    view.step.kind == StepKind::Wait && !view.step.waits.is_empty()
}

/// A question of a turn that has no answer; the caller knows whose work it was.
pub(crate) enum Unanswered {
    Broken { place: String, reason: String },
    Refused(Refusal),
}

impl<E: Into<Refusal>> From<E> for Unanswered {
    fn from(error: E) -> Self {
        Unanswered::Refused(error.into())
    }
}

/// A person's event on a turn: checked, then fed.
pub(crate) enum Applied {
    Done,
    Invalid(Vec<FieldError>),
}

/// The one place where the type of a person's event is looked at.
pub(crate) fn apply_event(
    turn: &mut Turn<'_>,
    actor: &Actor,
    kind: &str,
    data: &Value,
    seal: &dyn Fn(&str) -> String,
) -> Result<Applied, Refused> {
    match kind {
        "back" => turn.back(actor)?,
        "change" => turn.change(data.get("step").and_then(Value::as_str).unwrap_or_default(), actor)?,
        "save" => turn.save(data, actor)?,
        "submit" => match turn.check_answer(data, actor, seal)? {
            Checked::Good(answer) => turn.submit(answer, actor)?,
            Checked::Wrong(errors) => return Ok(Applied::Invalid(errors)),
        },
        other => match turn.check_event(other, data, actor) {
            None => return Err(Refused::Unselected),
            Some(errors) if !errors.is_empty() => return Ok(Applied::Invalid(errors)),
            Some(_) => turn.accept_event(other, data, actor)?,
        },
    }
    Ok(Applied::Done)
}

pub(crate) fn read(record: JourneyRecord) -> Result<Journey, RuntimeError> {
    let id = record.id.clone();
    Journey::read(record).map_err(|reason| RuntimeError::State { journey: id, reason })
}

fn internal(workflow: &Arc<Workflow>, refused: Refused) -> Refusal {
    let (place, reason) = match refused {
        Refused::Broken { place, reason } => (place, reason),
        Refused::Unselected => (workflow.id.clone(), "the machine did not start".into()),
    };
    Refusal::Internal(Box::new(RuntimeError::Definition { place, reason }))
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
