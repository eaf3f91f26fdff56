//! What of a customer's personal data is shown to whoever is not the customer. Values are covered, not fields:
//! expressions of a page are worked out over a context in which whatever is personal is there in part, so that no text
//! made of it can say more. What comes back as it was shown stands for what it covers.

use super::{Turn, get_path};
use crate::actor::{Actor, STAFF};
use engine_definitions::{FieldError, Form, FormFields, Policy, Step, Workflow, mask_personal, personal_kind};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Shorter words, and shorter numbers, are too common to be looked for in other texts.
const WORD_MIN: usize = 3;
const NUMBER_MIN: usize = 6;
const BIRTH: &str = "dob";
/// What was read on a paper: whatever is in it.
const DOCUMENT: &str = "document";
/// What is shown in the place of an answer that is no text.
const HIDDEN: &str = "XXXX";

/// How personal data of one journey is shown in part.
#[derive(Debug, Default)]
pub(crate) struct Cover {
    /// Names under which it stands.
    names: BTreeMap<String, Mark>,
    /// Personal texts with their kinds, the longest first.
    texts: Vec<(String, String)>,
    /// Names of marked answers that this actor's role did not give: what is no text there stands as if nothing were
    /// said.
    unsaid: BTreeSet<String>,
    /// Those of them that are asked for under a condition: that they are there tells what was said.
    conditional: BTreeSet<String>,
    /// Names under which partners tell what this actor's role did not hear from the customer.
    untold: BTreeSet<String>,
    /// Codes of partners' errors that say what this actor's role did not.
    codes: BTreeSet<String>,
    /// Kinds of which no part is shown.
    hidden: BTreeSet<String>,
}

#[derive(Debug)]
struct Mark {
    kind: String,
    /// Whatever stands under this name is personal; a name like `name` stands for other things too.
    is_sure: bool,
}

impl Cover {
    /// What is covered by the marks of the definitions; nothing is looked for in other texts yet.
    fn of(workflow: &Workflow, policy: &Policy) -> Cover {
        let mark = |(name, kind): (&str, &str)| {
            let is_sure = name.contains('_') || kind == DOCUMENT || personal_kind(name).is_some();
            (!policy.shows_whole(kind)).then(|| (name.to_owned(), Mark { kind: kind.to_owned(), is_sure }))
        };
        let names = workflow.personal_names().into_iter().filter_map(mark).collect();
        Cover { names, hidden: policy.hidden_kinds().map(str::to_owned).collect(), ..Cover::default() }
    }

    /// What partners tell of kinds that are hidden is not said to whoever did not hear it from the customer.
    fn keep_back(&mut self, workflow: &Workflow, kinds: &BTreeSet<&str>) {
        let is_hidden = |name: &str| self.names.get(name).is_some_and(|mark| self.hidden.contains(&mark.kind));
        let names = workflow.answered_names().filter(|(name, kind)| kinds.contains(kind) && is_hidden(name));
        let names: Vec<String> = names.map(|(name, _)| name.to_owned()).collect();
        self.untold.extend(names);
        let codes = workflow.answered_codes().filter(|(_, kind)| kinds.contains(kind));
        self.codes.extend(codes.map(|(code, _)| code.to_owned()));
    }

    /// A personal text as it is shown: in part, or as if it were any.
    fn mask(&self, text: &str, kind: &str) -> String {
        match self.hidden.contains(kind) {
            true => HIDDEN.to_owned(),
            false => mask_personal(text, kind),
        }
    }

