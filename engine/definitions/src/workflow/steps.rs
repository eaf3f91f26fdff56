//! Reading `step` of a state.

use super::calls::place_of;
use super::desugar::{Builder, StatePlace, text_node};
use super::library::{Library, key};
use super::{Accept, Face, Only, Redirect, Step, StepKind, Trail, VIEWER, Waits};
use crate::fields::{MapReader, unknown};
use crate::form::Form;
use crate::host::shared_vocabulary;
use crate::layout;
use crate::source::{Key, Node, Value as Source};
use crate::text::Text;
use crate::variants::{Alternatives, Patches};
use crate::view::COMPANY;
use engine_statechart::Problem;
use engine_statechart::expression::Expression;
use engine_statechart::template::Mapping;
use indexmap::IndexMap;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub const STEP_KEYS: [&str; 27] = [
    "form",
    "view",
    "wait",
    "redirect",
    "review",
    "kind",
    "path",
    "into",
    "data",
    "prefill",
    "covered",
    "plain",
    "accepts",
    "depends",
    "satisfied",
    "trail",
    "title",
    "section",
    "submit",
    "hide",
    "links",
    "only",
    "confirms",
    "paper",
    "known",
    "waits_for",
    "variants",
];
/// Texts that stand in the place of a step that is another's.
const CLOSED: [&str; 3] = ["journey.customers_turn", "journey.not_verified", "journey.sign_in"];
/// What the runtime answers itself; no step may call an event of its own so.
const BUILT_IN: [&str; 5] = ["submit", "back", "change", "save", "expire"];

