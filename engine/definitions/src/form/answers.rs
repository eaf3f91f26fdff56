//! What a form asks, given the answers so far: which fields are shown, which of them are required.

use super::condition::{Answers, holds};
use super::level::{Field, Holds, Level, Normalisers};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::LazyLock;

/// A field that is shown.
pub struct ShownField<'a> {
    pub pointer: Cow<'a, str>,
    pub field: &'a Field,
    pub required: bool,
    pub value: Option<&'a Value>,
}

/// Whether a field of a drawn form is shown beside these answers.
pub fn is_asked(schema: &Value, data: &Map<String, Value>, pointer: &str) -> bool {
    let level = Level::read(schema, &Normalisers::new());
    shown_fields(&level, data).iter().any(|field| field.pointer == pointer)
}

/// Takes away the values of fields that are not shown, until nothing more is hidden, and optional objects that nothing
/// is left of.
pub fn prune(level: &Level, data: &mut Value) {
    loop {
        let mut hidden = Vec::new();
        if let Some(root) = data.as_object() {
            find_hidden(level, Answers { own: root, root }, &mut Vec::new(), &mut hidden);
        }
        if hidden.is_empty() {
            break;
        }
        hidden.iter().for_each(|path| remove(data, path));
    }
    drop_empty(level, data);
}

#[derive(Clone, Copy)]
enum PointerSegment<'a> {
    Name(&'a str),
    Row(usize),
}

fn find_hidden<'a>(
    level: &'a Level,
    answers: Answers<'_>,
    at: &mut Vec<PointerSegment<'a>>,
    hidden: &mut Vec<Vec<PointerSegment<'a>>>,
) {
    for field in &level.fields {
        let is_shown = is_shown(field, answers);
        if is_shown && matches!(field.holds, Holds::Value) {
            continue;
        }
        let Some(value) = answers.own.get(&field.name) else { continue };
        at.push(PointerSegment::Name(&field.name));
        if !is_shown {
            hidden.push(at.clone());
        } else if let (Holds::Object(inner), Some(own)) = (&field.holds, value.as_object()) {
            find_hidden(inner, Answers { own, ..answers }, at, hidden);
        } else {
            for (i, (row, value)) in field.rows(value).enumerate() {
                let Some(own) = value.as_object() else { continue };
                at.push(PointerSegment::Row(i));
                find_hidden(row, Answers { own, ..answers }, at, hidden);
                at.pop();
            }
        }
        at.pop();
    }
}

fn is_shown(field: &Field, answers: Answers<'_>) -> bool {
    field.shown_when.iter().all(|condition| holds(condition, answers))
}

fn remove(data: &mut Value, path: &[PointerSegment<'_>]) {
    let Some((last, above)) = path.split_last() else { return };
    let found = above.iter().try_fold(data, |at, part| match *part {
        PointerSegment::Name(name) => at.get_mut(name),
        PointerSegment::Row(row) => at.get_mut(row),
    });
    if let (Some(Value::Object(map)), PointerSegment::Name(name)) = (found, last) {
        map.shift_remove(*name);
    }
}

fn drop_empty(level: &Level, data: &mut Value) {
    let Some(map) = data.as_object_mut() else { return };
    for field in level.fields.iter().filter(|field| !matches!(field.holds, Holds::Value)) {
        match (&field.holds, map.get_mut(&field.name)) {
            (Holds::Object(inner), Some(value @ Value::Object(_))) => {
                drop_empty(inner, value);
                if value.as_object().is_some_and(Map::is_empty) && !field.is_required {
                    map.shift_remove(&field.name);
                }
            }
            (Holds::Rows(rows), Some(Value::Array(items))) => items.iter_mut().enumerate().for_each(|(i, item)| {
                if let Some(row) = rows.level(i) {
                    drop_empty(row, item);
                }
            }),
            _ => {}
        }
    }
}

/// All fields that are shown, in the order of the form. `data` was normalised and pruned.
pub fn shown_fields<'a>(level: &'a Level, data: &'a Map<String, Value>) -> Vec<ShownField<'a>> {
    let mut found = Vec::with_capacity(level.fields.len());
    visit(level, Answers { own: data, root: data }, "", true, &mut found);
    found
}

/// `is_needed`: an optional object without answers asks for nothing, though its fields are shown.
fn visit<'a>(level: &'a Level, answers: Answers<'a>, at: &str, is_needed: bool, found: &mut Vec<ShownField<'a>>) {
    static NOTHING: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
    for field in level.fields.iter().filter(|field| is_shown(field, answers)) {
        let pointer = if at.is_empty() { Cow::Borrowed(&*field.part) } else { format!("{at}{}", field.part).into() };
        let value = answers.own.get(&field.name);
        let when = || field.required_when.as_ref().is_some_and(|condition| holds(condition, answers));
        let required = is_needed && (field.is_required || when());
        let place = found.len();
        found.push(ShownField { pointer: Cow::default(), field, required, value });
        if let Holds::Object(inner) = &field.holds {
            let own = value.and_then(Value::as_object);
            visit(inner, Answers { own: own.unwrap_or(&NOTHING), ..answers }, &pointer, own.is_some(), found);
        } else if let Some(value) = value {
            for (i, (row, value)) in field.rows(value).enumerate() {
                if let Some(own) = value.as_object() {
                    visit(row, Answers { own, ..answers }, &format!("{pointer}/{i}"), true, found);
                }
            }
        }
        found[place].pointer = pointer;
    }
}
