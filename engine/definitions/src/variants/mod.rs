//! Variants: a small patch on a form, a view or a step for some of those who get it. `merge` is RFC 7396; `require` adds
//! (`+x`) and removes (`-people/y`) names, since merging replaces lists. Whoever several are for gets those with fewer
//! names in `for` first, and of as many a partner's, then a channel's, a role's, a language's, an experiment's; `over` says
//! what a merge replaced, so that a changed form does not lose its change in silence.

mod alternatives;

pub use alternatives::Alternatives;
pub(crate) use alternatives::{Patches, keyed_blocks, unkeyed_blocks};

use crate::fields::MapReader;
use crate::source::{Node, Value as Source};
use crate::translation;
use engine_statechart::Problem;
use engine_statechart::source::Span;
use serde_json::{Map, Value, json};
use std::fmt;

/// Who looks at a form, a view or a step.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Audience {
    pub roles: Vec<String>,
    /// The channel by which the request came, else that of the session.
    pub channel: String,
    /// The partner whose customer it is.
    pub partner: Option<String>,
    pub language: String,
    /// Drawn variants of experiments: `experiment/variant`.
    pub experiments: Vec<String>,
    /// Whether this is nobody who could agree to anything: they act for a customer, or no number is verified yet.
    pub is_deputy: bool,
}

/// What `for` may name, in the order in which variants of as many names apply.
pub const TARGETS: [&str; 5] = ["partner", "channel", "role", "language", "experiment"];

/// Whom `for` names: one of each list is enough, and every list that is given counts.
#[derive(Clone, Debug, Default)]
struct Target {
    partners: Vec<String>,
    channels: Vec<String>,
    roles: Vec<String>,
    languages: Vec<String>,
    experiments: Vec<String>,
}

impl Target {
    fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Target> {
        let mut fields = MapReader::open(node, "`for` of a variant", &TARGETS, problems)?;
        let [partners, channels, roles, languages, experiments] = TARGETS.map(|key| fields.texts(key));
        let target = Target { partners, channels, roles, languages, experiments };
        if target.lists().into_iter().all(<[String]>::is_empty) {
            let message = "a variant is for a role, a channel, a partner, a language or an experiment";
            fields.problems.push(Problem::error("missing", &node.span, message));
        }
        Some(target)
    }

    /// What it names, in the order of [`TARGETS`].
    fn lists(&self) -> [&[String]; 5] {
        [&self.partners, &self.channels, &self.roles, &self.languages, &self.experiments]
    }

    fn fits(&self, audience: &Audience) -> bool {
        let is = |names: &[String], value: &str| names.is_empty() || names.iter().any(|name| name == value);
        let are = |names: &[String], values: &[String]| names.is_empty() || names.iter().any(|n| values.contains(n));
        is(&self.partners, audience.partner.as_deref().unwrap_or_default())
            && is(&self.channels, &audience.channel)
            && are(&self.roles, &audience.roles)
            && is(&self.languages, &audience.language)
            && are(&self.experiments, &audience.experiments)
    }

    /// Whether somebody may be both: a person may have several roles and be in several experiments, but comes by one
    /// channel and one partner, reads one language and gets one variant of an experiment.
    fn meets(&self, other: &Target) -> bool {
        let one_of = |a: &[String], b: &[String], are_apart: fn(&str, &str) -> bool| {
            a.is_empty() || b.is_empty() || a.iter().any(|one| b.iter().any(|other| !are_apart(one, other)))
        };
        one_of(&self.partners, &other.partners, |a, b| a != b)
            && one_of(&self.channels, &other.channels, |a, b| a != b)
            && one_of(&self.languages, &other.languages, |a, b| a != b)
            && one_of(&self.experiments, &other.experiments, |a, b| {
                a != b && a.split('/').next() == b.split('/').next()
            })
    }

    fn rank(&self) -> (usize, [bool; 5]) {
        let mut named = self.lists().map(|names| !names.is_empty());
        let count = named.iter().filter(|is| **is).count();
        named.reverse();
        (count, named)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = TARGETS.iter().zip(self.lists()).filter(|(_, names)| !names.is_empty());
        let said: Vec<String> = named.map(|(kind, names)| format!("{kind} {}", names.join(" or "))).collect();
        f.write_str(&said.join(" and "))
    }
}

