//! Whether what was drawn is of the kind that its keys declare. Views are worked out from answers of customers and of
//! partners, of which nobody knows before what they are: a value of another kind is left out by itself, and takes no
//! page with it.

use super::{Gives, Key, SHOWN, Side, Takes, blocks};
use crate::shape::{Misfit, kind_phrase};
use serde_json::{Map, Value};

/// Takes out of drawn blocks what is of another kind than its key takes; what cannot be without it goes as a whole.
/// What went is returned: a JSON pointer below the list, and why.
pub fn retain_fitting(blocks: &mut Value) -> Vec<Misfit> {
    let mut fit = Fit::default();
    if !fit.value(Takes::Blocks, blocks) {
        *blocks = Value::Array(Vec::new());
    }
    fit.misfits
}

#[derive(Default)]
struct Fit {
    /// Segments of the place that is looked at.
    at: Vec<String>,
    misfits: Vec<Misfit>,
}

impl Fit {
    /// Whether the value, without what was taken out of it, is what the key takes.
    fn value(&mut self, takes: Takes, value: &mut Value) -> bool {
        let is_fit = match (takes, &mut *value) {
            (Takes::Words, Value::String(_)) | (Takes::Unanswered(_), _) => true,
            (Takes::Prose, given) => Gives::Prose.accepts(given),
            (Takes::Name(of), Value::String(word)) => of.is_empty() || of.contains(&word.as_str()),
            (Takes::Value(gives), given) => gives.accepts(given),
            (Takes::Map(entry), Value::Object(map)) => return self.keys(entry.keys, map),
            (Takes::List(entry), Value::Array(items)) => return self.retain(Takes::Map(entry), items),
            (Takes::Blocks, Value::Array(items)) => return self.retain(Takes::Block, items),
            (Takes::Block, Value::Object(map)) => return self.block(map),
            (Takes::Values(gives), Value::Array(cells)) => return self.cells(Takes::Value(gives), cells),
            (Takes::Rows, Value::Array(rows)) => return self.retain(Takes::Values(Gives::Cell), rows),
            (Takes::Figures, Value::Object(figures)) => {
                for name in figures.keys().cloned().collect::<Vec<_>>() {
                    self.optional(&name, Takes::Value(Gives::Number), figures);
                }
                return true;
            }
            _ => false,
        };
        if !is_fit {
            let expected = match takes {
                Takes::Value(gives) => gives.phrase(),
                other => other.phrase(),
            };
            self.note(format!("is {expected}, not {}", kind_phrase(value)));
        }
        is_fit
    }

    fn block(&mut self, block: &mut Map<String, Value>) -> bool {
        let name = block.get("block").and_then(Value::as_str).unwrap_or_default();
        let Some(block_of) = blocks::find(name) else {
            self.note(format!("names no block: `{name}`"));
            return false;
        };
        self.keys(blocks::HEAD, block) && self.keys(block_of.keys, block)
    }

    fn keys(&mut self, keys: &[Key], map: &mut Map<String, Value>) -> bool {
        keys.iter().filter(|key| key.side != Side::Browser).all(|key| {
            if !key.is_needed {
                self.optional(key.name, key.takes, map);
                return true;
            }
            self.at.push(key.name.to_owned());
            let is_fit = match map.get_mut(key.name) {
                // drawn as a dash
                Some(Value::Null) if matches!(key.takes, Takes::Value(Gives::Shown | Gives::Cell | Gives::Data)) => {
                    true
                }
                Some(value) => self.value(key.takes, value),
                None => {
                    self.note("is missing".to_owned());
                    false
                }
            };
            self.at.pop();
            is_fit
        })
    }

    fn optional(&mut self, name: &str, takes: Takes, map: &mut Map<String, Value>) {
        let Some(value) = map.get_mut(name).filter(|value| !value.is_null()) else { return };
        self.at.push(name.to_owned());
        let is_fit = self.value(takes, value);
        self.at.pop();
        if !is_fit {
            map.shift_remove(name);
        }
    }

    fn retain(&mut self, takes: Takes, items: &mut Vec<Value>) -> bool {
        let mut at = 0;
        items.retain_mut(|item| {
            self.at.push(at.to_string());
            let is_fit = self.value(takes, item);
            self.at.pop();
            at += 1;
            is_fit
        });
        true
    }

