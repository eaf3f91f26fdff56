//! Reading a form file: references put in, every part checked.

use super::normalise::Normaliser;
use super::resolve::cel_of;
use super::rules::{self, FIELDS_MAX};
use super::{Form, Messages, condition, date, messages, refuse, widget};
use crate::fields::{MapReader, unknown, unknown_keys};
use crate::host::late_vocabulary;
use crate::keys::widgets;
use crate::policy::is_fatal;
use crate::references::ROWS;
use crate::source::{Key, Node, Nodes, Span, Value as Source};
use crate::uploads;
use crate::variants::{VARIANTS_MAX, Variant, refuse_lost_changes};
use engine_statechart::Problem;
use engine_statechart::expression::Expression;
use engine_statechart::expression::rows::{ColumnRead, Rows};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, OnceLock};

pub const FORM_KEYS: [&str; 9] =
    ["title", "intro", "groups", "required", "properties", "x-ui", "variants", "messages", "description"];
/// What a variant may change.
const MERGE_KEYS: [&str; 7] = ["title", "intro", "groups", "required", "properties", "x-ui", "messages"];
const REF_DEPTH_MAX: usize = 8;
/// Maps of a shared field that keep what a form does not name.
const OVERLAID: [&str; 2] = ["x-messages", "x-ui"];
pub const SHARED_MESSAGES: &str = "forms/shared/messages.json";

/// `nodes` are all parsed files, for references.
pub fn read(
    id: &str,
    path: &str,
    nodes: &Nodes,
    defaults: &Arc<Messages>,
    problems: &mut Vec<Problem>,
) -> Option<Form> {
    let before = problems.len();
    let node = nodes.get(path)?;
    let mut reader = FormReader {
        nodes,
        files: BTreeSet::from([path.to_owned(), SHARED_MESSAGES.to_owned()]),
        cels: HashMap::new(),
        normalisers: HashMap::new(),
        uses: Vec::new(),
        lookups: Vec::new(),
        has_dates: false,
        columns: Vec::new(),
        item: Rows::Unknown,
        problems,
    };
    unknown_keys(node, "a form", &FORM_KEYS, reader.problems);
    let mut fields = MapReader { node, problems: reader.problems, what: "a form" };
    fields.need("title");
    fields.need("properties");
    for key in ["title", "intro"] {
        node.get(key).iter().for_each(|n| reader.scan(n, false));
    }
    let mut form = reader.inline(node, 0);
    uploads::complete(&mut form, nodes, &mut reader.files, reader.problems);
    let (mut variants, merges) = reader.variants(&form);
    reader.form(&form, &merges);
    variants.extend(kept_apart(&form, &merges));
    if variants.len() > VARIANTS_MAX {
        let message = format!("a form has at most {VARIANTS_MAX} variants, with one for each field of some roles");
        reader.problems.push(Problem::error("size", &form.span, message));
    }

    let of_form = MERGE_KEYS.iter().filter_map(|key| Some(((*key).to_owned(), form.get(key)?.to_json())));
    let tree = Value::Object(of_form.collect());
    let FormReader { files, cels, normalisers, uses, lookups, has_dates, columns, problems, .. } = reader;
    if problems[before..].iter().any(is_fatal) {
        return None;
    }
    Some(Form {
        id: id.to_owned(),
        path: path.to_owned(),
        tree,
        variants,
        messages: Arc::clone(defaults),
        cels,
        normalisers,
        has_dates,
        columns,
        files,
        uses,
        lookups,
        prepared: Mutex::default(),
        resolved: Mutex::default(),
        facts: OnceLock::new(),
    })
}

impl Form {
    /// Checks that the form and each of its variants, without their expressions, are a schema.
    pub(crate) fn is_schema(&self, node: &Node, problems: &mut Vec<Problem>) -> bool {
        let alone = (0..self.variants.len()).map(|i| 1u64 << i);
        for mask in std::iter::once(0).chain(alone) {
            let prepared = self.prepare(mask);
            if let Err(message) = self.build(&prepared.tree, &Default::default(), "2026-01-01").validator() {
                problems.push(Problem::error("schema", &node.get("properties").unwrap_or(node).span, message));
                return false;
            }
        }
        true
    }
}

