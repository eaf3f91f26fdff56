//! Variants: a small patch for a role, channel or partner. `merge` is RFC 7396; `require` adds (`+x`)
//! and removes (`-people/y`) names, since merging replaces lists.

use super::Audience;
use crate::fields::Fields;
use crate::source::Node;
use engine_statechart::Problem;
use serde_json::{Map, Value, json};

#[derive(Clone, Debug)]
pub struct Variant {
    roles: Vec<String>,
    /// Where they stand.
    pub roles_at: Vec<Node>,
    channels: Vec<String>,
    partners: Vec<String>,
    pub merge: Value,
    pub require: Vec<(bool, String)>,
}

/// At most as many as bits of the mask that names a combination.
pub const VARIANTS_MAX: usize = 64;

impl Variant {
    pub fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Variant> {
        let mut fields = Fields::open(node, "a variant", &["for", "merge", "require", "description"], problems)?;
        let target = fields.need("for")?;
        let mut rule = Fields::open(target, "`for` of a variant", &["role", "channel", "partner"], fields.problems)?;
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
        Some(Variant { roles, roles_at, channels, partners, merge, require })
    }

    /// All given conditions hold; one of each list is enough.
    pub fn fits(&self, audience: &Audience) -> bool {
        let one_of = |list: &[String], value: &str| list.is_empty() || list.iter().any(|v| v == value);
        one_of(&self.roles, &audience.role)
            && one_of(&self.channels, &audience.channel)
            && one_of(&self.partners, audience.partner.as_deref().unwrap_or_default())
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

/// The object that a field is, or that the rows of its list are.
fn inside(rule: &mut Value) -> Option<&mut Value> {
    if rule.get("properties").is_some() { Some(rule) } else { rule.get_mut("items") }
}

/// RFC 7396.
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