    /// Covers a record. What stands in it under a marked name is the customer's; in what is in it only what surely is:
    /// an agent has a name too.
    pub(crate) fn record(workflow: Option<&Workflow>, policy: &Policy, record: &mut Value) {
        let mut cover = workflow.map(|workflow| Cover::of(workflow, policy)).unwrap_or_default();
        cover.look(record);
        let Some(fields) = record.as_object_mut() else { return };
        for (name, value) in fields.iter() {
            if let (Some(kind), Value::String(text)) = (cover.kind_of(name).map(|(kind, _)| kind.to_owned()), value) {
                cover.remember(text, &kind);
            }
        }
        let cover = cover.ready();
        for (name, value) in fields.iter_mut() {
            match (cover.kind_of(name), value) {
                (Some((kind, _)), Value::String(text)) => *text = cover.mask(text, kind),
                (_, value) => cover.tell(value),
            }
        }
    }

    /// What stands under a name, and whether it surely does: a longer name that ends so holds the same.
    fn kind_of(&self, name: &str) -> Option<(&str, bool)> {
        let longer = |known: &str| name.strip_suffix(known).is_some_and(|before| before.ends_with('_'));
        let ends_so = || self.names.iter().find(|(known, mark)| mark.is_sure && longer(known)).map(|(_, mark)| mark);
        let known = self.names.get(name).or_else(ends_so).map(|mark| (mark.kind.as_str(), mark.is_sure));
        known.or_else(|| personal_kind(name).map(|kind| (kind, true)))
    }

    /// Remembers what stands under names that are surely personal.
    fn look(&mut self, value: &Value) {
        match value {
            Value::Object(fields) => {
                for (name, inner) in fields {
                    let kind = self.kind_of(name).filter(|(_, is_sure)| *is_sure).map(|(kind, _)| kind.to_owned());
                    match (kind, inner) {
                        (Some(kind), Value::String(text)) => self.remember(text, &kind),
                        (Some(kind), inner) if kind == DOCUMENT => self.look_through(inner),
                        (_, inner) => self.look(inner),
                    }
                }
            }
            Value::Array(list) => list.iter().for_each(|inner| self.look(inner)),
            _ => {}
        }
    }

    /// Remembers all that stands on a paper.
    fn look_through(&mut self, value: &Value) {
        match value {
            Value::Object(fields) => fields.values().for_each(|inner| self.look_through(inner)),
            Value::Array(list) => list.iter().for_each(|inner| self.look_through(inner)),
            Value::String(text) => self.remember(text, DOCUMENT),
            _ => {}
        }
    }