impl Builder<'_> {
    pub fn step(&mut self, node: &Node, state: &str, owner: &Node, place: &StatePlace) {
        let node = &self.with_section(node, place);
        let mut problems = std::mem::take(&mut self.problems);
        let step = self.read_step(node, state, place, &mut problems);
        problems.append(&mut self.problems);
        self.problems = problems;
        if let Some(step) = step {
            self.step_nodes.insert(state.to_owned(), owner.get("step").unwrap_or(owner).clone());
            self.steps.insert(state.to_owned(), step);
        }
    }

    /// A step with what its section says for all its steps; a wait or a hop to a partner shows nothing else.
    fn with_section(&self, node: &Node, place: &StatePlace) -> Node {
        if !node.is_map() {
            return node.clone();
        }
        let border = place.border.as_deref();
        let sections = border.map_or(&self.sections, |border| &border.sections);
        let named = node.get("section").and_then(Node::as_str);
        // What a host names is a section of its own line; the part's says the rest.
        let id = named.filter(|id| sections.step(id).is_some()).or_else(|| border.and_then(|b| b.sections.first()));
        let passes = node.get("wait").is_some() || node.get("redirect").is_some();
        let mut step = node.clone();
        let Some(map) = step.map_mut() else { return step };
        for (k, value) in id.and_then(|id| sections.step(id)).map_or(&[][..], Node::map) {
            if node.get(&k.name).is_none() && (!passes || ["hide", "trail"].contains(&k.name.as_str())) {
                map.push((k.clone(), value.clone()));
            }
        }
        if let (None, Some(section)) = (named, border.and_then(|b| b.section.as_ref())) {
            map.push((key("section", &node.span), text_node(section, &node.span)));
        }
        step
    }

    fn read_step(&mut self, node: &Node, state: &str, place: &StatePlace, problems: &mut Vec<Problem>) -> Option<Step> {
        let mut fields = MapReader::open(node, "a step", &STEP_KEYS, problems)?;
        let library = self.library;
        let form = fields.get("form");
        let form_names = form.and_then(|at| at.names.clone());
        let form = form.and_then(|at| named(&mut fields, "form", at, library, layout::form_file, library.forms.keys()));
        let data = self.data(&mut fields);
        let face = self.face(&mut fields, place, &data);
        let faces = self.faces(node, (state, place), &data, fields.problems);
        self.forms.extend(form.clone());
        let review = fields.bool("review");
        let redirect = fields.get("redirect").and_then(|n| self.redirect(n, fields.problems));
        let kind = match fields.word("kind", &StepKind::ALL.map(|(name, _)| name)) {
            Some(word) => StepKind::ALL.iter().find(|(name, _)| *name == word).map_or(StepKind::Message, |(_, k)| *k),
            None => match (&form, review, &redirect, &face.wait, &face.view) {
                (Some(_), ..) => StepKind::Form,
                (_, true, ..) => StepKind::Review,
                (_, _, Some(_), ..) => StepKind::Redirect,
                (_, _, _, Some(_), _) => StepKind::Wait,
                (_, _, _, _, Some(_)) => StepKind::Message,
                _ => {
                    let problem = Problem::error(
                        "missing",
                        &node.span,
                        "a step shows something: `form`, `view`, `wait`, `redirect` or `review`",
                    );
                    fields.problems.push(problem);
                    StepKind::Message
                }
            },
        };
        let path = fields.text("path");
        if let (Some(path), Some(at)) = (&path, fields.get("path")) {
            let fits = path
                .split('/')
                .all(|p| !p.is_empty() && p.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')));
            if !(path.is_empty() || fits) {
                fields.problems.push(Problem::error(
                    "value",
                    &at.span,
                    format!("`{path}` is not a path: letters, digits, `-`, without `/` at its ends"),
                ));
            }
        }
        let into = fields.text("into").map(|into| place_of(&into, node, place, fields.problems));
        if let Some((k, own)) = node.key("into").zip(into.as_deref()) {
            self.declared_place(own, &k.span, place);
        }
        if into.is_some() && form.is_none() {
            fields.problems.push(Problem::error("misplaced-key", &node.span, "`into` belongs beside `form`"));
        }
        let asked = form.as_ref().and_then(|form| library.forms.get(form));
        let prefill = self.of_fields("prefill", &mut fields, asked.map(AsRef::as_ref));
        let covered = self.of_fields("covered", &mut fields, asked.map(AsRef::as_ref));
        let plain = fields.get("plain").and_then(|n| self.expression(n, &[VIEWER], fields.problems));
        if let Some(at) = fields.get("plain").filter(|_| !review) {
            let problem = Problem::error("misplaced-key", &at.span, "`plain` belongs beside `review`");
            fields.problems.push(problem);
        }
        let accepts = self.accepts(&mut fields);
        let links = links(&mut fields);
        let mut depends = Vec::new();
        for item in fields.get("depends").map_or(&[][..], Node::items) {
            depends.extend(self.expression(item, &[], fields.problems));
        }
        let satisfied = fields.get("satisfied").and_then(|n| self.expression(n, &[], fields.problems));
        let known = fields.get("known").and_then(|n| self.expression(n, &[], fields.problems));
        if let Some(at) = fields.get("known").filter(|_| form.is_none()) {
            fields.problems.push(Problem::error("misplaced-key", &at.span, "`known` belongs beside `form`"));
        }
        let waits_for = fields.word("waits_for", &Waits::ALL.map(|(name, _)| name));
        let waits_for = waits_for.and_then(|word| Waits::ALL.iter().find(|(name, _)| *name == word)).map(|(_, w)| *w);
        let trail = match fields.word("trail", &["keep", "skip", "close"]) {
            Some("skip") => Trail::Skip,
            Some("close") => Trail::Close,
            Some(_) => Trail::Keep,
            None if matches!(kind, StepKind::Wait | StepKind::Redirect) => Trail::Skip,
            None => Trail::Keep,
        };
        let only = fields.word("only", &Only::ALL.map(|(name, _)| name));
        let only = only.and_then(|word| Only::ALL.iter().find(|(name, _)| *name == word)).map(|(_, only)| *only);
        if let Some(at) = fields.get("only").filter(|_| only.is_some()) {
            CLOSED.iter().for_each(|code| self.need_text(at, code));
        }
        let confirms = fields.bool("confirms");
        let paper = fields.text("paper").map(|name| beside(state, &name));
        Some(Step {
            node: state.to_owned(),
            kind,
            form,
            face,
            faces,
            path,
            into,
            section: fields.text("section"),
            data,
            prefill,
            covered,
            plain,
            accepts,
            links,
            depends,
            satisfied,
            known,
            waits_for,
            trail,
            redirect,
            review,
            only,
            takes: BTreeSet::new(),
            confirms,
            paper,
            span: node.span.clone(),
            names: form_names.or_else(|| node.names.clone()),
        })
    }

    /// What its view and its words may read.
    fn data(&mut self, fields: &mut MapReader<'_, '_>) -> IndexMap<String, Mapping> {
        let of = |(key, value): &(Key, Node)| {
            (key.name.clone(), crate::expressions::mapping(value, shared_vocabulary(), &[VIEWER], fields.problems))
        };
        let node = fields.node;
        node.get("data").map_or(&[][..], Node::map).iter().map(of).collect()
    }

    /// What a step shows; `data`: what its view and its words may read.
    fn face(&mut self, fields: &mut MapReader<'_, '_>, place: &StatePlace, data: &IndexMap<String, Mapping>) -> Face {
        let (library, node) = (self.library, fields.node);
        let wait = fields.text("wait");
        if let (Some(code), Some(at)) = (&wait, fields.get("wait")) {
            self.need_text(at, code);
        }
        let at = fields.get("view").map(|at| place.view(at));
        let view = at.and_then(|at| named(fields, "view", at, library, layout::view_file, library.views.keys()));
        let names = at.and_then(|at| at.names.clone());
        self.views.extend(view.clone());
        let title = fields.get("title").and_then(|n| Text::from_node(n, fields.problems));
        let submit = fields.get("submit").and_then(|n| Text::from_node(n, fields.problems));
        for (text, key) in [(&title, "title"), (&submit, "submit")] {
            let (Some(text), Some(at)) = (text, fields.get(key)) else { continue };
            for name in text.names().filter(|n| !data.contains_key(*n)) {
                fields.problems.push(unknown("step data", at, name, data.keys().map(String::as_str)));
            }
        }
        if let Some(view) = view.as_ref().and_then(|v| library.views.get(v)) {
            let given = node.key("data").map(|k| Node::new(k.span.clone(), Source::Null));
            let at = given.as_ref().or(at).unwrap_or(node);
            for name in view.data_names().filter(|n| !data.contains_key(*n) && *n != COMPANY) {
                let mut problem = unknown("step data", at, name, data.keys().map(String::as_str));
                problem.message.push_str(&format!(": view `{}` reads `data.{name}`", view.id));
                fields.problems.push(problem);
            }
        }
        let hide = fields.texts("hide");
        if let Some(at) = fields.get("hide") {
            for name in hide.iter().filter(|h| !["header", "footer"].contains(&h.as_str())) {
                fields.problems.push(unknown("part of the page", at, name, ["header", "footer"]));
            }
        }
        Face { view, wait, title, submit, hide, names }
    }

    /// What a step shows to those for whom it, or its flow, has variants.
    fn faces(
        &mut self,
        node: &Node,
        (state, place): (&str, &StatePlace),
        data: &IndexMap<String, Mapping>,
        problems: &mut Vec<Problem>,
    ) -> Alternatives<Face> {
        let own = node.get("variants").map_or(&[][..], Node::items);
        let of_flow = self.variants_of(state);
        if own.is_empty() && of_flow.is_empty() {
            return Alternatives::default();
        }
        let patches = Patches::read(own.iter().chain(&of_flow), node, ("step", &Face::KEYS), problems);
        patches.alternatives(node, |tree| {
            let mut fields = MapReader { node: tree, problems, what: "a step" };
            let face = self.face(&mut fields, place, data);
            if face.view.is_none() && node.get("view").is_some() && node.get("form").is_none() {
                let message = "a variant of a step without a form shows another view, not none";
                fields.problems.push(Problem::error("missing", &tree.span, message));
            }
            Some(face)
        })
    }

    /// What the flow's own variants say of a step, as variants of that step.
    fn variants_of(&self, state: &str) -> Vec<Node> {
        let of = |variant: &Node| {
            let merge = variant.get("merge")?.get("steps")?.get(self.step_name(state))?.clone();
            let kept = variant.map().iter().filter(|(key, _)| !["merge", "over"].contains(&key.name.as_str()));
            let merge = (key("merge", &merge.span), merge.clone());
            Some(Node::new(variant.span.clone(), Source::Map(kept.cloned().chain([merge]).collect())))
        };
        self.flow_variants.iter().filter_map(of).collect()
    }

    /// The titles of a flow for those for whom it has variants, once all steps are read.
    pub fn titles(&mut self, tree: &Node) -> Alternatives<String> {
        let items = std::mem::take(&mut self.flow_variants);
        if items.is_empty() {
            return Alternatives::default();
        }
        let names: Vec<&str> = self.steps.keys().map(|state| self.step_name(state)).collect();
        let of_variants = items.iter().filter_map(|item| item.get("merge")?.get("steps"));
        for (name, at) in of_variants.flat_map(Node::map).filter(|(name, _)| !names.contains(&name.name.as_str())) {
            let at = Node::new(name.span.clone(), at.value.clone());
            self.problems.push(unknown("step", &at, &name.name, names.iter().copied()));
        }
        let keyed = |(state, node): (&String, &Node)| (key(self.step_name(state), &node.span), node.clone());
        let steps = Node::new(tree.span.clone(), Source::Map(self.step_nodes.iter().map(keyed).collect()));
        let title = tree.key("title").cloned().zip(tree.get("title").cloned());
        let base = title.into_iter().chain([(key("steps", &tree.span), steps)]).collect();
        let base = Node::new(tree.span.clone(), Source::Map(base));
        let patches = Patches::read(&items, &base, ("flow", &["title", "steps"]), &mut self.problems);
        patches.alternatives(&base, |tree| tree.get("title").and_then(Node::as_str).map(str::to_owned))
    }

    /// A state as authors name it: without the root.
    fn step_name<'s>(&self, state: &'s str) -> &'s str {
        state.strip_prefix(&self.root_id).and_then(|rest| rest.strip_prefix('.')).unwrap_or(state)
    }

    /// A map from fields of the step's form to values.
    fn of_fields(&mut self, key: &str, fields: &mut MapReader<'_, '_>, form: Option<&Form>) -> Option<Mapping> {
        let at = fields.get(key)?;
        for (name, _) in at.map() {
            if let Some(form) = form.filter(|form| !form.property_names().any(|p| p == name.name)) {
                let here = Node::new(name.span.clone(), Source::Null);
                fields.problems.push(unknown("field", &here, &name.name, form.property_names()));
            }
        }
        // What a text stands for behind its cover is the journey's own.
        let extra: &[&str] = if key == "prefill" { &[VIEWER] } else { &[] };
        Some(self.mapping(at, extra, fields.problems))
    }

    fn redirect(&mut self, node: &Node, problems: &mut Vec<Problem>) -> Option<Redirect> {
        let mut fields =
            MapReader::open(node, "`redirect`", &["partner", "url", "method", "fields", "label"], problems)?;
        let partner = fields.text("partner");
        if let (Some(id), Some(at)) = (&partner, fields.get("partner"))
            && !self.library.partners.contains_key(id)
        {
            fields.problems.push(unknown("partner", at, id, self.library.partners.keys().map(String::as_str)));
        }
        let url = fields.need("url")?;
        let url = self.expression(url, &["return_url"], fields.problems);
        let method = fields.word("method", &["GET", "POST"]).unwrap_or("GET").to_owned();
        let values = fields
            .get("fields")
            .map_or(Mapping::literal(json!({})), |n| self.mapping(n, &["return_url"], fields.problems));
        let label = fields.text("label");
        if let (Some(code), Some(at)) = (&label, fields.get("label")) {
            self.need_text(at, code);
        }
        Some(Redirect { partner, url: url?, method, fields: values, label })
    }

    fn accepts(&mut self, fields: &mut MapReader<'_, '_>) -> IndexMap<String, Accept> {
        let mut accepts = IndexMap::new();
        for (k, rule) in fields.entries("accepts") {
            let reserved = BUILT_IN.contains(&k.name.as_str())
                || ["xstate.", "reply.", "notify."].iter().any(|p| k.name.starts_with(p));
            if reserved {
                fields.problems.push(Problem::error(
                    "bad-key",
                    &k.span,
                    format!("event `{}` is the engine's own", k.name),
                ));
            }
            if !rule.is_map() && !rule.is_null() {
                fields.wrong(rule, &k.name, "a map from fields to schemas");
                continue;
            }
            let mut by_at = Vec::new();
            let (mut properties, mut required) = (serde_json::Map::new(), Vec::new());
            for (name, schema) in rule.map() {
                if name.name == "by" && schema.is_list() {
                    by_at = schema.list().to_vec();
                    continue;
                }
                crate::form::check_event_value(schema, fields.problems);
                crate::form::marked(name, schema, fields.problems);
                let mut rule = schema.to_json();
                close(&mut rule);
                let is_optional =
                    rule.as_object_mut().and_then(|r| r.shift_remove("optional")) == Some(Value::Bool(true));
                if !is_optional {
                    required.push(name.name.clone());
                }
                properties.insert(name.name.clone(), rule);
            }
            let schema = json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
            match crate::form::validator(&schema) {
                Ok(validator) => {
                    let by = by_at.iter().filter_map(Node::as_str).map(str::to_owned).collect();
                    accepts.insert(k.name.clone(), Accept { schema, by, by_at, validator });
                }
                Err(message) => fields.problems.push(Problem::error("schema", &rule.span, message)),
            }
        }
        accepts
    }

    pub fn mapping(&mut self, node: &Node, extra: &[&str], problems: &mut Vec<Problem>) -> Mapping {
        crate::expressions::mapping(node, shared_vocabulary(), extra, problems)
    }

    pub fn expression(&mut self, node: &Node, extra: &[&str], problems: &mut Vec<Problem>) -> Option<Expression> {
        crate::expressions::expression(node, shared_vocabulary(), extra, problems)
    }
}