    /// Cells stand below columns: one that does not fit stays empty.
    fn cells(&mut self, takes: Takes, cells: &mut [Value]) -> bool {
        for (at, cell) in cells.iter_mut().enumerate().filter(|(_, cell)| !cell.is_null()) {
            self.at.push(at.to_string());
            if !self.value(takes, cell) {
                *cell = Value::Null;
            }
            self.at.pop();
        }
        true
    }

    fn note(&mut self, message: String) {
        let pointer = self.at.iter().flat_map(|segment| ["/", segment]).collect();
        self.misfits.push(Misfit { pointer, message });
    }
}

impl Gives {
    /// Whether a value is of this kind.
    fn accepts(self, value: &Value) -> bool {
        match self {
            Gives::Shown | Gives::Cell => match value {
                Value::Array(_) => false,
                Value::Object(map) => map.len() == 1 && map.iter().all(|(kind, of)| is_shown(kind, of)),
                _ => true,
            },
            Gives::Text => value.is_string(),
            Gives::Prose => value.is_string() || value.is_array(),
            Gives::Number => value.is_number(),
            Gives::Flag => value.is_boolean(),
            Gives::Paise => value.as_object().is_some_and(|map| map.get("paise").is_some_and(Value::is_i64)),
            Gives::Texts => value.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
            Gives::List => value.is_array(),
            Gives::Data => value.is_object(),
            Gives::OneOf(of) => value.as_str().is_some_and(|word| of.contains(&word)),
            Gives::Anything => true,
        }
    }
}

/// Whether `{paise}`, `{percent}`, `{date}` … can be drawn: amounts are whole numbers, the rest texts or numbers.
fn is_shown(kind: &str, of: &Value) -> bool {
    match kind {
        "paise" => of.is_i64(),
        "percent" | "height" => of.is_number(),
        _ => SHOWN.contains(&kind) && of.is_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_of_another_kind_goes_by_itself() {
        let offer = |more: Value| {
            let mut offer = json!({"id": "a", "provider": {"name": "A"}, "state": "answered"});
            offer.as_object_mut().expect("a map").extend(more.as_object().expect("a map").clone());
            offer
        };
        for (drawn, left, said) in [
            (
                json!([{"block": "options", "items": [offer(json!({"tags": "cashless"}))]}]),
                json!([{"block": "options", "items": [offer(json!({}))]}]),
                "`/0/items/0/tags` is a list of texts, not a text",
            ),
            (
                json!([{"block": "facts", "items": [{"label": "Price", "value": {"paise": "7048"}}, {"label": "Days", "value": null}]}]),
                json!([{"block": "facts", "items": [{"label": "Days", "value": null}]}]),
                "`/0/items/0/value` is",
            ),
            (
                json!([{"block": "table", "columns": [{"title": "A"}], "rows": [["a", {"paise": null}], [1, true]]}]),
                json!([{"block": "table", "columns": [{"title": "A"}], "rows": [["a", null], [1, true]]}]),
                "`/0/rows/0/1` is",
            ),
            (
                json!([{"block": "facts", "items": null}, {"block": "notice", "text": "x"}]),
                json!([{"block": "notice", "text": "x"}]),
                "`/0/items` is a list: Fact, not null",
            ),
            (
                json!([{"block": "options", "items": [offer(json!({"sort": {"price": 1, "claims": "98"}}))]}]),
                json!([{"block": "options", "items": [offer(json!({"sort": {"price": 1}}))]}]),
                "`/0/items/0/sort/claims` is a number, not a text",
            ),
        ] {
            let mut blocks = drawn;
            let misfits: Vec<String> = retain_fitting(&mut blocks).iter().map(Misfit::to_string).collect();
            assert_eq!(blocks, left);
            assert!(matches!(misfits.as_slice(), [one] if one.starts_with(said)), "{misfits:?}");
        }
    }

    #[test]
    fn what_fits_stays_as_it_is() {
        let blocks = json!([
            {"block": "breakup", "lines": [{"label": "Total", "value": {"paise": 1}, "kind": "total"}]},
            {"block": "prose", "text": [{"is": "p", "of": ["x"]}]},
            {"block": "coverage", "columns": [{"title": "A"}], "items": [{"label": "B", "values": [true, "no"]}]},
            {"block": "form"},
        ]);
        let mut drawn = blocks.clone();
        assert_eq!(retain_fitting(&mut drawn), []);
        assert_eq!(drawn, blocks);
    }
}