#[derive(Clone, Debug)]
pub struct Variant {
    whom: Whom,
    /// Places of the variant's roles in its file.
    pub roles_at: Vec<Node>,
    /// What else `for` names: a partner, a channel, a language or an experiment, with its place.
    pub named_at: Vec<(&'static str, Node)>,
    pub merge: Value,
    /// `merge` as it stands in its file.
    pub(crate) patch: Node,
    pub require: Vec<(bool, String)>,
    /// Where it stands in its file.
    pub span: Span,
}

/// Who gets something else.
#[derive(Clone, Debug)]
enum Whom {
    Those(Target),
    /// Who has none of the roles that a field is for (`x-roles`).
    Others(Vec<String>),
    /// Who cannot agree to anything.
    Deputies,
}

impl fmt::Display for Whom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Whom::Those(target) => target.fmt(f),
            Whom::Others(roles) => write!(f, "whoever is not {}", roles.join(" or ")),
            Whom::Deputies => f.write_str("whoever cannot agree to anything"),
        }
    }
}

/// Most variants: one for each bit of the mask that names a combination.
pub const VARIANTS_MAX: usize = 64;

impl Variant {
    /// `more`: keys beside those of every variant.
    pub fn read(node: &Node, more: &[&str], problems: &mut Vec<Problem>) -> Option<Variant> {
        let keys = [&["for", "merge", "over", "description"], more].concat();
        let mut fields = MapReader::open(node, "a variant", &keys, problems)?;
        let at = fields.need("for")?;
        let target = Target::read(at, fields.problems)?;
        let named = |key: &'static str| at.get(key).map_or(&[][..], Node::items).iter().map(move |node| (key, node));
        let roles_at = named("role").map(|(_, node)| node.clone()).collect();
        let others = TARGETS.into_iter().filter(|key| *key != "role");
        let named_at = others.flat_map(named).map(|(key, node)| (key, node.clone())).collect();
        let nothing = || Node::new(node.span.clone(), Source::Map(Vec::new()));
        let patch = fields.get("merge").cloned().unwrap_or_else(nothing);
        let merge = patch.to_json();
        let mut require = Vec::new();
        for item in fields.list("require") {
            match item.as_str().map(|t| (t.strip_prefix('+'), t.strip_prefix('-'))) {
                Some((Some(name), _)) => require.push((true, name.to_owned())),
                Some((_, Some(name))) => require.push((false, name.to_owned())),
                _ => fields.problems.push(Problem::error("value", &item.span, "`require` takes `+name` and `-name`")),
            }
        }
        let (whom, span) = (Whom::Those(target), node.span.clone());
        let variant = Variant { whom, roles_at, named_at, merge, patch, require, span };
        variant.refuse_more_than_words(node, problems);
        Some(variant)
    }

    /// A variant for a language changes words alone: two people answer the same, whatever they read.
    fn refuse_more_than_words(&self, node: &Node, problems: &mut Vec<Problem>) {
        let Whom::Those(target) = &self.whom else { return };
        if target.languages.is_empty() {
            return;
        }
        let is_words = |(pointer, value): &(String, &Value)| {
            let mut keys = pointer.rsplit('/').filter(|key| key.parse::<usize>().is_err());
            value.is_string() && keys.next().is_some_and(translation::are_words)
                || pointer.split('/').any(|key| ["x-messages", "messages"].contains(&key))
        };
        let more = self.changes().into_iter().find(|change| !is_words(change)).map(|(pointer, _)| pointer);
        let more = more.or_else(|| self.require.first().map(|(_, name)| format!("require {name}")));
        if let Some(what) = more {
            let message = format!("a variant for a language changes words alone, not `{what}`");
            problems.push(Problem::error("value", &node.span, message));
        }
    }

    /// Cuts a field for everybody but those whose roles its `x-roles` names.
    pub fn reserving(name: &str, roles: &Node) -> Variant {
        let names = roles.items().iter().filter_map(Node::as_str).map(str::to_owned).collect();
        Variant { whom: Whom::Others(names), roles_at: roles.items().to_vec(), ..Variant::without(&[name], roles) }
    }

    /// Cuts the fields by which a person agrees to something, for who cannot.
    pub fn of_deputies(consents: &[&str], form: &Node) -> Variant {
        Variant::without(consents, form)
    }

    fn without(names: &[&str], at: &Node) -> Variant {
        let gone: Map<String, Value> = names.iter().map(|name| ((*name).to_owned(), Value::Null)).collect();
        let require = names.iter().map(|name| (false, (*name).to_owned())).collect();
        let merge = json!({"properties": gone});
        Variant {
            whom: Whom::Deputies,
            roles_at: Vec::new(),
            named_at: Vec::new(),
            merge,
            patch: Node::new(at.span.clone(), Source::Map(Vec::new())),
            require,
            span: at.span.clone(),
        }
    }

    /// Where it comes among the variants of one thing.
    fn rank(&self) -> (usize, [bool; 5]) {
        let Whom::Those(target) = &self.whom else { return (usize::MAX, [true; 5]) };
        target.rank()
    }

