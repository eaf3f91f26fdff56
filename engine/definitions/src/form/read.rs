//! Reading a form file: references put in, every part checked.

use super::normalise::Normaliser;
use super::resolve::cel_of;
use super::variant::{VARIANTS_MAX, Variant};
use super::{Form, Messages, date, messages, rules};
use crate::fields::{Fields, unknown, unknown_keys};
use crate::host::late_vocabulary;
use crate::source::{Key, Node, Span, Value as Source};
use engine_statechart::Problem;
use engine_statechart::expression::Expression;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, OnceLock};

pub const FORM_KEYS: [&str; 8] = ["title", "intro", "schema", "ui", "variants", "messages", "languages", "description"];
const WIDGETS: [&str; 17] = [
    "text",
    "textarea",
    "mobile",
    "otp",
    "date",
    "choice",
    "toggle",
    "select",
    "checkboxes",
    "consent",
    "money",
    "range",
    "lookup",
    "hidden",
    "upload",
    "slots",
    "password",
];
const UI_KEYS: [&str; 10] = [
    "ui:widget",
    "ui:options",
    "ui:show",
    "ui:order",
    "ui:groups",
    "ui:submit",
    "ui:title",
    "ui:description",
    "ui:help",
    "ui:autofocus",
];
const REF_DEPTH_MAX: usize = 8;
pub const SHARED_MESSAGES: &str = "forms/shared/messages.json";

/// `nodes` are all parsed files, for references.
pub fn read(
    id: &str,
    path: &str,
    nodes: &BTreeMap<String, Node>,
    defaults: &Arc<Messages>,
    problems: &mut Vec<Problem>,
) -> Option<Form> {
    let before = problems.len();
    let node = nodes.get(path)?;
    let mut reader = Reader {
        nodes,
        files: BTreeSet::from([path.to_owned(), SHARED_MESSAGES.to_owned()]),
        cels: HashMap::new(),
        normalisers: HashMap::new(),
        uses: Vec::new(),
        lookups: Vec::new(),
        has_dates: false,
        problems,
    };
    unknown_keys(node, "a form", &FORM_KEYS, reader.problems);
    let mut fields = Fields { node, problems: reader.problems, what: "a form" };
    fields.need("title");
    fields.need("schema");
    let empty = Node::new(node.span.clone(), Source::Map(Vec::new()));
    let schema = reader.inline(node.get("schema").unwrap_or(&empty), 0);
    let ui = node.get("ui").unwrap_or(&empty);
    if schema.get("type").and_then(Node::as_str) != Some("object")
        || !schema.get("properties").is_some_and(Node::is_map)
    {
        reader.problems.push(Problem::error(
            "shape",
            &schema.span,
            "the schema of a form has `\"type\": \"object\"` and `properties`",
        ));
    }
    rules::schema(&schema, reader.problems);
    for key in ["title", "intro"] {
        node.get(key).iter().for_each(|n| reader.scan(n, false));
    }
    reader.scan(&schema, true);
    reader.scan(ui, false);

    let mut variants = Vec::new();
    let mut merges = Vec::new();
    let variant_nodes = node.get("variants").map_or(&[][..], Node::items);
    if variant_nodes.len() > VARIANTS_MAX {
        reader.problems.push(Problem::error("size", &node.span, format!("a form has at most {VARIANTS_MAX} variants")));
    }
    for item in variant_nodes.iter().take(VARIANTS_MAX) {
        let inlined = reader.inline(item, 0);
        if let Some(merge) = inlined.get("merge") {
            unknown_keys(
                merge,
                "`merge` of a form's variant",
                &["title", "intro", "schema", "ui", "messages"],
                reader.problems,
            );
            if let Some(properties) = merge.get("schema").and_then(|s| s.get("properties")) {
                let base = schema.get("properties");
                for (_, rule) in
                    properties.map().iter().filter(|(k, v)| !v.is_null() && base.and_then(|b| b.get(&k.name)).is_none())
                {
                    rules::bounded(rule, reader.problems);
                }
            }
            reader.scan(merge, true);
            merges.push(merge.clone());
        }
        variants.extend(Variant::read(&inlined, reader.problems));
    }
    let added = merges
        .iter()
        .filter_map(|m| m.get("schema")?.get("properties"))
        .flat_map(|p| p.map().iter().map(|(k, _)| k.name.clone()));
    let names: BTreeSet<String> =
        schema.get("properties").map_or(&[][..], Node::map).iter().map(|(k, _)| k.name.clone()).chain(added).collect();
    reader.required(&schema, &names);
    reader.ui(ui, &schema, &names);
    merges.iter().filter_map(|m| m.get("ui")).for_each(|ui| reader.ui(ui, &schema, &names));
    reader.form_messages(node.get("messages"), &names);

    let mut tree = Map::new();
    for key in ["title", "intro", "messages"] {
        tree.extend(node.get(key).map(|n| (key.to_owned(), n.to_json())));
    }
    tree.insert("schema".into(), schema.to_json());
    tree.insert("ui".into(), ui.to_json());
    let tree = Value::Object(tree);
    let languages = languages(node.get("languages"), &tree, reader.problems);
    let Reader { files, cels, normalisers, uses, lookups, has_dates, problems, .. } = reader;
    if problems[before..].iter().any(Problem::is_error) {
        return None;
    }
    let form = Form {
        id: id.to_owned(),
        path: path.to_owned(),
        tree,
        variants,
        languages,
        messages: Arc::clone(defaults),
        cels,
        normalisers,
        has_dates,
        files,
        uses,
        lookups,
        prepared: Mutex::default(),
        resolved: Mutex::default(),
        facts: OnceLock::new(),
    };
    // Without its expressions the form, and each of its variants, must be a schema.
    let alone = (0..form.variants.len()).map(|i| 1u64 << i);
    for mask in std::iter::once(0).chain(alone) {
        let mut prepared = form.tree.clone();
        if mask != 0 {
            form.variants[mask.trailing_zeros() as usize].apply(&mut prepared);
        }
        if let Err(e) = form.build(&prepared, &BTreeMap::new(), "2026-01-01", "en") {
            problems.push(Problem::error("schema", &node.get("schema").unwrap_or(node).span, e.message));
            return None;
        }
    }
    Some(form)
}

