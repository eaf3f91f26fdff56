//! One turn: everything that one event changes, decided in memory and without I/O.
//!
//! A turn starts from a stored journey, is told what happened ([`Turn::apply`] is the only way in), and ends as one
//! [`engine_store::Commit`], which it fills as it goes. What needs the store on the way (one-time passwords, reusable
//! replies, an answer that is sent once more) is asked by [`Turn::question`]; the caller answers it and the turn goes
//! on. This is the only place where a stored journey meets the statechart.

mod answers;
mod apply;
mod assisted;
mod calls;
mod cover;
mod effects;
mod explain;
mod external_events;
mod finish;
mod helped;
mod person;
mod questions;
mod replay;
mod tracking;
mod trail;
mod writes;

pub(crate) use cover::Cover;
pub use effects::quiet;
pub(crate) use effects::write_canonical;
pub use explain::{Explained, explain};
pub use finish::{Ends, SignsIn};
pub(crate) use helped::{HELP, HELPS_MS, INVITE};
pub(crate) use person::draft_of;
pub use person::{Answer, Checked};
pub use questions::Question;
pub use replay::{ReplayError, differences, replay};

use crate::actor::Actor;
use crate::clock::rfc3339;
use crate::fact::{Fact, Work};
use crate::state::{JourneyState, OpenOtp};
use crate::uploads::Files;
use answers::{Answers, Rows};
use engine_definitions::{Catalog, FormFields, Now, OnDemand, ProductHost, Step, Workflow};
use engine_statechart::expression::Memory;
use engine_statechart::{Env, Event, Host, Outcome, Scope, Spoken};
use engine_store::{CountedSend, Draft, JourneyRecord, JourneyStatus, NewEvent, NewJourney, SendHistory};
use questions::Questions;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use tokio::sync::OwnedMutexGuard;
use writes::Writes;

/// Why an event was not taken; nothing of the turn may be committed.
#[derive(Debug)]
pub enum Refused {
    /// No transition was selected.
    Unselected,
    /// The definition failed on it: becomes an incident.
    Broken { place: String, reason: String },
}

impl From<serde_json::Error> for Refused {
    /// What happened cannot be written down.
    fn from(error: serde_json::Error) -> Refused {
        Refused::Broken { place: "history".into(), reason: error.to_string() }
    }
}

/// A journey at rest: its row, with state, answers and drafts as the turn uses them. Boxed, since it goes from hand to
/// hand.
#[derive(Debug, Clone)]
pub struct Journey {
    /// `state`, `answers` and `drafts` stand beside it.
    pub record: Box<JourneyRecord>,
    pub state: Box<JourneyState>,
    answers: Rows,
    drafts: Vec<Draft>,
}

impl Journey {
    /// Fails only on a state that this program cannot read.
    pub fn read(mut record: JourneyRecord) -> Result<Journey, String> {
        let state = serde_json::from_str(&std::mem::take(&mut record.state)).map_err(|e| e.to_string())?;
        let mut answers = Rows::new();
        for row in std::mem::take(&mut record.answers) {
            answers.entry(row.into).or_default().insert(row.key, row.value);
        }
        let drafts = std::mem::take(&mut record.drafts);
        Ok(Journey { record: Box::new(record), state, answers, drafts })
    }

    fn new(id: &str, new: &NewJourney, now_ms: i64) -> Journey {
        let record = JourneyRecord {
            id: id.into(),
            workflow: new.workflow.clone(),
            version: new.version.clone(),
            revision: 1,
            seq: 0,
            status: JourneyStatus::Active,
            step: String::new(),
            state: String::new(),
            owner: new.owner.clone(),
            person: None,
            language: new.language.clone(),
            channel: new.channel.clone(),
            attribution: new.attribution.clone(),
            created_at_ms: now_ms,
            updated_at_ms: now_ms,
            expires_at_ms: None,
            answers: Vec::new(),
            drafts: Vec::new(),
            keys: String::new(),
        };
        let state = Box::new(JourneyState { since_ms: now_ms, ..JourneyState::default() });
        Journey { record: Box::new(record), state, answers: Rows::new(), drafts: Vec::new() }
    }
}

