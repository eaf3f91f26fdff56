//! Variants: a small patch for a role, channel or partner. `merge` is RFC 7396; `require` adds (`+x`)
//! and removes (`-people/y`) names, since merging replaces lists. Whoever several are for gets those with fewer names in
//! `for` first, and of as many a partner's, then a channel's, then a role's; `over` says what a merge replaced, so that a
//! changed form does not lose its change in silence.

use super::Audience;
use crate::fields::MapReader;
use crate::source::Node;
use engine_statechart::Problem;
use engine_statechart::source::Span;
use serde_json::{Map, Value, json};
use std::fmt;

#[derive(Clone, Debug)]
pub struct Variant {
    whom: Whom,
    /// Places of the variant's roles in its file.
    pub roles_at: Vec<Node>,
    pub merge: Value,
    pub require: Vec<(bool, String)>,
    /// Where it stands in its file.
    pub span: Span,
}

/// Who gets the form changed.
#[derive(Clone, Debug)]
enum Whom {
    /// All given conditions hold; one of each list is enough.
    Those { roles: Vec<String>, channels: Vec<String>, partners: Vec<String> },
    /// Who has none of the roles that a field is for (`x-roles`).
    Others(Vec<String>),
    /// Who cannot agree to anything.
    Deputies,
}

impl fmt::Display for Whom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Whom::Those { roles, channels, partners } => {
                let said = [("role", roles), ("channel", channels), ("partner", partners)];
                let said = said.iter().filter(|(_, names)| !names.is_empty());
                let said: Vec<String> = said.map(|(kind, names)| format!("{kind} {}", names.join(" or "))).collect();
                f.write_str(&said.join(" and "))
            }
            Whom::Others(roles) => write!(f, "whoever is not {}", roles.join(" or ")),
            Whom::Deputies => f.write_str("whoever cannot agree to anything"),
        }
    }
}

/// Most variants: one for each bit of the mask that names a combination.
pub const VARIANTS_MAX: usize = 64;

impl Variant {
    pub fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Variant> {
        let mut fields =
            MapReader::open(node, "a variant", &["for", "merge", "require", "over", "description"], problems)?;
        let target = fields.need("for")?;
        let mut rule = MapReader::open(target, "`for` of a variant", &["role", "channel", "partner"], fields.problems)?;
        let (roles, channels, partners) = (rule.texts("role"), rule.texts("channel"), rule.texts("partner"));
        let roles_at = rule.get("role").map_or(&[][..], Node::items).to_vec();
        if roles.is_empty() && channels.is_empty() && partners.is_empty() {
            rule.problems.push(Problem::error(
                "missing",
                &target.span,
                "a variant is for a role, a channel or a partner",
            ));
        }
        let merge = fields.get("merge").map_or(json!({}), Node::to_json);
        let mut require = Vec::new();
        for item in fields.list("require") {
            match item.as_str().map(|t| (t.strip_prefix('+'), t.strip_prefix('-'))) {
                Some((Some(name), _)) => require.push((true, name.to_owned())),
                Some((_, Some(name))) => require.push((false, name.to_owned())),
                _ => fields.problems.push(Problem::error("value", &item.span, "`require` takes `+name` and `-name`")),
            }
        }
        Some(Variant {
            whom: Whom::Those { roles, channels, partners },
            roles_at,
            merge,
            require,
            span: node.span.clone(),
        })
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
        Variant { whom: Whom::Deputies, roles_at: Vec::new(), merge, require, span: at.span.clone() }
    }

    /// Where it comes among the variants of a form.
    fn rank(&self) -> (usize, [bool; 3]) {
        let Whom::Those { roles, channels, partners } = &self.whom else { return (usize::MAX, [true; 3]) };
        let named = [roles, channels, partners].map(|names| !names.is_empty());
        (named.iter().filter(|is| **is).count(), named)
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
        let one_of = |list: &[String], value: &str| list.is_empty() || list.iter().any(|v| v == value);
        match &self.whom {
            Whom::Those { roles, channels, partners } => {
                (roles.is_empty() || roles.iter().any(has))
                    && one_of(channels, &audience.channel)
                    && one_of(partners, audience.partner.as_deref().unwrap_or_default())
            }
            Whom::Others(roles) => !roles.iter().any(has),
            Whom::Deputies => audience.is_deputy,
        }
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
        let (Whom::Those { channels: c, partners: p, .. }, Whom::Those { channels, partners, .. }) = (self, other)
        else {
            return false;
        };
        // A person may have several roles, but comes by one channel and one partner.
        let one_of = |a: &[String], b: &[String]| a.is_empty() || b.is_empty() || a.iter().any(|name| b.contains(name));
        one_of(c, channels) && one_of(p, partners)
    }
}

/// What `over` of a variant says was there, held against what is there.
pub fn refuse_lost_changes(variant: &Node, form: &Node, problems: &mut Vec<Problem>) {
    let Some(over) = variant.get("over") else { return };
    let form = form.to_json();
    let merge = variant.get("merge").map_or(json!({}), Node::to_json);
    for (pointer, before) in over.map() {
        let now = form.pointer(&pointer.name);
        if merge.pointer(&pointer.name).is_none() {
            let message = format!("`merge` replaces nothing at `{}`", pointer.name);
            problems
                .push(Problem::error("value", &pointer.span, message).hint("a pointer like /properties/name/title"));
        } else if now != Some(&before.to_json()) {
            let now = now.map_or("nothing".to_owned(), Value::to_string);
            let message = format!("this was written over {}, and the form has {now} there", before.to_json());
            let problem = Problem::error("variant-conflict", &before.span, message);
            problems.push(problem.hint("look at both, then write what the form has now, or take the form's"));
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