struct Reader<'n, 'p> {
    nodes: &'n BTreeMap<String, Node>,
    files: BTreeSet<String>,
    cels: HashMap<String, Expression>,
    normalisers: HashMap<String, Normaliser>,
    uses: Vec<(String, Span)>,
    lookups: Vec<(String, Span)>,
    has_dates: bool,
    problems: &'p mut Vec<Problem>,
}

impl Reader<'_, '_> {
    /// `{"$ref": "shared/fields#/$defs/x", …}` becomes what it names; siblings override.
    fn inline(&mut self, node: &Node, depth: usize) -> Node {
        match &node.value {
            Source::List(items) => {
                Node::new(node.span.clone(), Source::List(items.iter().map(|n| self.inline(n, depth)).collect()))
            }
            Source::Map(entries) => {
                let reference = node.get("$ref").and_then(|r| Some((r, r.as_str()?)));
                let Some((at, reference)) = reference else {
                    let map = entries.iter().map(|(k, v)| (k.clone(), self.inline(v, depth))).collect();
                    return Node::new(node.span.clone(), Source::Map(map));
                };
                let empty = Node::new(node.span.clone(), Source::Map(Vec::new()));
                if depth >= REF_DEPTH_MAX {
                    self.problems.push(Problem::error(
                        "ref",
                        &at.span,
                        format!("`$ref` goes round in a circle or is deeper than {REF_DEPTH_MAX}"),
                    ));
                    return empty;
                }
                let Some(found) = self.find(at, reference) else { return empty };
                let mut target = self.inline(&found, depth + 1);
                target.span = node.span.clone();
                let Some(map) = target.map_mut() else { return target };
                for (k, v) in entries.iter().filter(|(k, _)| k.name != "$ref") {
                    let v = self.inline(v, depth);
                    match map.iter_mut().find(|(known, _)| known.name == k.name) {
                        Some((_, old)) => *old = v,
                        None => map.push((k.clone(), v)),
                    }
                }
                target
            }
            _ => node.clone(),
        }
    }

