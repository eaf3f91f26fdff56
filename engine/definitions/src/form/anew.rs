//! What a form of a request that is begun anew may hold of what was answered before.

use super::rules::HEALTH;
use super::{Form, agrees, properties};
use crate::uploads;
use serde_json::Value;

impl Form {
    /// The answers without what is asked anew: what a person agrees to, since nobody agrees by going on; medical answers,
    /// which may not be true any more; files; and fields with `x-again: false`. Also in rows and objects.
    pub fn answers_for_anew(&self, mut answers: Value) -> Value {
        let merges = self.variants.iter().map(|variant| &variant.merge);
        merges.chain([&self.tree]).for_each(|schema| leave_out(schema, &mut answers));
        answers
    }
}

fn leave_out(schema: &Value, answers: &mut Value) {
    if let Value::Array(rows) = answers {
        return rows.iter_mut().for_each(|row| leave_out(schema, row));
    }
    let Some(map) = answers.as_object_mut() else { return };
    for (name, rule) in properties(schema) {
        if is_asked_anew(rule) {
            map.shift_remove(name);
        } else if let Some(inner) = map.get_mut(name) {
            leave_out(rule.get("items").unwrap_or(rule), inner);
        }
    }
}

fn is_asked_anew(rule: &Value) -> bool {
    agrees(rule)
        || rule.get("x-pii").is_some_and(|kind| kind == HEALTH)
        || rule.get("x-again") == Some(&Value::Bool(false))
        || uploads::is_file(rule)
}