    /// Whether all that stands under a name was read on a paper.
    fn is_read(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|mark| mark.kind == DOCUMENT)
    }

    /// Remembers the personal answers of a form.
    fn look_in(&mut self, form: &Form, answers: &Value) {
        let mut open = vec![(String::new(), answers)];
        while let Some((at, value)) = open.pop() {
            match value {
                Value::Object(fields) => {
                    open.extend(fields.iter().map(|(name, value)| (format!("{at}/{name}"), value)))
                }
                Value::Array(rows) => open.extend(rows.iter().enumerate().map(|(n, row)| (format!("{at}/{n}"), row))),
                Value::String(text) => {
                    let kind = self.kind_at(form, &at).map(str::to_owned);
                    kind.into_iter().for_each(|kind| self.remember(text, &kind));
                }
                _ => {}
            }
        }
    }

    /// Kind of a form's answer at a pointer, where it is covered.
    fn kind_at(&self, form: &Form, pointer: &str) -> Option<&str> {
        let marked = form.personal_at(pointer);
        let named = self.kind_of(pointer.rsplit('/').next().unwrap_or_default());
        let known = named.filter(|(_, is_sure)| *is_sure || marked.is_some()).map(|(kind, _)| kind);
        known.or_else(|| self.names.values().map(|mark| mark.kind.as_str()).find(|kind| Some(*kind) == marked))
    }

    fn remember(&mut self, text: &str, kind: &str) {
        let words = text.split(' ').filter(|_| kind == "name");
        for part in words.chain([text]) {
            let least = if part.bytes().all(|byte| byte.is_ascii_digit()) { NUMBER_MIN } else { WORD_MIN };
            if part.chars().count() >= least && !self.has(part) {
                self.texts.push((part.to_owned(), kind.to_owned()));
            }
        }
    }

    fn has(&self, text: &str) -> bool {
        self.texts.iter().any(|(known, _)| known == text)
    }

    fn ready(mut self) -> Cover {
        self.texts.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        self
    }

    /// Covers a value of the context, with all that is in it. What the flow reads as a date stays one.
    fn cover(&self, name: &str, value: &mut Value) {
        match value {
            value if self.untold.contains(name) => silence(value),
            Value::Object(fields) if self.is_read(name) => {
                fields.values_mut().for_each(|inner| self.cover(name, inner));
            }
            Value::Object(fields) if self.is_telling(fields) => {
                fields.iter_mut().filter(|(name, _)| *name != "kind").for_each(|(_, inner)| silence(inner));
            }
            Value::Object(fields) => {
                fields.retain(|name, _| !(self.conditional.contains(name) && self.is_unsaid(name)));
                fields.iter_mut().for_each(|(name, inner)| self.cover(name, inner));
            }
            Value::Array(list) if self.unsaid.contains(name) && !list.iter().any(Value::is_object) => list.clear(),
            Value::Array(list) => list.iter_mut().for_each(|inner| self.cover(name, inner)),
            Value::String(text) if self.is_unsaid(name) => text.clear(),
            Value::String(text) => match self.kind_of(name).filter(|(_, is_sure)| *is_sure || self.has(text)) {
                Some((BIRTH, _)) => *text = year_of(text),
                Some((kind, _)) => *text = self.mask(text, kind),
                // A single word may be a code that expressions look up.
                None if is_composed(text) => *text = self.cover_text(text),
                None => {}
            },
            Value::Bool(_) | Value::Number(_) if self.unsaid.contains(name) => *value = silent(value),
            _ => {}
        }
    }

    /// Whether a text of another under this name stands as if nothing were said.
    fn is_unsaid(&self, name: &str) -> bool {
        self.unsaid.contains(name)
            && self.names.get(name).is_some_and(|mark| mark.is_sure && self.hidden.contains(&mark.kind))
    }

    /// Whether this is an error of a partner whose code tells something personal.
    fn is_telling(&self, error: &Map<String, Value>) -> bool {
        error.get("code").and_then(Value::as_str).is_some_and(|code| self.is_told_by(code))
    }

    /// Whether an error with this code tells what the customer said.
    pub(crate) fn is_told_by(&self, code: &str) -> bool {
        self.codes.contains(code)
    }

    pub(crate) fn context(&self, context: &Map<String, Value>) -> Map<String, Value> {
        let mut context = context.clone();
        context.iter_mut().for_each(|(name, value)| self.cover(name, value));
        context
    }

    /// Covers what is told and not worked with: texts of messages and records.
    pub(crate) fn tell(&self, value: &mut Value) {
        match value {
            Value::Object(fields) => {
                for (name, inner) in fields {
                    match (self.kind_of(name).filter(|(_, is_sure)| *is_sure), &mut *inner) {
                        (Some((kind, _)), Value::String(text)) => *text = self.mask(text, kind),
                        (Some((DOCUMENT, _)), inner) => self.cover(name, inner),
                        (_, inner) => self.tell(inner),
                    }
                }
            }
            Value::Array(list) => list.iter_mut().for_each(|inner| self.tell(inner)),
            Value::String(text) => *text = self.cover_text(text),
            _ => {}
        }
    }

    /// A text in which every personal one is covered.
    pub(crate) fn cover_text(&self, text: &str) -> String {
        let mut told = text.to_owned();
        for (known, kind) in &self.texts {
            let (at, small) = (known.to_ascii_lowercase(), told.to_ascii_lowercase());
            if !small.contains(&at) {
                continue;
            }
            let (mut out, mut from) = (String::new(), 0);
            for (start, found) in small.match_indices(&at) {
                let end = start + found.len();
                let is_part = |side: Option<char>| side.is_some_and(char::is_alphanumeric);
                let sides = [small[..start].chars().next_back(), small[end..].chars().next()];
                if !is_number(known) && sides.into_iter().any(is_part) {
                    continue;
                }
                out.push_str(&told[from..start]);
                out.push_str(&self.mask(&told[start..end], kind));
                from = end;
            }
            out.push_str(&told[from..]);
            told = out;
        }
        told
    }

    /// A form's answer at a pointer as it is shown; `None`: as it is. In the place of one that is no text stand
    /// letters.
    pub(crate) fn shown(&self, form: &Form, pointer: &str, value: &Value) -> Option<Value> {
        let Some(text) = value.as_str() else {
            return self.is_hidden(form, pointer, value).then(|| HIDDEN.into());
        };
        let shown = match self.kind_at(form, pointer) {
            Some(kind) => self.mask(text, kind),
            None if is_composed(text) => self.cover_text(text),
            None => return None,
        };
        (shown != text).then_some(Value::String(shown))
    }

    /// Whether no part of a form's answer at a pointer is shown, because of its kind.
    pub(crate) fn keeps_back(&self, form: &Form, pointer: &str) -> bool {
        self.kind_at(form, pointer).is_some_and(|kind| self.hidden.contains(kind))
    }

    /// Whether an answer is marked that no part of can be shown: yes or no, a number, what was chosen of a list,
    /// whatever is of a hidden kind.
    fn is_hidden(&self, form: &Form, pointer: &str, value: &Value) -> bool {
        let is_plain = match value {
            Value::Bool(_) | Value::Number(_) => true,
            Value::Array(list) => !list.iter().any(Value::is_object),
            Value::String(_) => self.keeps_back(form, pointer),
            _ => false,
        };
        is_plain && form.personal_at(pointer).is_some() && self.kind_at(form, pointer).is_some()
    }

    /// A form's data at a pointer, with what is in it; answers that no part of can be shown are not there.
    pub(crate) fn show(&self, form: &Form, at: &str, value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.retain(|name, inner| !self.is_hidden(form, &format!("{at}/{name}"), inner));
                fields.iter_mut().for_each(|(n, inner)| self.show(form, &format!("{at}/{n}"), inner))
            }
            Value::Array(rows) => {
                rows.iter_mut().enumerate().for_each(|(n, row)| self.show(form, &format!("{at}/{n}"), row));
            }
            text => {
                if let Some(shown) = self.shown(form, at, text) {
                    *text = shown;
                }
            }
        }
    }
}