#[derive(Clone)]
pub struct Turn<'w> {
    pub workflow: &'w Workflow,
    pub catalog: &'w Catalog,
    pub now_ms: i64,
    /// Time of the turn for expressions.
    now: Now,
    /// The journey's row as this turn leaves it; `step` is that of the beginning until the end.
    pub record: Box<JourneyRecord>,
    pub state: Box<JourneyState>,
    answers: Answers,
    /// What was being typed before this turn.
    drafts: Vec<Draft>,
    /// `journey` of expressions, once one has asked for it.
    meta: OnceLock<Value>,
    questions: Questions,
    /// The state to which the transition that was just taken leads back.
    resumes: Option<String>,
    /// Hears of the values that are worked out, when a history is explained.
    listener: Option<&'w dyn Host>,
    /// The fields of the shown step's form as its sender sees them; of the context as it is now.
    fields: Option<FormFields>,
    /// Files of the journey, where the shown step asks for some.
    pub(crate) files: Option<Files>,
    /// Who pressed what is being followed; `None` where nobody pressed anything.
    presser: Option<String>,
    pub(crate) proof: Proof,
    /// While it sends: until its commit nobody else on this node does.
    pub(crate) sending: Option<Arc<OwnedMutexGuard<()>>>,
    writes: Writes,
}

/// What the sender has shown to be theirs with this event, for the session that follows.
#[derive(Clone, Default)]
pub(crate) struct Proof {
    /// Whose the journey's number is.
    pub is_person: bool,
    /// The sender calls the device their own.
    pub stays: bool,
    /// The number, or the e-mail address, that becomes that of who is signed in.
    pub takes: Option<String>,
}

/// How the machine is moved.
enum Move<'a> {
    Event(&'a Event),
    Timer(&'a str),
    Jump { from: &'a str, to: &'a str },
}

impl OnDemand for Turn<'_> {
    /// `assisted_by` is empty for nobody.
    fn variable(&self) -> &Value {
        self.meta.get_or_init(|| {
            let (record, assisted) = (&self.record, self.state.assisted.as_ref());
            json!({
                "id": record.id, "workflow": self.workflow.id, "version": self.workflow.version,
                "channel": record.channel, "language": record.language, "verified": self.state.verified,
                "attribution": record.attribution,
                "assisted_by": assisted.map_or("", |assisted| &assisted.role),
                "skips_otp": assisted.is_some_and(|assisted| assisted.skips_otp),
                "visit": visit(&record.owner),
            })
        })
    }
}

/// Names the browser's session to partners, and opens nothing: it cannot be turned back.
fn visit(owner: &str) -> String {
    use sha2::Digest;
    let digest = hex::encode(sha2::Sha256::digest(format!("visit\n{owner}")));
    digest.get(..32).unwrap_or_default().to_owned()
}

impl<'w> Turn<'w> {
    /// A turn on a stored journey.
    pub fn on(workflow: &'w Workflow, catalog: &'w Catalog, journey: Journey, now_ms: i64) -> Self {
        let Journey { record, state, answers, drafts } = journey;
        Turn {
            workflow,
            catalog,
            now_ms,
            now: workflow.now(now_ms),
            writes: Writes::on(&record),
            record,
            state,
            answers: Answers::on(answers),
            drafts,
            meta: OnceLock::new(),
            questions: Questions::default(),
            resumes: None,
            listener: None,
            fields: None,
            files: None,
            presser: None,
            proof: Proof::default(),
            sending: None,
        }
    }

    /// A new journey: the machine's initial macrostep is its first event.
    pub fn begin(
        workflow: &'w Workflow,
        catalog: &'w Catalog,
        id: &str,
        new: NewJourney,
        actor: &Actor,
        now_ms: i64,
    ) -> Result<Self, Refused> {
        let mut turn = Turn::on(workflow, catalog, Journey::new(id, &new, now_ms), now_ms);
        turn.writes.begin(new);
        let begun = turn.assisted_by(actor).map_or(Fact::Started, Fact::StartedFor);
        turn.happen(begun, actor)?;
        Ok(turn)
    }

    pub fn id(&self) -> &str {
        &self.record.id
    }

    pub fn is_active(&self) -> bool {
        self.record.status == JourneyStatus::Active
    }

