//! Export to a JSON machine that XState 5 loads: shapes and targets are XState's own; expressions
//! become named guards and actions (`cel`, `cel.assign`, `cel.raise`, `cel.cancel`) whose `params`
//! hold them, for whoever provides implementations.

use crate::duration::parse_duration_ms;
use crate::expression::plain;
use crate::problem::Problem;
use crate::source::{Node, Value as Source};
use crate::vocabulary::{Dialect, Field, Vocabulary};
use serde_json::{Map, Value, json};

type Exported<T = Value> = Result<T, Problem>;

/// The machine of a definition; unknown keys are left out. What only the rich dialect says is written
/// out in plain CEL: values, short names, optional selection, trees of expressions.
pub fn export(machine: &Node, vocabulary: &Vocabulary) -> Exported {
    Export { vocabulary }.state(machine)
}

struct Export<'a> {
    vocabulary: &'a Vocabulary,
}

impl Export<'_> {
    fn state(&self, node: &Node) -> Exported {
        let mut out = Map::new();
        for (key, value) in node.map() {
            let exported = match key.name.as_str() {
                "id" | "type" | "context" | "history" | "target" | "description" | "tags" | "meta" => value.to_json(),
                "initial" if value.is_map() => json!({
                    "target": value.get("target").map(Node::to_json),
                    "actions": value.get("actions").map_or(Ok(json!([])), |actions| self.actions(actions))?,
                }),
                "initial" => value.to_json(),
                "states" => each(value, |state| self.state(state))?,
                "on" => each(value, |handler| self.transitions(handler))?,
                "always" | "onDone" => self.transitions(value)?,
                "after" => {
                    let entry =
                        |(delay, t): &(crate::source::Key, Node)| Ok((delay_key(&delay.name), self.transitions(t)?));
                    Value::Object(value.map().iter().map(entry).collect::<Exported<_>>()?)
                }
                "entry" | "exit" => self.actions(value)?,
                "invoke" => list(value, |invoke| self.invoke(invoke))?,
                "output" => json!({"cel": self.tree(value)?}),
                _ => continue,
            };
            out.insert(key.name.clone(), exported);
        }
        Ok(Value::Object(out))
    }

    fn invoke(&self, node: &Node) -> Exported {
        let mut out = Map::new();
        for (key, value) in node.map() {
            let exported = match key.name.as_str() {
                "onDone" | "onError" => self.transitions(value)?,
                "input" => json!({"cel": self.tree(value)?}),
                _ => value.to_json(),
            };
            out.insert(key.name.clone(), exported);
        }
        Ok(Value::Object(out))
    }

    fn transitions(&self, node: &Node) -> Exported {
        list(node, |transition| self.transition(transition))
    }

    fn transition(&self, node: &Node) -> Exported {
        if !node.is_map() {
            return Ok(json!({ "target": node.to_json() }));
        }
        let mut out = Map::new();
        for (key, value) in node.map() {
            let exported = match key.name.as_str() {
                "guard" => json!({"type": "cel", "params": {"expression": self.guard(value)?}}),
                "actions" => self.actions(value)?,
                _ => value.to_json(),
            };
            out.insert(key.name.clone(), exported);
        }
        Ok(Value::Object(out))
    }

    /// Makes guard objects one expression.
    fn guard(&self, node: &Node) -> Exported<String> {
        let joined = |list: &Node, sign: &str, empty: &str| {
            let part = |guard| Ok(format!("({})", self.guard(guard)?));
            let parts: Vec<String> = list.list().iter().map(part).collect::<Exported<_>>()?;
            Ok(if parts.is_empty() { empty.to_owned() } else { parts.join(sign) })
        };
        match &node.value {
            Source::String(_) => self.text(node),
            Source::Map(_) => match (node.get("and"), node.get("or"), node.get("not")) {
                (Some(list), _, _) => joined(list, " && ", "true"),
                (_, Some(list), _) => joined(list, " || ", "false"),
                (_, _, Some(inner)) => Ok(format!("!({})", self.guard(inner)?)),
                _ => Ok("false".to_owned()),
            },
            _ => Ok(node.to_json().to_string()),
        }
    }

    fn actions(&self, node: &Node) -> Exported {
        list(node, |action| self.action(action))
    }

    fn action(&self, node: &Node) -> Exported {
        let named = |kind: &str, params: Value| json!({"type": kind, "params": params});
        if node.get("type").is_some() || !node.is_map() {
            let kind = node.get("type").unwrap_or(node);
            let fields = kind.as_str().and_then(|kind| self.vocabulary.actions.get(kind));
            let mut params = Map::new();
            for (key, value) in node.map().iter().filter(|(key, _)| key.name != "type") {
                let is_value = fields.and_then(|f| f.get(&key.name)) == Some(&Field::Value);
                let value = if is_value { self.tree(value)? } else { value.to_json() };
                params.insert(key.name.clone(), value);
            }
            let kind = kind.to_json();
            return Ok(if params.is_empty() {
                json!({ "type": kind })
            } else {
                json!({"type": kind, "params": params})
            });
        }
        Ok(match node.map() {
            [(key, value)] if key.name == "assign" => named("cel.assign", each(value, |value| self.value(value))?),
            [(key, value)] if key.name == "raise" => {
                let mut raised = value.to_json();
                if let (Some(params), Some(slot)) = (value.get("params"), raised.get_mut("params")) {
                    *slot = each(params, |value| self.value(value))?;
                }
                named("cel.raise", raised)
            }
            [(key, value)] if key.name == "cancel" => named("cel.cancel", json!({"id": value.to_json()})),
            _ => named("cel", node.to_json()),
        })
    }

    /// One expression, or a literal.
    fn value(&self, node: &Node) -> Exported {
        let is_tree = self.vocabulary.dialect == Dialect::Rich && has_text(node);
        if node.as_str().is_some() || is_tree { self.text(node).map(Value::String) } else { Ok(node.to_json()) }
    }

    /// A tree whose strings are expressions.
    fn tree(&self, node: &Node) -> Exported {
        match &node.value {
            Source::String(_) => self.text(node).map(Value::String),
            Source::List(items) if items.iter().any(|item| item.is_map()) => self.value(node),
            Source::List(_) => list(node, |item| self.tree(item)),
            Source::Map(_) => each(node, |value| self.tree(value)),
            _ => Ok(node.to_json()),
        }
    }

    fn text(&self, node: &Node) -> Exported<String> {
        match (self.vocabulary.dialect, node.as_str()) {
            (Dialect::Plain, Some(text)) => Ok(text.to_owned()),
            _ => plain(node),
        }
    }
}

fn has_text(node: &Node) -> bool {
    match &node.value {
        Source::String(_) => true,
        Source::List(items) => items.iter().any(has_text),
        Source::Map(entries) => entries.iter().any(|(_, value)| has_text(value)),
        _ => false,
    }
}

fn each(map: &Node, export: impl Fn(&Node) -> Exported) -> Exported {
    let entry = |(key, value): &(crate::source::Key, Node)| Ok((key.name.clone(), export(value)?));
    map.map().iter().map(entry).collect::<Exported<_>>().map(Value::Object)
}

fn list(node: &Node, export: impl Fn(&Node) -> Exported) -> Exported {
    node.items().iter().map(export).collect::<Exported<_>>().map(Value::Array)
}

/// Key of a delay: milliseconds, or its name.
fn delay_key(written: &str) -> String {
    parse_duration_ms(written).map_or_else(|_| written.to_owned(), |ms| ms.to_string())
}