impl Turn<'_> {
    /// How the customer's data is shown to this actor; `None`: whole, it is theirs. Whoever came by a link that lets
    /// nothing be sent only looks, and may be anybody.
    pub(crate) fn cover(&self, actor: &Actor) -> Option<Cover> {
        if self.role_for_customers(actor).is_none() && !actor.only_looks() {
            return None;
        }
        let (context, mut cover) = (self.context(), Cover::of(self.workflow, self.catalog.policy()));
        let mut kinds = BTreeSet::new();
        for step in self.workflow.steps() {
            let form = step.form.as_deref().and_then(|form| self.workflow.form(form));
            let Some(form) = form else { continue };
            let answers = step.into.as_deref().and_then(|into| get_path(&context, into));
            let is_answered = answers.is_some_and(|answers| *answers != Value::Object(Map::new()));
            answers.into_iter().for_each(|answers| cover.look_in(form, answers));
            let drafts = self.drafts.iter().filter(|draft| draft.step == step.node);
            drafts.for_each(|draft| cover.look_in(form, &draft.data));
            if !self.answered_as(step, actor) {
                let marked = || form.personal_names().into_iter().filter(|(name, _)| cover.names.contains_key(*name));
                kinds.extend(marked().filter(|_| is_answered).map(|(_, kind)| kind));
                cover.unsaid.extend(marked().map(|(name, _)| name.to_owned()).collect::<Vec<_>>());
                cover.conditional.extend(form.conditional_names().into_iter().map(str::to_owned));
            }
        }
        cover.keep_back(self.workflow, &kinds);
        context.values().for_each(|value| cover.look(value));
        Some(cover.ready())
    }

    /// What a step's form begins with where nothing was answered.
    pub(crate) fn prefill(&self, step: &Step) -> Option<Value> {
        let prefill = step.prefill.as_ref()?;
        self.with_step(step, |scope| prefill.eval(scope).ok())
    }

    /// What a step's form holds for this actor: what they type, else what the customer does, else the answers, else
    /// `prefill`, else the schema's defaults; nothing secret.
    pub(crate) fn laid(
        &self,
        step: &Step,
        form: &Form,
        fields: &FormFields,
        prefill: Option<Value>,
        actor: &Actor,
    ) -> Map<String, Value> {
        let answers = self.answers_at(step);
        let typed = |key: &str| self.writes.draft(&self.drafts, key).map(|draft| &draft.data);
        let own = self.draft_key(&step.node, actor);
        let layers = [prefill.as_ref(), answers, typed(&step.node), typed(&own)];
        let layers: Vec<&Map<String, Value>> = layers.into_iter().flatten().filter_map(Value::as_object).collect();
        let mut data = fields.data(&layers);
        data.retain(|key, _| !form.secrets().contains(key));
        data
    }

    fn answers_at(&self, step: &Step) -> Option<&Value> {
        get_path(&self.state.snapshot.context, step.into.as_deref()?)
    }

    /// The data of a step's form as this actor is shown it.
    pub(crate) fn shown(&self, step: &Step, form: &Form, data: &mut Map<String, Value>, actor: &Actor) {
        if let Some(cover) = self.cover(actor) {
            let own = self.answers_at(step).filter(|_| self.answered_as(step, actor));
            let is_own = |name: &str, value: &Value| own.is_some_and(|own| own.get(name) == Some(value));
            data.retain(|name, value| is_own(name, value) || !cover.is_hidden(form, &format!("/{name}"), value));
            for (name, value) in data.iter_mut().filter(|(name, value)| !is_own(name, value)) {
                cover.show(form, &format!("/{name}"), value);
            }
        }
        for (field, text) in self.covered_texts(step) {
            if let Some(value) = data.get_mut(&field).filter(|value| **value == text) {
                *value = mask_personal(text.as_str().unwrap_or_default(), "number").into();
            }
        }
    }

    /// Whether somebody in this actor's role answered the step, who then sees there what they wrote.
    fn answered_as(&self, step: &Step, actor: &Actor) -> bool {
        let role = self.role_for_customers(actor);
        role.is_some() && self.state.answered_by.get(&step.node).map(String::as_str) == role
    }

    /// `covered` of a step: field → a text that a person may keep or replace, but not read.
    pub(crate) fn covered_texts(&self, step: &Step) -> Map<String, Value> {
        match step.covered.as_ref().map(|covered| self.with_step(step, |scope| covered.eval(scope))) {
            Some(Ok(Value::Object(mut texts))) => {
                texts.retain(|_, text| text.is_string());
                texts
            }
            Some(Err(error)) => {
                tracing::error!(step = step.node, %error, "covered values failed");
                Map::new()
            }
            _ => Map::new(),
        }
    }

    /// What was sent as it was shown is what it stands for.
    pub(crate) fn uncover(&self, step: &Step, form: &Form, fields: &FormFields, sent: &mut Value, actor: &Actor) {
        if step.covered.is_none() && actor.kind != STAFF && !actor.only_looks() {
            return;
        }
        let (plain, shown) = self.plain_and_shown((step, form, fields), actor);
        uncover(&plain, &shown, sent);
    }

    /// What a step's form holds, and how this actor is shown it.
    fn plain_and_shown(&self, (step, form, fields): (&Step, &Form, &FormFields), actor: &Actor) -> (Value, Value) {
        let plain = self.laid(step, form, fields, self.prefill(step), actor);
        let mut shown = plain.clone();
        self.shown(step, form, &mut shown, actor);
        (Value::Object(plain), Value::Object(shown))
    }

    /// Errors of texts in which a covered value was changed in part: nobody knows what was meant.
    pub(crate) fn half_covered(&self, at: (&Step, &Form, &FormFields), sent: &Value, actor: &Actor) -> Vec<FieldError> {
        if self.cover(actor).is_none() {
            return Vec::new();
        }
        let (plain, shown) = self.plain_and_shown(at, actor);
        let text = self.workflow.in_language(&actor.language).find_text("journey.covered", &Map::new());
        let text = text.unwrap_or_else(|| "Please type the whole value".to_owned());
        let mut pointers = Vec::new();
        half_covered((&plain, &shown), sent, "", &mut pointers);
        let error = |pointer| FieldError { pointer, code: "covered".into(), text: text.clone() };
        pointers.into_iter().map(error).collect()
    }

    /// Restores covered values in what is typed and not sent yet.
    pub(crate) fn uncover_draft(&mut self, sent: &mut Value, actor: &Actor) {
        let Some((step, form)) = self.shown_form(actor) else { return };
        if let Ok(Some(fields)) = self.fields_of_answer(actor) {
            self.uncover(step, form, &fields, sent, actor);
            self.fields = Some(fields);
        }
    }
}

