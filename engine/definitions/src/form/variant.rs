//! Variants: a small patch for a role, channel or partner. `merge` is RFC 7396; `require` adds (`+x`)
//! and removes (`-people/y`) names, since merging replaces lists.

use super::Audience;
use crate::fields::MapReader;
use crate::source::Node;
use engine_statechart::Problem;
use serde_json::{Map, Value, json};

#[derive(Clone, Debug)]
pub struct Variant {
    whom: Whom,
    /// Places of the variant's roles in its file.
    pub roles_at: Vec<Node>,
    pub merge: Value,
    pub require: Vec<(bool, String)>,
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

/// Most variants: one for each bit of the mask that names a combination.
pub const VARIANTS_MAX: usize = 64;

impl Variant {
    pub fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Variant> {
        let mut fields = MapReader::open(node, "a variant", &["for", "merge", "require", "description"], problems)?;
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
        Some(Variant { whom: Whom::Those { roles, channels, partners }, roles_at, merge, require })
    }

    /// Cuts a field for everybody but those whose roles its `x-roles` names.
    pub fn reserving(name: &str, roles: &Node) -> Variant {
        let names = roles.items().iter().filter_map(Node::as_str).map(str::to_owned).collect();
        Variant { whom: Whom::Others(names), roles_at: roles.items().to_vec(), ..Variant::without(&[name]) }
    }

    /// Cuts the fields by which a person agrees to something, for who cannot.
    pub fn of_deputies(consents: &[&str]) -> Variant {
        Variant::without(consents)
    }

    fn without(names: &[&str]) -> Variant {
        let gone: Map<String, Value> = names.iter().map(|name| ((*name).to_owned(), Value::Null)).collect();
        let require = names.iter().map(|name| (false, (*name).to_owned())).collect();
        Variant { whom: Whom::Deputies, roles_at: Vec::new(), merge: json!({"properties": gone}), require }
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