    /// Those that authors wrote, in the order in which they apply; two that could both apply, of the same rank, do not
    /// change the same thing.
    pub fn in_order(mut variants: Vec<Variant>, problems: &mut Vec<Problem>) -> Vec<Variant> {
        variants.sort_by_key(Variant::rank);
        for (i, one) in variants.iter().enumerate() {
            let others = variants[..i].iter().filter(|other| other.rank() == one.rank() && other.whom.meets(&one.whom));
            for other in others {
                let same = one.changes().into_iter().find(|(pointer, value)| {
                    other.changes().iter().any(|(known, before)| known == pointer && before != value)
                });
                if let Some((pointer, _)) = same {
                    let message = format!(
                        "`{pointer}` is changed for {} here and for {} on line {}",
                        one.whom, other.whom, other.span.line
                    );
                    let problem = Problem::error("variant-conflict", &one.span, message);
                    problems.push(problem.hint("name more in `for` where one of them should win"));
                }
            }
        }
        variants
    }

    /// What its merge changes: pointers and the values there.
    pub fn changes(&self) -> Vec<(String, &Value)> {
        let mut changes = Vec::new();
        leaves(&self.merge, String::new(), &mut changes);
        changes
    }

    /// In words: `role agent and channel app`.
    pub fn whom(&self) -> String {
        self.whom.to_string()
    }

    pub fn fits(&self, audience: &Audience) -> bool {
        let has = |role: &String| audience.roles.contains(role);
        match &self.whom {
            Whom::Those(target) => target.fits(audience),
            Whom::Others(roles) => !roles.iter().any(has),
            Whom::Deputies => audience.is_deputy,
        }
    }

    /// Those that an audience gets: a bit for each.
    pub fn set_for(variants: &[Variant], audience: &Audience) -> u64 {
        let fitting = variants.iter().enumerate().filter(|(_, variant)| variant.fits(audience));
        fitting.fold(0, |set, (at, _)| set | 1 << at)
    }

    pub fn apply(&self, form: &mut Value) {
        patch(form, &self.merge);
        for (adds, path) in &self.require {
            let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
            let mut parts = above.split('/').filter(|part| !part.is_empty());
            let level = parts.try_fold(&mut *form, |at, part| inside(at.get_mut("properties")?.get_mut(part)?));
            let Some(level) = level.and_then(Value::as_object_mut) else { continue };
            let mut required: Vec<Value> = level.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
            required.retain(|r| r != name);
            if *adds {
                required.push(Value::String(name.to_owned()));
            }
            level.insert("required".into(), Value::Array(required));
        }
    }
}

impl Whom {
    /// Whether somebody may be both.
    fn meets(&self, other: &Whom) -> bool {
        matches!((self, other), (Whom::Those(one), Whom::Those(other)) if one.meets(other))
    }
}

/// What `over` of a variant says was there, held against what is there; `what` is its base: `form`.
pub fn refuse_lost_changes(variant: &Node, base: &Node, what: &str, problems: &mut Vec<Problem>) {
    let Some(over) = variant.get("over") else { return };
    let base = base.to_json();
    let merge = variant.get("merge").map_or(json!({}), Node::to_json);
    for (pointer, before) in over.map() {
        let now = base.pointer(&pointer.name);
        if merge.pointer(&pointer.name).is_none() {
            let message = format!("`merge` replaces nothing at `{}`", pointer.name);
            problems
                .push(Problem::error("value", &pointer.span, message).hint("a pointer like /properties/name/title"));
        } else if now != Some(&before.to_json()) {
            let now = now.map_or("nothing".to_owned(), Value::to_string);
            let message = format!("this was written over {}, and the {what} has {now} there", before.to_json());
            let problem = Problem::error("variant-conflict", &before.span, message);
            problems
                .push(problem.hint("look at both, then write in `over` what is there now, or leave the change out"));
        }
    }
}

fn leaves<'v>(value: &'v Value, pointer: String, found: &mut Vec<(String, &'v Value)>) {
    match value.as_object().filter(|map| !map.is_empty()) {
        Some(map) => {
            for (key, inner) in map {
                let key = key.replace('~', "~0").replace('/', "~1");
                leaves(inner, format!("{pointer}/{key}"), found);
            }
        }
        None if pointer.is_empty() => {}
        None => found.push((pointer, value)),
    }
}

/// The object that a field is, or that the rows of its list are.
fn inside(rule: &mut Value) -> Option<&mut Value> {
    if rule.get("properties").is_some() { Some(rule) } else { rule.get_mut("items") }
}

/// Patches a value with another one (RFC 7396).
pub fn patch(target: &mut Value, with: &Value) {
    let Value::Object(entries) = with else {
        *target = with.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Some(map) = target.as_object_mut() else { return };
    for (key, value) in entries {
        if value.is_null() {
            map.shift_remove(key);
        } else {
            patch(map.entry(key.clone()).or_insert(Value::Null), value);
        }
    }
}