/// Signs of a cover: letters, and figures.
const SIGNS: [&str; 2] = ["XX", "**"];

fn half_covered((plain, shown): (&Value, &Value), sent: &Value, at: &str, pointers: &mut Vec<String>) {
    match (plain, shown, sent) {
        (Value::Object(plain), Value::Object(shown), Value::Object(sent)) => {
            for (name, sent) in sent {
                if let (Some(plain), Some(shown)) = (plain.get(name), shown.get(name)) {
                    half_covered((plain, shown), sent, &format!("{at}/{name}"), pointers);
                }
            }
        }
        (plain, shown, Value::String(text)) if plain != shown && sent != shown && sent != plain => {
            pointers.extend(SIGNS.iter().any(|signs| text.contains(signs)).then(|| at.to_owned()));
        }
        _ => {}
    }
}

/// Rows are found by their keys, or else by their places.
fn uncover(plain: &Value, shown: &Value, sent: &mut Value) {
    match (plain, shown, sent) {
        (Value::Object(plain), Value::Object(shown), Value::Object(sent)) => {
            for (name, sent) in sent.iter_mut() {
                if let (Some(plain), Some(shown)) = (plain.get(name), shown.get(name)) {
                    uncover(plain, shown, sent);
                }
            }
            // what was not shown and not sent anew is as it was
            for (name, plain) in plain.iter().filter(|(name, _)| !shown.contains_key(*name)) {
                sent.entry(name.clone()).or_insert_with(|| plain.clone());
            }
        }
        (Value::Array(plain), Value::Array(shown), Value::Array(sent)) => {
            for (place, sent) in sent.iter_mut().enumerate() {
                let key = sent.get("key").filter(|key| key.is_string()).cloned();
                let by_key = key.and_then(|key| plain.iter().position(|row| row.get("key") == Some(&key)));
                let place = by_key.unwrap_or(place);
                if let (Some(plain), Some(shown)) = (plain.get(place), shown.get(place)) {
                    uncover(plain, shown, sent);
                }
            }
        }
        (plain, shown, sent) if sent == shown => *sent = plain.clone(),
        _ => {}
    }
}