/// Closes a rule: no object in it takes what it does not name.
fn close(rule: &mut Value) {
    let Some(map) = rule.as_object_mut() else { return };
    map.get_mut("items").into_iter().for_each(close);
    if let Some(properties) = map.get_mut("properties") {
        properties.as_object_mut().into_iter().flat_map(|all| all.values_mut()).for_each(close);
        map.insert("additionalProperties".into(), Value::Bool(false));
    }
}

/// `{purpose: [event, …]}`; `'*'` is whatever the step lets its owner send.
pub fn links(fields: &mut MapReader<'_, '_>) -> BTreeMap<String, Vec<String>> {
    let mut links = BTreeMap::new();
    for (purpose, events) in fields.entries("links") {
        let fits = events.is_list() && events.list().iter().all(|event| event.as_str().is_some());
        if !fits {
            fields.wrong(events, "links", "a map from the purpose of a link to a list of events");
            continue;
        }
        links.insert(purpose.name.clone(), events.list().iter().filter_map(Node::as_str).map(str::to_owned).collect());
    }
    links
}

/// The id of the form or view under `key`. Names are given as they would be written there.
fn named<'k>(
    fields: &mut MapReader<'_, '_>,
    key: &str,
    at: &Node,
    library: &Library<'_>,
    file: fn(&str) -> String,
    known: impl Iterator<Item = &'k String>,
) -> Option<String> {
    let Some(name) = at.as_str() else {
        fields.wrong(at, key, "a text");
        return None;
    };
    let id = layout::id_of(name, at);
    if !library.has_file(&file(&id)) {
        let beside = layout::id_of("", at);
        let names = known.map(|id| id.strip_prefix(&beside).filter(|name| !name.contains('/')).unwrap_or(id));
        fields.problems.push(unknown(key, at, name, names));
    }
    Some(id)
}

/// The id of a state that stands beside another one.
fn beside(state: &str, name: &str) -> String {
    state.rsplit_once('.').map_or_else(|| name.to_owned(), |(parent, _)| format!("{parent}.{name}"))
}
