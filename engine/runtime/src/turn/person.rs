//! What a person sends: answers of the step's form and the events that the step accepts.

use super::{Move, Refused, Turn};
use crate::actor::Actor;
use crate::state::Sent;
use engine_definitions::{Audience, FieldError, Workflow};
use engine_statechart::{EvalError, Event};
use engine_store::Draft;
use serde_json::{Map, Value, json};

/// An answer that was checked: normalised, without its secret fields, which stand apart as handles.
pub struct Answer {
    pub data: Value,
    pub secrets: Map<String, Value>,
}

/// What came of checking an answer.
pub enum Checked {
    Good(Answer),
    Wrong(Vec<FieldError>),
}

pub fn audience(actor: &Actor) -> Audience {
    Audience {
        role: actor.role().into(),
        channel: actor.channel.clone(),
        partner: actor.partner.clone(),
        language: actor.language.clone(),
    }
}

/// Fields of the step's form that may be kept before they are an answer: none that is secret.
pub(crate) fn draft_of(workflow: &Workflow, step: &str, mut data: Value) -> Option<Value> {
    let form = workflow.form(workflow.step_by_node(step)?.form.as_deref()?)?;
    let (secrets, known) = (form.secrets(), form.properties());
    data.as_object_mut()?.retain(|key, _| known.contains(key) && !secrets.contains(key));
    Some(data)
}

