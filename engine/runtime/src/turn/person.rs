//! What a person sends: answers of the step's form and the events that the step accepts. Checked here, before they are
//! facts.

use super::{Refused, Turn, get_path};
use crate::actor::{Actor, SYSTEM};
use crate::fact::Fact;
use crate::uploads::misfits;
use engine_definitions::{FieldError, Form, FormFields, Step, Workflow};
use engine_statechart::EvalError;
use engine_store::Draft;
use serde_json::{Map, Value, json};

/// An answer that was checked: normalised, without its secret fields, which stand apart as handles.
pub struct Answer {
    pub data: Value,
    pub secrets: Map<String, Value>,
    /// Whether something of it was sent as it was shown covered: who sent it has not written that, and does not see it.
    pub kept: bool,
}

/// What came of checking an answer.
pub enum Checked {
    Good(Answer),
    Wrong(Vec<FieldError>),
}

/// Fields of the step's form that may be kept before they are an answer: none that is secret.
pub(crate) fn draft_of(workflow: &Workflow, step: &str, mut data: Value) -> Option<Value> {
    let form = workflow.form(workflow.step_by_node(step)?.form.as_deref()?)?;
    let (secrets, known) = (form.secrets(), form.properties());
    data.as_object_mut()?.retain(|key, _| known.contains(key) && !secrets.contains(key));
    Some(data)
}