/// What conditions and groups of one object may name.
#[derive(Clone, Copy)]
struct Level<'a> {
    fields: &'a Named<'a>,
    groups: &'a BTreeSet<String>,
    /// Fields of the form itself.
    root: &'a Named<'a>,
    /// `item` is known: it is a row of the context.
    has_item: bool,
    is_top: bool,
}

/// Puts the keys of `new` over those of `old`.
fn overlay(old: &mut Node, new: Node) {
    match (old.map_mut(), new.map()) {
        (Some(map), entries @ [_, ..]) => {
            for (key, value) in entries {
                match map.iter_mut().find(|(known, _)| known.name == key.name) {
                    Some((_, old)) => *old = value.clone(),
                    None => map.push((key.clone(), value.clone())),
                }
            }
        }
        _ => *old = new,
    }
}

/// Fields by their names.
type Named<'n> = BTreeMap<&'n str, &'n Node>;

/// The fields of objects; of those with one name the first.
fn named<'n>(levels: impl Iterator<Item = &'n Node>) -> Named<'n> {
    let mut found = Named::new();
    for (key, rule) in levels.flat_map(|level| level.get("properties").map_or(&[][..], Node::map)) {
        if !rule.is_null() {
            found.entry(key.name.as_str()).or_insert(rule);
        }
    }
    found
}

fn group_names(node: &Node) -> Vec<String> {
    node.get("groups").map_or(&[][..], Node::map).iter().map(|(key, _)| key.name.clone()).collect()
}

struct FormReader<'n, 'p> {
    nodes: &'n Nodes,
    files: BTreeSet<String>,
    cels: HashMap<String, Expression>,
    normalisers: HashMap<String, Normaliser>,
    uses: Vec<(String, Span)>,
    lookups: Vec<(String, Span)>,
    has_dates: bool,
    /// Columns of tables that its expressions name.
    columns: Vec<ColumnRead>,
    /// What is known of `item`, within a list whose rows are fixed.
    item: Rows,
    problems: &'p mut Vec<Problem>,
}

