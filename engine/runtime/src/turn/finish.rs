//! The end of a turn: one commit.

use super::{Journey, Question, Turn};
use crate::actor::Actor;
use crate::fact::Work;
use engine_definitions::SignIn;
use engine_store::{Commit, EffectEnd, EffectKey, IdempotencyKey, NewTimer, WebhookRecord};

/// Who a session is signed in as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignsIn {
    /// Id of a person; `stays`: also when the browser was closed.
    Person { person: String, stays: bool },
    /// Key of one of the staff.
    Staff(String),
    /// Id of the person who is signed in already, and their number from now on.
    Number(String, String),
    /// Id of the person who is signed in already, and their e-mail address from now on.
    Email(String, String),
    /// Nobody: the person is forgotten, with this journey last.
    Forgotten(String),
}

/// The work that a turn does, beside what it changes in the journey: it ends with the turn's commit.
#[derive(Debug, Clone, Default)]
pub enum Ends {
    #[default]
    Nothing,
    /// Key of an effect, with the fence of the lease.
    Effect(EffectKey, i64, EffectEnd),
    Timer(String),
    Webhook(WebhookRecord),
}

impl Ends {
    /// The work that ends with this turn, as an incident names it.
    pub fn work(&self) -> Option<Work> {
        match self {
            Ends::Nothing => None,
            Ends::Effect(key, ..) => Some(Work::Effect(key.clone())),
            Ends::Timer(timer) => Some(Work::Timer(timer.clone())),
            Ends::Webhook(hook) => Some(Work::Webhook(hook.partner.clone(), hook.once.clone())),
        }
    }

    /// Whether the work ends although nothing came of it for the journey.
    pub(crate) fn without_a_fact(&self) -> bool {
        match self {
            Ends::Effect(..) | Ends::Timer(_) => true,
            Ends::Nothing | Ends::Webhook(_) => false,
        }
    }
}

impl Turn<'_> {
    /// What the caller must answer before the turn is over.
    pub fn question(&mut self) -> Option<Question> {
        self.questions.next()
    }

    pub fn has_questions(&self) -> bool {
        !self.questions.is_empty()
    }

    /// Ends this work with the turn.
    pub fn end(&mut self, ends: Ends) {
        self.writes.end(ends);
    }

    /// Somebody wants a timer to fire.
    pub fn due(&mut self, timer: Option<NewTimer>) {
        self.writes.commit.timers.extend(timer);
    }

    /// A person acted, with this key: the time to live starts anew.
    pub fn mark_activity(&mut self, key: IdempotencyKey) {
        self.writes.commit.idempotency = Some(key);
        self.record.expires_at_ms = self.with_scope(|scope| self.workflow.ttl.ms(scope)).map(|ttl| self.now_ms + ttl);
    }

    /// Who the sender's session is to be signed in as: a journey that does so has come to its end, and the number was
    /// verified in it, for the staff a second factor too; or its customer has just shown the number to be theirs.
    pub fn signs_in(&self, sender: &Actor) -> Option<SignsIn> {
        let stays = self.proof.stays;
        let person = || self.record.person.clone().map(|person| SignsIn::Person { person, stays });
        if self.proof.is_person {
            return person();
        }
        let is_shown = self.state.verified && sender.came_by.is_none();
        let ends = !self.is_active();
        match self.workflow.signs_in.filter(|how| is_shown && (ends || *how == SignIn::Number))? {
            SignIn::Person => person(),
            SignIn::Staff => self.state.member.clone().map(SignsIn::Staff),
            SignIn::Number => Some(SignsIn::Number(sender.person()?.to_owned(), self.proof.takes.clone()?)),
            SignIn::Email => Some(SignsIn::Email(sender.person()?.to_owned(), self.proof.takes.clone()?)),
            SignIn::Forget => Some(SignsIn::Forgotten(self.record.id.clone())),
        }
    }

    /// Everything that this turn changed, for the store, and the journey as it is once that is written.
    pub fn commit(mut self) -> Result<(Box<Commit>, Journey), serde_json::Error> {
        self.track_step()?;
        let step = self.step_node();
        if self.record.step != step {
            self.record.step = step.to_owned();
        }
        let Turn { mut writes, mut record, state, answers, mut drafts, .. } = self;
        record.updated_at_ms = self.now_ms;
        let (answers, changed) = answers.finish();
        writes.commit.answers = changed;
        let commit = writes.finish(&record, serde_json::to_string(&state)?, &mut drafts);
        Ok((commit, Journey { record, state, answers, drafts }))
    }
}