    /// Id of the shown step's state, or of the machine when no step is declared.
    pub fn step_node(&self) -> &'w str {
        let step = self.workflow.step(&self.state.snapshot.active);
        step.map_or_else(|| self.workflow.machine.id(), |step| &step.node)
    }

    /// The context as expressions see it: with the answers of fan-outs.
    pub fn context(&self) -> Cow<'_, Map<String, Value>> {
        let context = &self.state.snapshot.context;
        if self.answers.is_empty() {
            return Cow::Borrowed(context);
        }
        let mut context = context.clone();
        self.answers.lay_into(&mut context);
        Cow::Owned(context)
    }

    /// Who acts: whose number this turn has just proved, or else who is signed in.
    pub(crate) fn person_of<'a>(&'a self, actor: &'a Actor) -> Option<&'a str> {
        self.record.person.as_deref().filter(|_| self.proof.is_person).or(actor.person())
    }

    /// What this actor is typing on the shown step.
    pub fn draft(&self, actor: &Actor) -> Option<&Draft> {
        self.writes.draft(&self.drafts, &self.draft_key(self.step_node(), actor))
    }

    /// While replaying, time is that of the events.
    fn set_now(&mut self, now_ms: i64) {
        self.now_ms = now_ms;
        self.now = self.workflow.now(now_ms);
    }

    /// Steps the machine; on success its effects are orders in this turn.
    fn feed(&mut self, to: Move) -> Result<bool, Refused> {
        // Unless something is selected it comes back as it was.
        let mut snapshot = match to {
            Move::Event(_) | Move::Timer(_) => std::mem::take(&mut self.state.snapshot),
            Move::Jump { .. } => self.state.snapshot.clone(),
        };
        self.answers.lay_into(&mut snapshot.context);
        let machine = &self.workflow.machine;
        let outcome = self.with_env(|env| match to {
            Move::Event(event) => Some(engine_statechart::step(machine, snapshot, event, env)),
            Move::Timer(id) => Some(engine_statechart::fire(machine, snapshot, id, env)),
            Move::Jump { from, to } => engine_statechart::jump(machine, snapshot, from, to, env),
        });
        match outcome {
            Some(outcome) => self.accept(outcome),
            None => Ok(false),
        }
    }

    fn accept(&mut self, outcome: Outcome) -> Result<bool, Refused> {
        self.fields = None;
        let mut snapshot = outcome.snapshot;
        self.answers.take_from(&mut snapshot.context);
        self.state.snapshot = snapshot;
        if let Some(error) = outcome.error {
            return Err(Refused::Broken { place: self.step_node().to_owned(), reason: error.to_string() });
        }
        if self.state.snapshot.status == engine_statechart::Status::Done {
            self.record.status = JourneyStatus::Done;
        }
        self.order(outcome.effects)?;
        Ok(outcome.selected)
    }

    /// Number of an event that begins: what it orders is counted from it.
    fn next_event(&mut self) {
        self.record.seq += 1;
        self.writes.next_event();
    }

    /// Into the history; the last one that began.
    fn record_fact(&mut self, fact: Fact, by: &Actor) -> Result<(), Refused> {
        let (kind, data) = fact.into_row()?;
        let by = by.stored_by(&self.record.owner);
        self.writes.commit.events.push(NewEvent { kind, data, by, at_ms: self.now_ms });
        Ok(())
    }

    pub(crate) fn count_send(&mut self, send: CountedSend) {
        self.writes.commit.sends.push(send);
    }

    /// What this turn itself sends to a recipient is the newest of its sends.
    pub(crate) fn add_own_sends(&self, recipient: &str, history: &mut SendHistory) {
        for send in self.writes.commit.sends.iter().filter(|send| send.recipient == recipient) {
            history.latest.insert(0, (send.number, self.now_ms));
        }
    }

    pub(crate) fn incident(&mut self, place: &str, reason: &str, detail: Value) {
        let detail = Work::beside(detail, self.writes.work().as_ref());
        self.report(crate::clock::new_id(), (place, reason, detail));
    }

    /// A turn on this journey failed: only that is kept, and the tries of passwords that it made.
    pub(crate) fn fail(
        &mut self,
        incident: &str,
        place: &str,
        reason: &str,
        detail: Value,
        tried: &BTreeMap<String, OpenOtp>,
    ) -> Result<(), Refused> {
        self.report(incident.into(), (place, reason, detail));
        let tries = self.state.fewer_tries(tried);
        let fact = Fact::Failed { incident: incident.into(), place: place.into(), tries };
        self.apply(fact, &Actor::system()).map(drop)
    }

    fn report(&mut self, id: String, what: (&str, &str, Value)) {
        self.writes.incident(id, &self.workflow.version, self.now_ms, what);
    }

    /// Evaluates expressions of the workflow outside of a macrostep (views, `depends`, `satisfied`).
    pub(crate) fn with_scope<T>(&self, read: impl FnOnce(&Scope) -> T) -> T {
        let (context, memory) = (self.context(), Memory::new());
        self.with_host(|host| read(&Scope::new().with_host(host).with_context(&context).with_memory(&memory)))
    }

    /// Evaluates expressions of a step's form and view, which use the values of the flow or part that the step is in.
    pub(crate) fn with_step<T>(&self, step: &Step, read: impl FnOnce(&Scope) -> T) -> T {
        self.with_scope(|scope| read(&scope.clone().with_names(step.names())))
    }

    /// What expressions can call, with the tables and words of another language.
    pub(crate) fn host_in<'t>(&'t self, words: &'t Workflow) -> ProductHost<'t> {
        words.host(&self.now, self, self.catalog)
    }

    /// A host for pages of the site at the moment of this turn.
    pub(crate) fn page_host<'t>(&'t self, language: &'t str) -> ProductHost<'t> {
        self.catalog.host_in(language, &self.now)
    }

    /// What the machine works with. What a message tells, on the page or to a phone, is said in the journey's language;
    /// everything else that is kept is in the flow's own.
    fn with_env<T>(&self, read: impl FnOnce(&Env) -> T) -> T {
        let words = self.workflow.in_language(&self.record.language);
        let speaks = ProductHost { extra: self.listener, ..self.host_in(words) };
        let spoken = Spoken { kinds: &TOLD, machine: &words.machine, host: &speaks };
        let spoken = (!std::ptr::eq(words, self.workflow)).then_some(spoken);
        self.with_host(|host| read(&Env { now_ms: self.now_ms, host, spoken }))
    }

    fn with_host<T>(&self, read: impl FnOnce(&ProductHost) -> T) -> T {
        let host = self.workflow.host(&self.now, self, self.catalog);
        read(&ProductHost { extra: self.listener, ..host })
    }

    pub(crate) fn now_text(&self) -> String {
        rfc3339(self.now_ms)
    }
}