impl Turn<'_> {
    /// Normalises and validates the data of the shown step's form.
    pub fn check_answer(&self, data: &Value, actor: &Actor, seal: &dyn Fn(&str) -> String) -> Result<Checked, Refused> {
        let step = self.workflow.step(&self.state.snapshot.active);
        let form = step.and_then(|step| Some((step, self.workflow.form(step.form.as_deref()?)?)));
        let Some((step, form)) = form else {
            // A step with only a button: nothing may be sent along.
            return Ok(if data.as_object().is_none_or(|m| m.is_empty()) {
                Checked::Good(Answer { data: json!({}), secrets: Map::new() })
            } else {
                Checked::Wrong(vec![FieldError {
                    pointer: String::new(),
                    code: "unknown".into(),
                    text: "This step takes no answers.".into(),
                }])
            });
        };
        let mut data = data.clone();
        let audience = audience(actor);
        let checked = self.with_step(step, |scope| form.check(&audience, scope, &mut data));
        let errors = checked.map_err(|error| self.broken(&error))?;
        if !errors.is_empty() {
            return Ok(Checked::Wrong(errors));
        }
        let mut secrets = Map::new();
        if let Some(map) = data.as_object_mut() {
            for name in form.secrets() {
                if let Some(value) = map.shift_remove(name) {
                    let plain = value.as_str().map_or_else(|| value.to_string(), str::to_string);
                    secrets.insert(name.clone(), Value::String(seal(&plain)));
                }
            }
        }
        Ok(Checked::Good(Answer { data, secrets }))
    }

    fn broken(&self, error: &EvalError) -> Refused {
        Refused::Broken { place: self.step_node(), reason: error.to_string() }
    }

    /// A checked answer of the shown step (workflows.md rule 2). Refused when no transition takes it: then nothing is
    /// stored.
    pub fn submit(&mut self, answer: Answer, actor: &Actor) -> Result<(), Refused> {
        let step = self.step_node();
        self.state.messages.clear();
        self.answered(actor);
        self.deliver_submit(answer, actor)?;
        self.out.clear_drafts.push(step);
        self.resume()
    }

    fn deliver_submit(&mut self, answer: Answer, actor: &Actor) -> Result<(), Refused> {
        let before = self.step_node();
        let Answer { data, secrets } = answer;
        let consents = self.consents(&before, &data, actor)?;
        let kept = self.put_into(&before, &data, actor)?;
        let hidden: Map<String, Value> = secrets.keys().map(|k| (k.clone(), json!("sealed"))).collect();
        let sealed = !hidden.is_empty();
        let event = self.append("submit", Value::Null, actor);
        let mut submit = Event::new("submit").with("data", data).with("by", actor.by());
        if sealed {
            submit = submit.with("secret", Value::Object(secrets));
        }
        let selected = self.feed(Move::Event(&submit))?;
        // What the machine heard is what the history keeps.
        let mut stored = Map::from_iter(submit.data.remove_entry("data"));
        if sealed {
            stored.insert("secret".into(), Value::Object(hidden));
        }
        self.out.events[event].data = Value::Object(stored);
        if !selected {
            if let Some((into, kept)) = kept {
                super::put_back(&mut self.state.snapshot.context, &into, kept);
            }
            return Err(Refused::Unselected);
        }
        self.state.consents.extend(consents);
        // An answer with secrets cannot be sent again: the person is asked again.
        let sent = (!sealed).then(|| Sent { kind: "submit".into(), seq: self.seq });
        self.moved(&before, sent);
        self.revision += 1;
        Ok(())
    }

    /// `context.<into>` = the old value minus what this actor could see, plus what was submitted. Gives the old value,
    /// and where it stood, for an answer that is not taken.
    fn put_into(
        &mut self,
        node: &str,
        data: &Value,
        actor: &Actor,
    ) -> Result<Option<(String, Option<Value>)>, Refused> {
        let Some(step) = self.workflow.step_by_node(node) else { return Ok(None) };
        let (Some(into), Some(form)) = (&step.into, step.form.as_deref().and_then(|f| self.workflow.form(f))) else {
            return Ok(None);
        };
        let visible =
            self.with_step(step, |scope| form.fields(&audience(actor), scope)).map_err(|error| self.broken(&error))?;
        let Some(new) = data.as_object() else { return Ok(None) };
        self.state.count_rows(into, new);
        let context = &mut self.state.snapshot.context;
        let kept = super::get_path(context, into).cloned();
        visible.replace(super::map_at(context, into), new.clone());
        Ok(Some((into.clone(), kept)))
    }

    /// What this answer agrees to, and what it no longer agrees to: the consents that this actor was shown.
    fn consents(&self, node: &str, data: &Value, actor: &Actor) -> Result<Vec<(String, bool)>, Refused> {
        let step = self.workflow.step_by_node(node);
        let form = step.and_then(|step| Some((step, self.workflow.form(step.form.as_deref()?)?)));
        let asked = form.map(|(step, form)| (step, form, form.consents()));
        let Some((step, form, fields)) = asked.filter(|(_, _, fields)| !fields.is_empty()) else {
            return Ok(Vec::new());
        };
        let visible =
            self.with_step(step, |scope| form.fields(&audience(actor), scope)).map_err(|error| self.broken(&error))?;
        let given = |field: &String| data.get(field) == Some(&Value::Bool(true));
        let shown = fields.iter().filter(|(field, _)| visible.contains(field));
        Ok(shown.flat_map(|(field, purposes)| purposes.iter().map(move |p| (p.clone(), given(field)))).collect())
    }

    /// What was typed so far is kept, without a check and without its secret fields; the history says only that it was.
    pub fn save(&mut self, data: &Value, actor: &Actor) -> Result<(), Refused> {
        if self.asked("save", data.clone(), actor)? {
            return Ok(());
        }
        self.append("save", Value::Null, actor);
        let step = self.step_node();
        if let Some(data) = draft_of(self.workflow, &step, data.clone()) {
            self.out.typed.push(Draft { journey: self.journey.clone(), step, data, at_ms: self.now_ms });
        }
        Ok(())
    }

    /// Checks the payload of an event that the step accepts; `None` when it does not accept this type from this actor.
    pub fn check_event(&self, kind: &str, data: &Value, actor: &Actor) -> Option<Vec<FieldError>> {
        let accept = self.workflow.step(&self.state.snapshot.active)?.accepts.get(kind)?;
        let allowed = accept.by.is_empty() || accept.by.iter().any(|role| actor.roles.contains(role));
        allowed.then(|| accept.validate(data))
    }

    /// A checked event that the shown step accepts; its payload stands only in `event.data`.
    pub fn accept_event(&mut self, kind: &str, data: &Value, actor: &Actor) -> Result<(), Refused> {
        self.state.messages.clear();
        self.answered(actor);
        self.deliver_event(kind, data, actor)?;
        self.resume()
    }

    fn deliver_event(&mut self, kind: &str, data: &Value, actor: &Actor) -> Result<(), Refused> {
        let before = self.step_node();
        self.append(kind, json!({"data": data}), actor);
        let seq = self.seq;
        let event = Event::new(kind).with("data", data.clone()).with("by", actor.by());
        if !self.feed(Move::Event(&event))? {
            return Err(Refused::Unselected);
        }
        self.moved(&before, Some(Sent { kind: kind.into(), seq }));
        self.revision += 1;
        Ok(())
    }

    /// The answer of a later step, once more, when it still is a good one.
    pub(super) fn send_again(&mut self, kind: &str, data: &Value, actor: &Actor) -> Result<(), Refused> {
        if kind != "submit" {
            return match self.check_event(kind, data, actor) {
                Some(errors) if errors.is_empty() => self.deliver_event(kind, data, actor),
                _ => Err(Refused::Unselected),
            };
        }
        match self.check_answer(data, actor, &|_| String::new()) {
            Ok(Checked::Good(answer)) => self.deliver_submit(answer, actor),
            Ok(Checked::Wrong(_)) | Err(_) => Err(Refused::Unselected),
        }
    }
}