    fn find(&mut self, at: &Node, reference: &str) -> Option<Node> {
        let Some((file, pointer)) = reference.split_once("#/") else {
            self.problems.push(
                Problem::error("ref", &at.span, format!("`{reference}` is not a reference"))
                    .hint("\"shared/fields#/$defs/name\""),
            );
            return None;
        };
        let path = format!("forms/{file}.json");
        let Some(root) = self.nodes.get(&path) else {
            let known = self.nodes.keys().filter_map(|p| p.strip_prefix("forms/")?.strip_suffix(".json"));
            self.problems.push(unknown("file", at, file, known));
            return None;
        };
        self.files.insert(path);
        let mut node = root;
        for part in pointer.split('/') {
            match node.get(part) {
                Some(next) => node = next,
                None => {
                    self.problems.push(unknown(
                        "definition",
                        at,
                        part,
                        node.map().iter().map(|(k, _)| k.name.as_str()),
                    ));
                    return None;
                }
            }
        }
        Some(node.clone())
    }

    /// Expressions, normalisations and dates of a tree.
    fn scan(&mut self, node: &Node, is_schema: bool) {
        if let [(Key { name, .. }, inner)] = node.map()
            && name == "$cel"
        {
            self.cel(inner);
            return;
        }
        for (key, value) in node.map() {
            match key.name.as_str() {
                "x-normalise" if is_schema => {
                    if let Some(normaliser) = Normaliser::read(value, self.problems) {
                        self.normalisers.insert(value.to_json().to_string(), normaliser);
                    }
                }
                "x-date" if is_schema => self.date(value),
                "x-messages" if is_schema => messages::check(value, self.problems),
                _ => self.scan(value, is_schema),
            }
        }
        node.list().iter().for_each(|n| self.scan(n, is_schema));
    }

    fn cel(&mut self, node: &Node) {
        let Some(text) = node.as_str() else {
            self.problems.push(Problem::error(
                "shape",
                &node.span,
                format!("`$cel` is an expression, not {}", node.kind()),
            ));
            return;
        };
        self.uses.push((text.to_owned(), node.span.clone()));
        if self.cels.contains_key(text) {
            return;
        }
        if let Some(expression) = Expression::read(node, late_vocabulary(), &[], self.problems) {
            self.cels.insert(text.to_owned(), expression);
        }
    }

    fn date(&mut self, node: &Node) {
        self.has_dates = true;
        unknown_keys(node, "`x-date`", &["min", "max"], self.problems);
        for (key, value) in node.map() {
            if cel_of(&value.to_json()).is_some() {
                self.scan(value, false);
            } else if value.as_str().and_then(|t| date::bound(t, "2026-01-01")).is_none() {
                let problem = Problem::error("value", &value.span, format!("`{}` of `x-date` is not a date", key.name));
                self.problems.push(problem.hint("today, 2020-01-01, -18y, +90d, -3m"));
            }
        }
    }

    fn required(&mut self, schema: &Node, names: &BTreeSet<String>) {
        for item in schema.get("required").map_or(&[][..], Node::items) {
            match item.as_str() {
                Some(name) if names.contains(name) => {}
                Some(name) => self.problems.push(unknown("field", item, name, names.iter().map(String::as_str))),
                None => self.problems.push(Problem::error("shape", &item.span, "`required` is a list of field names")),
            }
        }
    }

    fn ui(&mut self, ui: &Node, schema: &Node, names: &BTreeSet<String>) {
        let known = || names.iter().map(String::as_str);
        for (key, value) in ui.map() {
            let name = key.name.as_str();
            if !name.starts_with("ui:") {
                if !names.contains(name) {
                    let at = Node::new(key.span.clone(), Source::Null);
                    self.problems.push(unknown("field", &at, name, known()));
                }
                self.field_ui(value, schema.get("properties").and_then(|p| p.get(name)), names);
                continue;
            }
            match name {
                "ui:order" => {
                    for item in value.list() {
                        match item.as_str() {
                            Some("*") => {}
                            Some(field) if names.contains(field) => {}
                            _ => self.problems.push(unknown("field", item, item.as_str().unwrap_or_default(), known())),
                        }
                    }
                }
                "ui:groups" => {
                    for group in value.list() {
                        unknown_keys(
                            group,
                            "a group",
                            &["id", "title", "description", "fields", "collapsed", "show", "hint"],
                            self.problems,
                        );
                        for item in group.get("fields").map_or(&[][..], Node::list) {
                            if !item.as_str().is_some_and(|f| names.contains(f)) {
                                self.problems.push(unknown("field", item, item.as_str().unwrap_or_default(), known()));
                            }
                        }
                    }
                }
                _ if UI_KEYS.contains(&name) => {}
                _ => {
                    let hint = engine_statechart::did_you_mean(name, UI_KEYS);
                    self.problems.push(
                        Problem::error("unknown-key", &key.span, format!("unknown key `{name}` in `ui`"))
                            .maybe_hint(hint),
                    );
                }
            }
        }
    }