/// Actions that tell a customer something in words of the moment.
const TOLD: [&str; 2] = ["message", "notify"];

/// The map at a dotted path of the context, made where it is missing.
fn map_at<'m>(context: &'m mut Map<String, Value>, path: &str) -> &'m mut Map<String, Value> {
    let mut map = context;
    for part in path.split('.') {
        let slot = map.entry(part.to_string()).or_insert_with(|| json!({}));
        if !slot.is_object() {
            *slot = json!({});
        }
        let Value::Object(inner) = slot else { unreachable!("made an object above") };
        map = inner;
    }
    map
}

fn set_path(context: &mut Map<String, Value>, path: &str, value: Value) {
    match path.rsplit_once('.') {
        Some((parent, name)) => drop(map_at(context, parent).insert(name.into(), value)),
        None => drop(context.insert(path.into(), value)),
    }
}

/// Undoes a change at a dotted path; what was not there goes.
fn put_back(context: &mut Map<String, Value>, path: &str, kept: Option<Value>) {
    match (kept, path.rsplit_once('.')) {
        (Some(value), _) => set_path(context, path, value),
        (None, Some((parent, name))) => drop(map_at(context, parent).shift_remove(name)),
        (None, None) => drop(context.shift_remove(path)),
    }
}

pub(crate) fn get_path<'m>(context: &'m Map<String, Value>, path: &str) -> Option<&'m Value> {
    let mut parts = path.split('.');
    let first = context.get(parts.next()?)?;
    parts.try_fold(first, |value, part| value.get(part))
}
