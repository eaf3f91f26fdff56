//! The consequence of each fact. What happens now and what is played again from the history take the same way: whatever
//! is decided besides (is it a good answer, is it still awaited, what does the store say) is decided before.

use super::assisted::BY_HELPER;
use super::{Move, Refused, Turn};
use crate::actor::{Actor, OPERATOR, SYSTEM};
use crate::fact::{Awaited, Fact};
use crate::state::{Leave, Resume};
use engine_definitions::{CONSENT, FormFields};
use engine_statechart::Event;
use engine_store::{JourneyStatus, Kept, NewRecord};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Where an answer stood in the context, and what stood there before.
type Replaced = Option<(String, Option<Value>)>;

impl Turn<'_> {
    /// A fact of this moment, and those that follow from it by themselves. Whether anything took it.
    pub(super) fn happen(&mut self, fact: Fact, by: &Actor) -> Result<bool, Refused> {
        let taken = self.apply(fact, by)?;
        while let Some(invoke) = self.all_answered() {
            self.apply(Fact::AllAnswered { invoke }, &Actor::system())?;
        }
        Ok(taken)
    }

    /// The one way in: gives a fact its consequence and writes it into the history. Whether anything took it. After an
    /// error the turn is of no use any more.
    pub fn apply(&mut self, fact: Fact, by: &Actor) -> Result<bool, Refused> {
        self.questions.stay();
        self.next_event();
        self.presser = self.presser_of(&fact, by);
        let before = self.step_node();
        let (fact, taken) = match fact {
            Fact::Started | Fact::StartedFor(_) => {
                if let Fact::StartedFor(assisted) = &fact {
                    self.state.assisted = Some(assisted.clone());
                    self.meta.take();
                }
                let machine = &self.workflow.machine;
                let outcome = self.with_env(|env| engine_statechart::start(machine, env));
                (fact, self.accept(outcome)?)
            }
            Fact::Invited { code } => {
                self.record_invitation(&code);
                (Fact::Invited { code }, true)
            }
            Fact::Helped { role, name, until_ms } => {
                self.record_helper(&role, &name, until_ms);
                (Fact::Helped { role, name, until_ms }, true)
            }
            Fact::HelperLeft => {
                self.helper_left();
                (Fact::HelperLeft, true)
            }
            Fact::HelpEnded => {
                self.help_ended();
                (Fact::HelpEnded, true)
            }
            Fact::Submitted { data, secret, again, kept } => {
                (self.submit_fact((data, secret), (again, kept), by)?, true)
            }
            Fact::Sent { event, data, again } => (self.event_fact(event, data, again, by)?, true),
            Fact::Saved { data } => match self.ask("save", data, by)? {
                Some(data) => (Fact::Saved { data }, true),
                None => (Fact::Saved { data: Value::Null }, false),
            },
            Fact::WentBack => (self.went_back(by)?, true),
            Fact::Changed { step } => (self.change_fact(step, by)?, true),
            Fact::Received { event, data } => self.external_fact(event, data)?,
            Fact::Noted { record, key, data } => {
                let (kind, told) = (record.clone(), Value::Object(data.clone()));
                let kept = self.retention(&kind);
                self.writes.commit.records.push(NewRecord { kind, key: key.clone(), data: told, kept });
                (Fact::Noted { record, key, data }, true)
            }
            Fact::TimerFired { timer } => {
                let taken = self.feed(Move::Timer(&timer))?;
                self.moved_by_itself(before);
                (Fact::TimerFired { timer }, taken)
            }
            Fact::CallEnded { invoke, result } => {
                let taken = self.call_ended(&invoke, &result)?;
                (Fact::CallEnded { invoke, result }, taken)
            }
            Fact::Answered { invoke, key, result, given_ms } => {
                let taken = self.record_answer(&invoke, &key, &result, given_ms)?;
                (Fact::Answered { invoke, key, result, given_ms }, taken)
            }
            Fact::AllAnswered { invoke } => {
                let taken = self.all_are_answered(&invoke)?;
                (Fact::AllAnswered { invoke }, taken)
            }
            // Kept, without a consequence for the machine.
            dropped @ Fact::Dropped { .. } => (dropped, false),
            Fact::Retried { work, awaited } => {
                let taken = awaited.as_ref().is_some_and(|call| self.await_again(call));
                (Fact::Retried { work, awaited }, taken)
            }
            Fact::Withheld { message } => {
                self.withheld(&message)?;
                self.moved_by_itself(before);
                (Fact::Withheld { message }, true)
            }
            Fact::Withdrew { purpose, text, given_at } => {
                self.state.consents.insert(purpose.clone(), false);
                let said = json!({"purpose": purpose, "given": false, "text": text, "given_at": given_at});
                self.writes.commit.records.push(consent(&purpose, said));
                (Fact::Withdrew { purpose, text, given_at }, true)
            }
            Fact::AgreedAgain { purpose, text } => {
                self.agree(vec![ConsentAnswer { purpose: purpose.clone(), given: true, text: text.clone() }]);
                (Fact::AgreedAgain { purpose, text }, true)
            }
            Fact::Expired => {
                let taken = self.ask("expire", Value::Null, by)?.is_some();
                if !taken {
                    self.record.status = JourneyStatus::Expired;
                    self.record.revision += 1;
                }
                (Fact::Expired, taken)
            }
            Fact::LedAway { step, url } => {
                self.state.leave = Some(Leave { step: step.clone(), url: url.clone(), seq: self.record.seq });
                (Fact::LedAway { step, url }, true)
            }
            Fact::Failed { incident, place, tries } => {
                self.set_tries(&tries);
                (Fact::Failed { incident, place, tries }, false)
            }
        };
        let goes_on = self.goes_on_after(&fact, before);
        self.record_fact(fact, by)?;
        if goes_on {
            self.way_forward();
        }
        Ok(taken)
    }

    /// Whose press a fact is or follows from: a person's own, or that with which a call began.
    fn presser_of(&self, fact: &Fact, by: &Actor) -> Option<String> {
        match fact {
            Fact::CallEnded { invoke, .. } | Fact::Answered { invoke, .. } | Fact::AllAnswered { invoke } => {
                self.state.runs.get(invoke)?.presser.clone()
            }
            _ => (![SYSTEM, OPERATOR].contains(&by.kind.as_str())).then(|| by.id.clone()),
        }
    }

    /// After a change the way may go on by itself.
    fn goes_on_after(&self, fact: &Fact, before: &str) -> bool {
        match fact {
            // Sent once more without a move: it is not sent for ever.
            Fact::Submitted { again: true, .. } | Fact::Sent { again: true, .. } => self.step_node() != before,
            Fact::Submitted { .. }
            | Fact::Sent { .. }
            | Fact::Received { .. }
            | Fact::TimerFired { .. }
            | Fact::CallEnded { .. }
            | Fact::Answered { .. }
            | Fact::Withheld { .. }
            | Fact::AllAnswered { .. } => true,
            Fact::Started
            | Fact::StartedFor(_)
            | Fact::Invited { .. }
            | Fact::Helped { .. }
            | Fact::HelperLeft
            | Fact::HelpEnded
            | Fact::Saved { .. }
            | Fact::WentBack
            | Fact::Changed { .. }
            | Fact::Dropped { .. }
            | Fact::Noted { .. }
            | Fact::Retried { .. }
            | Fact::Withdrew { .. }
            | Fact::AgreedAgain { .. }
            | Fact::Expired
            | Fact::LedAway { .. }
            | Fact::Failed { .. } => false,
        }
    }

    /// Refused when no transition takes it: then nothing is stored.
    fn submit_fact(
        &mut self,
        (data, secret): (Value, Map<String, Value>),
        (again, kept): (bool, bool),
        by: &Actor,
    ) -> Result<Fact, Refused> {
        let before = self.step_node();
        if !again {
            self.state.messages.clear();
            self.goes_on_for(by);
        }
        let fields = self.fields_of_answer(by)?;
        let consents = self.consents(before, fields.as_ref(), &data);
        let replaced = self.put_into(before, fields.as_ref(), &data);
        let hidden: Map<String, Value> = secret.keys().map(|k| (k.clone(), json!("sealed"))).collect();
        let mut event = Event::new("submit").with("data", data).with("by", by.by());
        if !hidden.is_empty() {
            event = event.with("secret", Value::Object(secret));
        }
        if !self.feed(Move::Event(&event))? {
            if let Some((into, old)) = replaced {
                super::put_back(&mut self.state.snapshot.context, &into, old);
            }
            return Err(Refused::Unselected);
        }
        self.agree(consents);
        self.note_who_answered(before, by, kept);
        // An answer with secrets cannot be sent again: the person is asked again.
        let sent = hidden.is_empty().then_some(self.record.seq);
        self.moved_by_person(before, sent);
        if !again {
            self.writes.commit.clear_drafts.extend([before.to_owned(), format!("{before}{BY_HELPER}")]);
        }
        // What the machine heard is what the history keeps.
        let data = event.data.shift_remove("data").unwrap_or_default();
        Ok(Fact::Submitted { data, secret: hidden, again, kept })
    }

    fn event_fact(&mut self, kind: String, data: Value, again: bool, by: &Actor) -> Result<Fact, Refused> {
        let before = self.step_node();
        if !again {
            self.state.messages.clear();
            self.goes_on_for(by);
        }
        let mut event = Event::new(kind).with("data", data).with("by", by.by());
        if !self.feed(Move::Event(&event))? {
            return Err(Refused::Unselected);
        }
        self.moved_by_person(before, Some(self.record.seq));
        let data = event.data.shift_remove("data").unwrap_or_default();
        Ok(Fact::Sent { event: event.kind, data, again })
    }

    /// Lets the machine answer a built-in event itself, when an active state names it exactly; gives the data back.
    fn ask(&mut self, kind: &str, data: Value, by: &Actor) -> Result<Option<Value>, Refused> {
        if !self.names(kind) {
            return Ok(None);
        }
        let before = self.step_node();
        let mut event = Event::new(kind).with("data", data).with("by", by.by());
        if !self.feed(Move::Event(&event))? {
            return Ok(None);
        }
        self.moved_by_person(before, None);
        Ok(event.data.shift_remove("data"))
    }

    fn went_back(&mut self, by: &Actor) -> Result<Fact, Refused> {
        if self.ask("back", Value::Null, by)?.is_none() {
            let Some(target) = self.state.trail.last().map(|e| e.node.clone()) else { return Err(Refused::Unselected) };
            self.state.resume = None;
            self.jump(&target)?;
        }
        Ok(Fact::WentBack)
    }

    /// Remembers where from.
    fn change_fact(&mut self, step: String, by: &Actor) -> Result<Fact, Refused> {
        if self.ask("change", json!({"step": step}), by)?.is_none() {
            let position = self.state.trail.iter().position(|e| e.node == step).ok_or(Refused::Unselected)?;
            let (goal, later) = (self.step_node().to_owned(), self.state.trail[position + 1..].to_vec());
            self.jump(&step)?;
            self.state.resume = Some(Resume { goal, at: step.clone(), later, by: Some(by.clone()) });
        }
        Ok(Fact::Changed { step })
    }

    /// A journey that is over keeps it only.
    fn external_fact(&mut self, kind: String, data: Map<String, Value>) -> Result<(Fact, bool), Refused> {
        if !self.is_active() {
            return Ok((Fact::Received { event: kind, data }, false));
        }
        let before = self.step_node();
        let mut event = Event::new(kind);
        event.data = data;
        let taken = self.feed(Move::Event(&event))?;
        self.moved_by_itself(before);
        Ok((Fact::Received { event: event.kind, data: event.data }, taken))
    }

    fn await_again(&mut self, call: &Awaited) -> bool {
        let run = self.state.runs.get_mut(&call.invoke).filter(|run| run.seq == call.run);
        run.map(|run| run.open.insert(call.key.clone(), call.index)).is_some()
    }

    fn set_tries(&mut self, tries: &BTreeMap<String, i32>) {
        for (purpose, left) in tries {
            if let Some(open) = self.state.otps.get_mut(purpose) {
                open.left = *left;
            }
        }
    }

    /// A person's event moves the revision in any case.
    fn moved_by_person(&mut self, before: &str, sent: Option<i64>) {
        self.record_move(before, sent);
        self.record.revision += 1;
    }

    /// A change of step moves the revision, whoever caused it.
    pub(super) fn moved_by_itself(&mut self, before: &str) {
        self.record_move(before, None);
        if self.step_node() != before && !self.writes.has_moved(&self.record) {
            self.record.revision += 1;
        }
    }

    /// `context.<into>` = the old value minus what this actor could see, plus what was submitted.
    fn put_into(&mut self, node: &str, fields: Option<&FormFields>, data: &Value) -> Replaced {
        let into = self.workflow.step_by_node(node)?.into.as_ref()?;
        let (fields, new) = (fields?, data.as_object()?);
        self.state.count_rows(into, new);
        let context = &mut self.state.snapshot.context;
        let old = super::get_path(context, into).cloned();
        fields.replace(super::map_at(context, into), new.clone());
        Some((into.clone(), old))
    }

    /// What this answer agrees to, and what it no longer agrees to: the consents that this actor was shown.
    fn consents(&self, node: &str, fields: Option<&FormFields>, data: &Value) -> Vec<ConsentAnswer> {
        let step = self.workflow.step_by_node(node);
        let form = step.and_then(|step| self.workflow.form(step.form.as_deref()?));
        let (Some(form), Some(fields)) = (form, fields) else { return Vec::new() };
        let mut all = Vec::new();
        for (field, purposes) in form.consents().iter().filter(|(field, _)| fields.contains(field)) {
            let (given, text) = (data.get(field) == Some(&Value::Bool(true)), fields.title(field));
            all.extend(purposes.iter().map(|purpose| ConsentAnswer {
                purpose: purpose.clone(),
                given,
                text: text.clone(),
            }));
        }
        all
    }

    /// Records what the person agrees to, with the words that they saw, and the end of it.
    fn agree(&mut self, said: Vec<ConsentAnswer>) {
        for ConsentAnswer { purpose, given, text } in said {
            let before = self.state.consents.insert(purpose.clone(), given);
            if given || before == Some(true) {
                let language = &self.record.language;
                let said = json!({"purpose": purpose, "given": given, "text": text, "language": language});
                self.writes.commit.records.push(consent(&purpose, said));
            }
        }
    }
}

/// What an answer says of a consent that its form asked for.
struct ConsentAnswer {
    purpose: String,
    given: bool,
    /// Text of the consent as the form showed it.
    text: String,
}

fn consent(purpose: &str, data: Value) -> NewRecord {
    NewRecord { kind: CONSENT.into(), key: purpose.into(), data, kept: Kept::ByLaw }
}