    fn field_ui(&mut self, ui: &Node, rule: Option<&Node>, siblings: &BTreeSet<String>) {
        if let Some(inner) = rule.and_then(|r| r.get("properties")) {
            let names = inner.map().iter().map(|(k, _)| k.name.clone()).collect();
            if let Some(rule) = rule {
                self.ui(ui, rule, &names);
            }
        }
        for (key, value) in ui.map() {
            match key.name.as_str() {
                "ui:widget" => {
                    let widget = value.as_str().unwrap_or_default();
                    if !WIDGETS.contains(&widget) && !value.is_map() {
                        self.problems.push(unknown("widget", value, widget, WIDGETS));
                    }
                }
                "ui:show" => {
                    if !value.is_map() {
                        self.problems.push(Problem::error(
                            "shape",
                            &value.span,
                            "`ui:show` is a map from fields to values",
                        ));
                    }
                    for (field, _) in value.map().iter().filter(|(f, _)| !siblings.contains(&f.name)) {
                        let at = Node::new(field.span.clone(), Source::Null);
                        self.problems.push(unknown("field", &at, &field.name, siblings.iter().map(String::as_str)));
                    }
                }
                "ui:options" => {
                    if let Some((at, source)) = value.get("source").and_then(|n| Some((n, n.as_str()?))) {
                        self.lookups.push((source.to_owned(), at.span.clone()));
                    }
                }
                name if name.starts_with("ui:") && !UI_KEYS.contains(&name) => {
                    let hint = engine_statechart::did_you_mean(name, UI_KEYS);
                    self.problems.push(
                        Problem::error("unknown-key", &key.span, format!("unknown key `{name}` in `ui`"))
                            .maybe_hint(hint),
                    );
                }
                _ => {}
            }
        }
    }

    fn form_messages(&mut self, node: Option<&Node>, names: &BTreeSet<String>) {
        for (key, value) in node.map_or(&[][..], Node::map) {
            let first = key.name.trim_start_matches('/').split('/').next().unwrap_or_default();
            if !key.name.starts_with('/') || !names.contains(first) {
                let at = Node::new(key.span.clone(), Source::Null);
                self.problems.push(
                    unknown("field", &at, first, names.iter().map(String::as_str)).hint("a pointer like /mobile"),
                );
            }
            messages::check(value, self.problems);
        }
    }
}

/// `{hi: {"/schema/properties/x/title": "…"}}`; a pointer's parent must exist.
fn languages(node: Option<&Node>, tree: &Value, problems: &mut Vec<Problem>) -> BTreeMap<String, Vec<(String, Value)>> {
    let mut out = BTreeMap::new();
    for (language, texts) in node.map_or(&[][..], Node::map) {
        let mut list = Vec::new();
        for (pointer, text) in texts.map() {
            let parent = pointer.name.rsplit_once('/').map(|(parent, _)| parent);
            if parent.and_then(|p| tree.pointer(p)).is_none() {
                problems.push(Problem::error(
                    "unknown-name",
                    &pointer.span,
                    format!("`{}` points to nothing in the form", pointer.name),
                ));
            }
            if text.as_str().is_none() {
                problems.push(Problem::error(
                    "shape",
                    &text.span,
                    format!("a text is expected here, not {}", text.kind()),
                ));
            }
            list.push((pointer.name.clone(), text.to_json()));
        }
        out.insert(language.name.clone(), list);
    }
    out
}