impl FormReader<'_, '_> {
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
                let Some(found) = self.find(at, reference) else { return node.clone() };
                let mut target = self.inline(&found, depth + 1);
                target.span = node.span.clone();
                let Some(map) = target.map_mut() else { return target };
                for (k, v) in entries.iter().filter(|(k, _)| k.name != "$ref") {
                    let v = self.inline(v, depth);
                    match map.iter_mut().find(|(known, _)| known.name == k.name) {
                        Some((_, old)) if OVERLAID.contains(&k.name.as_str()) => overlay(old, v),
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
        let mut node: &Node = root;
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

    fn variants(&mut self, form: &Node) -> (Vec<Variant>, Vec<Node>) {
        let (mut variants, mut merges) = (Vec::new(), Vec::new());
        let nodes = form.get("variants").map_or(&[][..], Node::items);
        for item in nodes.iter().take(VARIANTS_MAX + 1) {
            if let Some(merge) = item.get("merge") {
                unknown_keys(merge, "`merge` of a form's variant", &MERGE_KEYS, self.problems);
                merges.push(merge.clone());
            }
            variants.extend(Variant::read(item, &["require"], self.problems));
            refuse_lost_changes(item, form, "form", self.problems);
        }
        (Variant::in_order(variants, self.problems), merges)
    }

    /// The form and its variants: a merge changes fields or brings whole ones.
    fn form(&mut self, form: &Node, merges: &[Node]) {
        let fields = named([form].into_iter().chain(merges));
        let groups: BTreeSet<String> = merges.iter().chain([form]).flat_map(group_names).collect();
        let level = Level { fields: &fields, groups: &groups, root: &fields, has_item: false, is_top: true };
        self.level(form, level, None);
        for merge in merges {
            self.level(merge, level, form.get("properties"));
            self.form_messages(merge.get("messages"), &fields);
        }
        for variant in form.get("variants").map_or(&[][..], Node::items) {
            variant
                .get("require")
                .map_or(&[][..], Node::items)
                .iter()
                .for_each(|path| self.required_path(path, &fields));
        }
        self.form_messages(form.get("messages"), &fields);
        if let Some(ui) = form.get("x-ui") {
            widget::check(ui, None, "`x-ui` of a form", widgets::FORM, self.problems);
            if let Some(at) = ui.get("submit").filter(|n| n.as_str() != Some("change")) {
                let problem = Problem::error("value", &at.span, "`submit` is `change`: the form sends itself");
                self.problems.push(problem);
            }
        }
    }

    /// `+x` and `-people/y` of a variant name fields of the form, or of what a variant brings.
    fn required_path(&mut self, at: &Node, fields: &Named<'_>) {
        let Some(path) = at.as_str().and_then(|text| text.strip_prefix(['+', '-'])) else { return };
        let mut level = fields.clone();
        for name in path.split('/') {
            let Some(rule) = level.get(name) else {
                self.problems.push(unknown("field", at, name, level.keys().copied()));
                return;
            };
            let inner = rule.get("items").filter(|items| items.get("properties").is_some());
            level = named([inner.unwrap_or(rule)].into_iter());
        }
    }

    /// An object: groups, what is required, fields. `base`: fields that a patch may change.
    fn level(&mut self, node: &Node, level: Level<'_>, base: Option<&Node>) {
        let known = || level.fields.keys().copied();
        for (key, group) in node.get("groups").map_or(&[][..], Node::map) {
            unknown_keys(group, "a group", &["title", "show", "in", "collapsed"], self.problems);
            for computed in ["title", "collapsed"].iter().filter_map(|key| group.get(key)) {
                self.scan(computed, level.has_item);
            }
            group.get("show").iter().for_each(|n| self.condition(n, level));
            let outer = group.get("in").and_then(|n| Some((n, n.as_str()?)));
            if let Some((at, name)) = outer.filter(|(_, name)| !level.groups.contains(*name) || *name == key.name) {
                self.problems.push(unknown("group", at, name, level.groups.iter().map(String::as_str)));
            }
        }
        self.circles(node.get("groups"));
        for item in node.get("required").map_or(&[][..], Node::items) {
            match item.as_str() {
                Some(name) if level.fields.contains_key(name) => {}
                Some(name) => self.problems.push(unknown("field", item, name, known())),
                None => self.problems.push(Problem::error("shape", &item.span, "`required` is a list of field names")),
            }
        }
        let Some(properties) = node.get("properties") else { return };
        if !properties.is_map() {
            let message = format!("`properties` is a map, not {}", properties.kind());
            self.problems.push(Problem::error("shape", &properties.span, message));
        }
        rules::names(properties, self.problems);
        for (key, rule) in properties.map().iter().take(FIELDS_MAX) {
            match base.and_then(|b| b.get(&key.name)) {
                Some(_) if rule.is_null() => {}
                Some(base) => self.field(rule, level, Some(base)),
                None => self.field(rule, level, None),
            }
        }
    }

    fn circles(&mut self, groups: Option<&Node>) {
        let Some(groups) = groups else { return };
        for (key, group) in groups.map() {
            let outer = |group: &Node| group.get("in").and_then(Node::as_str).map(str::to_owned);
            let mut at = outer(group);
            for _ in 0..groups.map().len() {
                at = at.and_then(|name| outer(groups.get(&name)?));
            }
            if at.is_some() {
                self.problems.push(Problem::error(
                    "circle",
                    &key.span,
                    format!("group `{}` is inside itself", key.name),
                ));
            }
        }
    }

    /// `base`: the field that a patch changes.
    fn field(&mut self, rule: &Node, level: Level<'_>, base: Option<&Node>) {
        if rule.get("$ref").is_some() {
            return; // it leads nowhere, which was said
        }
        match base {
            None => rules::field(rule, self.problems),
            Some(_) => rules::patch(rule, self.problems),
        }
        let whole = |key: &str| rule.get(key).or_else(|| base?.get(key));
        let has_rows = whole("items").is_some_and(|items| items.get("properties").is_some());
        for (key, value) in rule.map() {
            match key.name.as_str() {
                "x-normalise" => self.normalise(value),
                "x-date" => self.date(value, level.has_item),
                "x-messages" => messages::check(value, self.problems),
                "x-refuse" => {
                    refuse::check(value, self.problems);
                    self.scan(value, level.has_item);
                }
                "x-required" => self.condition(value, level),
                "x-ui" => self.ui(value, rule, base, level),
                "properties" | "groups" | "required" | "items" | "x-each" | "x-key" => {}
                "x-secret" | "x-consent" | "x-roles" if !level.is_top => {
                    let message = format!("`{}` belongs to a field of the form itself", key.name);
                    self.problems.push(Problem::error("place", &key.span, message));
                }
                "x-title" => self.scan(value, rule.get("x-each").is_some()),
                _ => self.scan(value, level.has_item),
            }
        }
        if whole("properties").is_some() {
            self.inner(rule, base, level, level.has_item);
        } else if has_rows {
            self.rows(rule, base, level);
        } else if let Some(items) = rule.get("items") {
            match base {
                None => rules::field(items, self.problems),
                Some(_) => rules::patch(items, self.problems),
            }
            let is_of_text = |key: &str| matches!(key, "format" | "x-date" | "x-refuse");
            if let Some((key, _)) = items.map().iter().find(|(k, _)| is_of_text(&k.name)) {
                let message = format!("`{}` is not checked in a list of values", key.name);
                self.problems.push(Problem::error("place", &key.span, message).hint("a list of objects can have it"));
            }
            items.get("x-normalise").iter().for_each(|steps| self.normalise(steps));
            self.scan(items, level.has_item);
        }
        for key in ["x-each", "x-key", "x-title"] {
            if let Some(at) = rule.get(key).filter(|_| !has_rows) {
                let problem = Problem::error("place", &at.span, format!("`{key}` belongs to a list of objects"));
                self.problems.push(problem.hint("\"items\": {\"properties\": {…}}"));
            }
        }
    }

    fn normalise(&mut self, steps: &Node) {
        if let Some(normaliser) = Normaliser::read(steps, self.problems) {
            self.normalisers.insert(steps.to_json().to_string(), normaliser);
        }
    }

    /// The fields of an object or of a row.
    fn inner(&mut self, node: &Node, base: Option<&Node>, level: Level<'_>, has_item: bool) {
        let fields = named([node].into_iter().chain(base));
        let groups: BTreeSet<String> = base.into_iter().chain([node]).flat_map(group_names).collect();
        let inner = Level { fields: &fields, groups: &groups, has_item, is_top: false, ..level };
        self.level(node, inner, base.and_then(|b| b.get("properties")));
    }

    fn rows(&mut self, rule: &Node, base: Option<&Node>, level: Level<'_>) {
        let whole = |key: &str| rule.get(key).or_else(|| base?.get(key));
        if let Some(each) = rule.get("x-each") {
            match each.get("$cel") {
                Some(_) => self.scan(each, false),
                None => {
                    let problem = Problem::error("shape", &each.span, "`x-each` is computed");
                    self.problems.push(problem.hint("{\"$cel\": \"rows('health/members')\"}"));
                }
            }
        }
        if !level.is_top {
            self.problems.push(Problem::error("place", &rule.span, "a list of objects stands in the form itself"));
        }
        if let Some(at) = rule.get("x-key").filter(|_| whole("x-each").is_none()) {
            let problem = Problem::error("place", &at.span, "rows that people add have the key `key`");
            self.problems.push(problem.hint("`x-key` belongs to `x-each`"));
        }
        let key = whole("x-key").and_then(Node::as_str).unwrap_or("key");
        let Some(items) = rule.get("items") else { return };
        if let Some((at, _)) = items.get("properties").map_or(&[][..], Node::map).iter().find(|(k, _)| k.name == key) {
            let problem =
                Problem::error("bad-key", &at.span, format!("`{key}` is the key of the row, which we put in"));
            self.problems.push(problem.hint("another name, or another `x-key`"));
        }
        let unknown: Vec<&Key> = items
            .map()
            .iter()
            .map(|(k, _)| k)
            .filter(|k| {
                !["type", "title", "description", "groups", "required", "properties", "$comment"]
                    .contains(&k.name.as_str())
            })
            .collect();
        for key in unknown {
            let message = format!("unknown key `{}` in the rows of a list", key.name);
            self.problems.push(Problem::error("unknown-key", &key.span, message));
        }
        let each = whole("x-each").and_then(|each| each.get("$cel"));
        if let Some(list) = each.and_then(|at| Some((at, self.cels.get(at.as_str()?)?))) {
            let (at, expression) = list;
            self.item = expression.rows(ROWS, None, &[]).item();
            if let Rows::Row(table) = &self.item {
                let (table, column) = (table.clone(), key.to_owned());
                self.columns.push(ColumnRead { table, column, span: at.span.clone() });
            }
        }
        let has_item = whole("x-each").is_some();
        self.inner(items, base.and_then(|b| b.get("items")), level, has_item);
        self.item = Rows::Unknown;
    }

    fn ui(&mut self, ui: &Node, rule: &Node, base: Option<&Node>, level: Level<'_>) {
        let whole = |key: &str| rule.get(key).or_else(|| base?.get(key));
        let named = ui.get("widget").or_else(|| base?.get("x-ui")?.get("widget"));
        let found = named.and_then(Node::as_str).and_then(widgets::find);
        if let (Some(at), None) = (ui.get("widget"), found) {
            let names = widgets::WIDGETS.iter().map(|w| w.name);
            self.problems.push(unknown("widget", at, at.as_str().unwrap_or_default(), names));
        }
        let kind = whole("type").and_then(Node::as_str);
        let is_object = whole("properties").is_some();
        let has_rows = whole("items").is_some_and(|items| items.get("properties").is_some());
        if let (Some(at), Some(found), Some(kind)) = (ui.get("widget"), found, kind)
            && !found.types.contains(&kind)
        {
            let message = format!("widget `{}` gives {}, the field is {kind}", found.name, found.types.join(" or "));
            self.problems.push(Problem::error("value", &at.span, message));
        }
        let guessed = || widgets::find(widget::of(&rule.to_json()));
        let options = match found.or_else(|| if named.is_some() { None } else { guessed() }) {
            _ if has_rows => widgets::ROWS.to_vec(),
            _ if is_object => widgets::OBJECT.to_vec(),
            Some(widget) => [widgets::COMMON, widget.keys].concat(),
            None => widgets::COMMON.to_vec(),
        };
        widget::check(ui, base.and_then(|b| b.get("x-ui")), "`x-ui`", &options, self.problems);
        for (key, value) in ui.map() {
            match key.name.as_str() {
                "show" => self.condition(value, level),
                "group" => {
                    if !value.as_str().is_some_and(|g| level.groups.contains(g)) {
                        let known = level.groups.iter().map(String::as_str);
                        self.problems.push(unknown("group", value, value.as_str().unwrap_or_default(), known));
                    }
                }
                "source" => {
                    if let Some(source) = value.as_str() {
                        self.lookups.push((source.to_owned(), value.span.clone()));
                    }
                    self.scan(value, level.has_item);
                }
                _ => self.scan(value, level.has_item),
            }
        }
    }

    /// `{field: value | [values] | {not} | {contains}, "/field of the form": …, $cel}`
    fn condition(&mut self, node: &Node, level: Level<'_>) {
        if !node.is_map() {
            let problem = Problem::error("shape", &node.span, format!("a condition is a map, not {}", node.kind()));
            self.problems.push(problem.hint("{\"other_field\": \"value\"}"));
        }
        for (key, wanted) in node.map() {
            if key.name == "$cel" {
                self.cel(wanted, level.has_item);
                continue;
            }
            self.asked_for(key, wanted, level);
        }
    }

    /// One field that a condition names, and what it must be.
    fn asked_for(&mut self, key: &Key, wanted: &Node, level: Level<'_>) {
        let mut fields = if key.name.starts_with('/') { level.root.clone() } else { level.fields.clone() };
        let mut rule: Option<&Node> = None;
        for name in key.name.trim_start_matches('/').split('/') {
            rule = fields.get(name).copied();
            let Some(rule) = rule else {
                let at = Node::new(key.span.clone(), Source::Null);
                self.problems.push(unknown("field", &at, name, fields.keys().copied()));
                return;
            };
            fields = named([rule].into_iter());
        }
        if let Some(rule) = rule {
            condition::can_hold(rule, wanted, self.problems);
        }
        let is = |kind: &str| rule.and_then(|r| r.get("type")).and_then(Node::as_str) == Some(kind);
        let is_object = rule.is_some_and(|r| r.get("properties").is_some());
        let is_rule = match wanted.map() {
            [] => !wanted.is_map() && !wanted.is_null() && !is("array"),
            [(word, inner)] => match word.name.as_str() {
                "not" => !inner.is_map() && !is("array"),
                "contains" => !inner.is_list() && is("array"),
                _ => false,
            },
            _ => false,
        };
        if is_object || !is_rule {
            let (expected, hint) = if is_object {
                ("is an object: a field of it may be named", format!("\"/{}/…\"", key.name.trim_start_matches('/')))
            } else if is("array") {
                ("is a list: `{contains: …}`", "{\"contains\": \"a\"}, {\"contains\": {\"key\": \"self\"}}".to_owned())
            } else {
                ("is a value, a list of values, or `{not: …}`", "\"a\", [\"a\", \"b\"], {\"not\": \"a\"}".to_owned())
            };
            let message = format!("`{}` {expected}", key.name);
            self.problems.push(Problem::error("shape", &wanted.span, message).hint(hint));
        }
    }

    /// Expressions of a tree. `has_item`: it belongs to a row of the context.
    fn scan(&mut self, node: &Node, has_item: bool) {
        if let [(Key { name, .. }, inner)] = node.map()
            && name == "$cel"
        {
            self.cel(inner, has_item);
            return;
        }
        node.map().iter().for_each(|(_, value)| self.scan(value, has_item));
        node.list().iter().for_each(|n| self.scan(n, has_item));
    }

    fn cel(&mut self, node: &Node, has_item: bool) {
        let Some(text) = node.as_str() else {
            self.problems.push(Problem::error(
                "shape",
                &node.span,
                format!("`$cel` is an expression, not {}", node.kind()),
            ));
            return;
        };
        self.uses.push((text.to_owned(), node.span.clone()));
        let extra: &[&str] = if has_item { &["item"] } else { &[] };
        if let Some(expression) = Expression::read(node, late_vocabulary(), extra, self.problems) {
            let known = [("item".to_owned(), self.item.clone())];
            self.columns.extend(expression.columns(ROWS, None, &known));
            self.cels.entry(text.to_owned()).or_insert(expression);
        }
    }

    fn date(&mut self, node: &Node, has_item: bool) {
        self.has_dates = true;
        unknown_keys(node, "`x-date`", &["min", "max"], self.problems);
        for (key, value) in node.map() {
            if cel_of(&value.to_json()).is_some() {
                self.scan(value, has_item);
            } else if value.as_str().and_then(|t| date::bound(t, "2026-01-01")).is_none() {
                let problem = Problem::error("value", &value.span, format!("`{}` of `x-date` is not a date", key.name));
                self.problems.push(problem.hint("today, 2020-01-01, -18y, +90d, -3m"));
            }
        }
    }

    fn form_messages(&mut self, node: Option<&Node>, fields: &Named<'_>) {
        for (key, value) in node.map_or(&[][..], Node::map) {
            let first = key.name.trim_start_matches('/').split('/').next().unwrap_or_default();
            if !key.name.starts_with('/') || !fields.contains_key(first) {
                let at = Node::new(key.span.clone(), Source::Null);
                self.problems.push(unknown("field", &at, first, fields.keys().copied()).hint("a pointer like /mobile"));
            }
            messages::check(value, self.problems);
        }
    }
}

/// Variants that fields ask for themselves: those of some roles alone, and those by which a person agrees.
fn kept_apart(form: &Node, merges: &[Node]) -> Vec<Variant> {
    let properties = [form].into_iter().chain(merges).filter_map(|node| node.get("properties"));
    let fields: Vec<_> = properties.flat_map(Node::map).collect();
    let reserved = fields.iter().filter_map(|(name, rule)| Some(Variant::reserving(&name.name, rule.get("x-roles")?)));
    let consents = fields.iter().filter(|(_, rule)| super::agrees(&rule.to_json()));
    let consents: Vec<&str> = consents.map(|(name, _)| name.name.as_str()).collect();
    reserved.chain((!consents.is_empty()).then(|| Variant::of_deputies(&consents, form))).collect()
}