impl<'w> Turn<'w> {
    /// Mobile numbers that stand where the first one was asked for, as they were typed.
    pub(crate) fn typed_numbers(&self) -> Vec<String> {
        let context = self.context();
        let numbers = |step: &Step, data: &Value| -> Vec<String> {
            let form = step.form.as_deref().and_then(|form| self.workflow.form(form));
            let names = form.into_iter().flat_map(|form| form.personal()).filter(|(_, kind)| *kind == "mobile");
            names.filter_map(|(name, _)| data.get(name)?.as_str()).map(str::to_owned).collect()
        };
        let steps = self.state.trail.iter().filter_map(|entry| self.workflow.step_by_node(&entry.node));
        let answered = steps.filter_map(|step| Some(numbers(step, get_path(&context, step.into.as_deref()?)?)));
        let drafts =
            self.drafts.iter().filter_map(|draft| Some(numbers(self.workflow.step_by_node(&draft.step)?, &draft.data)));
        answered.chain(drafts).find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// Normalises and validates the data of the shown step's form.
    pub fn check_answer(
        &mut self,
        data: &Value,
        actor: &Actor,
        seal: &dyn Fn(&str) -> String,
    ) -> Result<Checked, Refused> {
        let Some((step, form)) = self.shown_form(actor) else {
            // A step with only a button: nothing may be sent along.
            return Ok(if data.as_object().is_none_or(|m| m.is_empty()) {
                Checked::Good(Answer { data: json!({}), secrets: Map::new(), kept: false })
            } else {
                Checked::Wrong(vec![FieldError {
                    pointer: String::new(),
                    code: "unknown".into(),
                    text: "This step takes no answers.".into(),
                }])
            });
        };
        let mut data = data.clone();
        let fields = self.fields_of_answer(actor)?;
        let mut kept = false;
        if let Some(fields) = &fields {
            let sent = data.clone();
            self.uncover(step, form, fields, &mut data, actor);
            kept = data != sent;
            let mut errors = self.half_covered((step, form, fields), &sent, actor);
            if errors.is_empty() {
                errors = form.check_known(fields, &mut data).map_err(|error| self.broken(&error))?;
            }
            if !errors.is_empty() {
                if let Some(cover) = self.cover(actor) {
                    errors.iter_mut().for_each(|error| error.text = cover.cover_text(&error.text));
                }
                return Ok(Checked::Wrong(errors));
            }
        }
        if let Some(files) = &self.files {
            let errors = misfits(form, &data, files, self.workflow.in_language(&actor.language));
            if !errors.is_empty() {
                return Ok(Checked::Wrong(errors));
            }
        }
        // The answer itself needs them next.
        self.fields = fields;
        let mut secrets = Map::new();
        if let Some(map) = data.as_object_mut() {
            for name in form.secrets() {
                if let Some(value) = map.shift_remove(name) {
                    let plain = value.as_str().map_or_else(|| value.to_string(), str::to_string);
                    secrets.insert(name.clone(), Value::String(seal(&plain)));
                }
            }
        }
        Ok(Checked::Good(Answer { data, secrets, kept }))
    }

    /// Whether the shown step asks for files.
    pub fn asks_for_files(&self, actor: &Actor) -> bool {
        self.shown_form(actor).is_some_and(|(_, form)| !form.upload_kinds().is_empty())
    }

    /// Whether a file went with something that was sent before and is none of the shown step's answers, as a paper that
    /// was rejected and is asked for again.
    pub(crate) fn was_sent_before(&self, upload: &str) -> bool {
        let (context, step) = (&self.state.snapshot.context, self.workflow.step(&self.state.snapshot.active));
        let answers = step.and_then(|step| get_path(context, step.into.as_deref()?));
        let drafts = self.drafts.iter().filter(|draft| step.is_some_and(|step| draft.step == step.node));
        let is_here = answers.into_iter().chain(drafts.map(|draft| &draft.data)).any(|value| has_text(value, upload));
        !is_here && context.values().any(|value| has_text(value, upload))
    }

    /// What another step than the shown one would say of these answers, over what is known of it already; nothing where
    /// that cannot be told yet.
    pub fn foresee(&self, step: &str, data: Value, actor: &Actor) -> Vec<FieldError> {
        let workflow = self.workflow.in_language(&actor.language);
        let step = workflow.step_named(step);
        let form = step.and_then(|step| workflow.form(step.form.as_deref()?));
        let (Some(step), Some(form)) = (step, form) else { return Vec::new() };
        let fields = self.with_step(step, |scope| form.fields(&self.audience(actor), scope));
        let Ok(fields) = fields else { return Vec::new() };
        let known = self.laid(step, form, &fields, self.prefill(step), actor);
        let layers: Vec<&Map<String, Value>> = [Some(&known), data.as_object()].into_iter().flatten().collect();
        let mut data = Value::Object(fields.data(&layers));
        form.check_known(&fields, &mut data).unwrap_or_default()
    }

    /// The form that is shown, in the language of who fills it in.
    pub(crate) fn shown_form(&self, actor: &Actor) -> Option<(&'w Step, &'w Form)> {
        let workflow = self.workflow.in_language(&actor.language);
        let step = workflow.step(&self.state.snapshot.active)?;
        Some((step, workflow.form(step.form.as_deref()?)?))
    }

    /// The fields of the shown step's form as this actor sees them; `None` without a form.
    pub(super) fn fields_of_answer(&mut self, actor: &Actor) -> Result<Option<FormFields>, Refused> {
        if let Some(known) = self.fields.take() {
            return Ok(Some(known));
        }
        let Some((step, form)) = self.shown_form(actor) else { return Ok(None) };
        let fields = self.with_step(step, |scope| form.fields(&self.audience(actor), scope));
        fields.map(Some).map_err(|error| self.broken(&error))
    }

    fn broken(&self, error: &EvalError) -> Refused {
        Refused::Broken { place: self.step_node().to_owned(), reason: error.to_string() }
    }

    /// A checked answer of the shown step.
    pub fn submit(&mut self, answer: Answer, actor: &Actor) -> Result<(), Refused> {
        let Answer { data, secrets, kept } = answer;
        self.happen(Fact::Submitted { data, secret: secrets, again: false, kept }, actor).map(drop)
    }

    /// What was typed so far is kept, without a check and without its secret fields; the history says only that it was.
    pub fn save(&mut self, data: &Value, actor: &Actor) -> Result<(), Refused> {
        let step = self.step_node();
        let mut data = data.clone();
        self.uncover_draft(&mut data, actor);
        let typed = draft_of(self.workflow, step, data);
        let heard = typed.clone().filter(|_| self.names("save")).unwrap_or_default();
        if !self.happen(Fact::Saved { data: heard }, actor)?
            && let Some(data) = typed
        {
            self.writes.commit.drafts.push(Draft {
                journey: self.record.id.clone(),
                step: self.draft_key(step, actor),
                data,
                at_ms: self.now_ms,
            });
        }
        Ok(())
    }

    /// Checks the payload of an event that the step accepts; `None` when it does not accept this type from this actor.
    pub fn check_event(&self, kind: &str, data: &Value, actor: &Actor) -> Option<Vec<FieldError>> {
        let accept = self.workflow.step(&self.state.snapshot.active)?.accepts.get(kind)?;
        let allowed = accept.is_for(actor.acting_roles());
        allowed.then(|| accept.validate(data))
    }

    /// A checked event that the shown step accepts; its payload stands only in `event.data`.
    pub fn accept_event(&mut self, kind: &str, data: &Value, actor: &Actor) -> Result<(), Refused> {
        let fact = Fact::Sent { event: kind.into(), data: data.clone(), again: false };
        self.happen(fact, actor).map(drop)
    }

    /// One step back; the machine is asked first.
    pub fn back(&mut self, actor: &Actor) -> Result<(), Refused> {
        self.happen(Fact::WentBack, actor).map(drop)
    }

    /// Back to a step of the trail; the machine is asked first.
    pub fn change(&mut self, step: &str, actor: &Actor) -> Result<(), Refused> {
        self.happen(Fact::Changed { step: step.into() }, actor).map(drop)
    }

    /// What was sent before, once more, when it still is a good answer; what is refused now waits for the person.
    pub fn resend(&mut self, sent: Option<Fact>) {
        self.questions.stay();
        let before = self.clone();
        let by = self.state.resume.as_ref().and_then(|resume| resume.by.clone());
        if sent.zip(by).is_none_or(|(fact, by)| self.again(fact, &by).is_err()) {
            *self = before;
        }
    }

    /// What the shown step asks is answered as it is known, for whoever goes on here; a form that does not take it so
    /// is shown.
    pub fn answer_known(&mut self, actor: &Actor) {
        self.questions.stay();
        let before = self.clone();
        let by = self.state.resume.as_ref().and_then(|resume| resume.by.clone());
        let by = by.or_else(|| Some(actor.clone()).filter(|actor| actor.kind != SYSTEM));
        if by.is_none_or(|by| self.known_again(&by).is_err()) {
            *self = before;
        }
    }

    fn known_again(&mut self, by: &Actor) -> Result<bool, Refused> {
        let (Some((step, form)), Some(fields)) = (self.shown_form(by), self.fields_of_answer(by)?) else {
            return Err(Refused::Unselected);
        };
        if self.closed_to(step, by).is_some() {
            return Err(Refused::Unselected);
        }
        let prefill = self.prefill(step);
        let mut data = self.laid(step, form, &fields, prefill, by);
        data.retain(|_, value| !value.is_null());
        self.again(Fact::Submitted { data: Value::Object(data), secret: Map::new(), again: true, kept: true }, by)
    }

    fn again(&mut self, sent: Fact, by: &Actor) -> Result<bool, Refused> {
        let fact = match sent {
            Fact::Submitted { data, .. } => match self.check_answer(&data, by, &|_| String::new())? {
                // What stood there goes on: nobody has written it anew.
                Checked::Good(Answer { data, secrets, .. }) => {
                    Fact::Submitted { data, secret: secrets, again: true, kept: true }
                }
                Checked::Wrong(_) => return Err(Refused::Unselected),
            },
            Fact::Sent { event, data, .. } => match self.check_event(&event, &data, by) {
                Some(errors) if errors.is_empty() => Fact::Sent { event, data, again: true },
                Some(_) | None => return Err(Refused::Unselected),
            },
            _ => return Err(Refused::Unselected),
        };
        self.happen(fact, by)
    }
}

fn has_text(value: &Value, text: &str) -> bool {
    match value {
        Value::Object(fields) => fields.values().any(|inner| has_text(inner, text)),
        Value::Array(list) => list.iter().any(|inner| has_text(inner, text)),
        Value::String(known) => known == text,
        _ => false,
    }
}