/// A value of the same type that says nothing, so that expressions still work.
fn silent(value: &Value) -> Value {
    match value {
        Value::Bool(_) => Value::Bool(false),
        _ => Value::from(0),
    }
}

/// Leaves no text in a value and nothing in a list of texts; rows and numbers stay.
fn silence(value: &mut Value) {
    match value {
        Value::Object(fields) => fields.values_mut().for_each(silence),
        Value::Array(list) => {
            list.retain(|inner| !inner.is_string());
            list.iter_mut().for_each(silence);
        }
        Value::String(text) => text.clear(),
        _ => {}
    }
}

/// Words and numbers that are no code of the definitions.
fn is_composed(text: &str) -> bool {
    is_number(text) || text.contains(' ')
}

/// Long enough, and so odd that nothing else is written so.
fn is_number(text: &str) -> bool {
    text.len() >= NUMBER_MIN && text.contains(|part: char| part.is_ascii_digit() || part == '@')
}

/// The first day of its year, so that ages can still be said; anything else is hidden.
fn year_of(date: &str) -> String {
    let year = date.get(..4).filter(|year| year.bytes().all(|byte| byte.is_ascii_digit()));
    year.map_or_else(|| mask_personal(date, BIRTH), |year| format!("{year}-01-01"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn cover() -> Cover {
        let mark = |kind: &str, is_sure| Mark { kind: kind.into(), is_sure };
        let names =
            [("name", mark("name", false)), ("first_name", mark("name", true)), ("line_1", mark("address", true))];
        let mut cover = Cover { names: names.map(|(name, mark)| (name.to_owned(), mark)).into(), ..Cover::default() };
        for (text, kind) in
            [("Asha Rao", "name"), ("9812345670", "mobile"), ("12 Lake View", "address"), ("12", "address")]
        {
            cover.remember(text, kind);
        }
        cover.ready()
    }

    #[test]
    fn an_answer_of_another_that_is_no_text_stands_as_if_nothing_were_said() {
        let mut cover = cover();
        cover.unsaid = ["smokes", "illnesses", "weight"].map(str::to_owned).into();
        let context =
            json!({"health": {"smokes": true, "illnesses": ["asthma"], "weight": 82, "done": true, "codes": ["a"]}});
        let shown = cover.context(context.as_object().expect("an object"));
        assert_eq!(
            Value::Object(shown),
            json!({"health": {"smokes": false, "illnesses": [], "weight": 0, "done": true, "codes": ["a"]}})
        );
    }

    #[test]
    fn what_a_partner_tells_of_hidden_kinds_is_as_if_it_were_not_said() {
        let mut cover = cover();
        cover.untold = ["loadings", "reasons"].map(str::to_owned).into();
        cover.codes = ["too_ill"].map(str::to_owned).into();
        let context = json!({
            "plan": {"loadings": [{"reason": "asthma", "paise": 12000}], "reasons": ["asthma"], "total": 80000},
            "answers": {"one": {"error": {"kind": "declined", "code": "too_ill", "message": "Asthma", "area": ""}},
                "two": {"error": {"kind": "declined", "code": "too_old", "message": "Too old"}}},
        });
        let shown = cover.context(context.as_object().expect("an object"));
        let expected = json!({
            "plan": {"loadings": [{"reason": "", "paise": 12000}], "reasons": [], "total": 80000},
            "answers": {"one": {"error": {"kind": "declined", "code": "", "message": "", "area": ""}},
                "two": {"error": {"kind": "declined", "code": "too_old", "message": "Too old"}}},
        });
        assert_eq!(Value::Object(shown), expected);
    }

    #[test]
    fn of_a_hidden_kind_no_letter_is_shown_wherever_it_stands() {
        let mut cover = cover();
        let mark = Mark { kind: "health".into(), is_sure: true };
        cover.names.insert("other_illness".into(), mark);
        cover.hidden.insert("health".into());
        cover.remember("Zorbulitis", "health");
        let mut cover = cover.ready();
        let context = json!({"case": {"other_illness": "Zorbulitis", "note": "treated for zorbulitis since May"}});
        let context = context.as_object().expect("an object");
        let expected = json!({"case": {"other_illness": "XXXX", "note": "treated for XXXX since May"}});
        assert_eq!(Value::Object(cover.context(context)), expected);
        // nor that it was asked for
        cover.unsaid.insert("other_illness".into());
        cover.conditional.insert("other_illness".into());
        assert_eq!(Value::Object(cover.context(context)), json!({"case": {"note": "treated for XXXX since May"}}));
    }

    #[test]
    fn what_was_not_shown_and_not_sent_stays_and_what_is_sent_anew_counts() {
        let (plain, shown) = (json!({"smokes": true, "age": 40}), json!({"age": 40}));
        let mut sent = json!({"age": 41});
        uncover(&plain, &shown, &mut sent);
        assert_eq!(sent, json!({"smokes": true, "age": 41}));
        let mut sent = json!({"age": 41, "smokes": false});
        uncover(&plain, &shown, &mut sent);
        assert_eq!(sent, json!({"smokes": false, "age": 41}));
    }

    #[test]
    fn what_is_personal_is_covered_wherever_it_stands() {
        let context = json!({
            "lead": {"name": "Asha Rao", "mobile": "9812345670", "dob": "1990-04-12"},
            "maker": {"name": "Rao Motors", "code": "rao", "slug": "12"},
            "copy": {
                "first_name": "Zoya",
                "line_1": "7 Hill",
                "note": "ASHA RAO, 12 Lake View; call +919812345670 or 9812345670",
            },
            "list": ["Asha lives here", "Ashanti"],
        });
        let shown = cover().context(context.as_object().expect("a map"));
        let expected = json!({
            "lead": {"name": "XXXa XXo", "mobile": "*****45670", "dob": "1990-01-01"},
            "maker": {"name": "XXo Motors", "code": "rao", "slug": "12"},
            "copy": {
                "first_name": "XXXa",
                "line_1": "X XXXl",
                "note": "XXXA XXO, XX XXXe XXXw; call +91*****45670 or *****45670",
            },
            "list": ["XXXa lives here", "Ashanti"],
        });
        assert_eq!(Value::Object(shown), expected);
    }

    #[test]
    fn a_record_covers_its_customer_and_not_its_agent() {
        let mut record = json!({"mobile": "9812345670", "agent": {"name": "ravi"}, "key": "9812345670", "url": "/x"});
        Cover::record(None, &Policy::default(), &mut record);
        let expected = json!({"mobile": "*****45670", "agent": {"name": "ravi"}, "key": "*****45670", "url": "/x"});
        assert_eq!(record, expected);
    }

    #[test]
    fn a_covered_value_is_not_changed_in_part() {
        let (plain, shown) =
            (json!({"name": "Asha Rao", "line": "12 Lake"}), json!({"name": "XXXa XXo", "line": "XX XXXe"}));
        let found = |sent: Value| {
            let mut pointers = Vec::new();
            half_covered((&plain, &shown), &sent, "", &mut pointers);
            pointers
        };
        assert_eq!(found(json!({"name": "XXXa XXos", "line": "XX XXXe"})), ["/name"]);
        assert_eq!(found(json!({"name": "Asha Raos", "line": "14 Lake"})), Vec::<String>::new());
    }

    #[test]
    fn what_comes_back_as_it_was_shown_stands_for_what_it_covers() {
        let plain = json!({"name": "Asha", "rows": [{"key": "r1", "name": "Ravi"}, {"key": "r2", "name": "Zoya"}]});
        let shown = json!({"name": "XXXa", "rows": [{"key": "r1", "name": "XXXi"}, {"key": "r2", "name": "XXXa"}]});
        let mut sent = json!({"name": "XXXa", "rows": [{"key": "r2", "name": "XXXa"}, {"key": "r3", "name": "Om"}]});
        uncover(&plain, &shown, &mut sent);
        assert_eq!(sent, json!({"name": "Asha", "rows": [{"key": "r2", "name": "Zoya"}, {"key": "r3", "name": "Om"}]}));
    }
}
