//! Actions, and the values in them.

use super::body::Compiler;
use super::keys;
use super::model::{Action, Assignment, Delay, Output, Raise};
use crate::duration::parse_duration_ms;
use crate::expression::Expression;
use crate::problem::Problem;
use crate::source::{Node, Span, Value as Source};
use crate::suggest::did_you_mean;
use crate::vocabulary::{Dialect, Field};
use serde_json::Value;

impl Compiler<'_, '_> {
    /// One action or a list.
    pub fn actions(&mut self, node: Option<&Node>) -> Vec<Action> {
        node.map_or(&[][..], Node::items).iter().filter_map(|action| self.action(action)).collect()
    }

    fn action(&mut self, node: &Node) -> Option<Action> {
        match &node.value {
            Source::String(kind) => self.named_action(kind, node),
            Source::Map(_) if node.get("type").is_some() => {
                let kind = keys::string(node, "type", self.problems)?.to_owned();
                self.named_action(&kind, node)
            }
            Source::Map(entries) => {
                let (key, value) = match entries.as_slice() {
                    [(key, value)] => (key, value),
                    _ => {
                        self.report(Problem::error(
                            "shape",
                            &node.span,
                            "an action has one of `assign`, `raise`, `cancel`, or a `type`",
                        ));
                        return None;
                    }
                };
                match key.name.as_str() {
                    "assign" => self.assign(value),
                    "raise" => self.raise(value),
                    "cancel" => match value.as_str() {
                        Some(id) => Some(Action::Cancel(id.into())),
                        None => {
                            self.report(Problem::error(
                                "shape",
                                &value.span,
                                format!("`cancel` names a raise by its id, not by {}", value.kind()),
                            ));
                            None
                        }
                    },
                    other => {
                        let hint = did_you_mean(other, ["assign", "raise", "cancel", "type"]);
                        let message = format!("unknown action `{other}`");
                        self.report(
                            Problem::error("unknown-action", &key.span, message)
                                .maybe_hint(hint.or(Some("a named action has a `type`".into()))),
                        );
                        None
                    }
                }
            }
            _ => {
                self.report(Problem::error(
                    "shape",
                    &node.span,
                    format!("an action is a name or a map, not {}", node.kind()),
                ));
                None
            }
        }
    }

    fn named_action(&mut self, kind: &str, node: &Node) -> Option<Action> {
        let given = node.map().iter().filter(|(key, _)| key.name != "type");
        let Some(known) = self.vocabulary.actions.get(kind) else {
            if self.vocabulary.strict_actions {
                let span = node.get("type").map_or(&node.span, |t| &t.span);
                let hint = did_you_mean(kind, self.vocabulary.actions.keys().map(String::as_str));
                self.report(
                    Problem::error("unknown-action", span, format!("unknown action `{kind}`")).maybe_hint(hint),
                );
                return None;
            }
            let fields = given.map(|(key, value)| (key.name.clone(), Expression::literal(value.to_json()))).collect();
            return Some(self.number(kind, fields));
        };
        let mut fields = Vec::new();
        for (key, value) in given {
            match known.get(&key.name) {
                Some(Field::Name) => fields.push((key.name.clone(), Expression::literal(value.to_json()))),
                Some(Field::Value) => fields.push((key.name.clone(), self.mapping(value))),
                None => {
                    let hint = did_you_mean(&key.name, known.keys().map(String::as_str));
                    self.report(
                        Problem::error(
                            "unknown-key",
                            &key.span,
                            format!("unknown key `{}` in action `{kind}`", key.name),
                        )
                        .maybe_hint(hint),
                    );
                }
            }
        }
        Some(self.number(kind, fields))
    }

    fn number(&mut self, kind: &str, fields: Vec<(String, Expression)>) -> Action {
        self.named.push(fields);
        Action::Named { kind: kind.into(), number: self.named.len() - 1 }
    }

    fn assign(&mut self, node: &Node) -> Option<Action> {
        if !node.is_map() {
            self.report(Problem::error("shape", &node.span, format!("`assign` is a map, not {}", node.kind())));
            return None;
        }
        let mut assignments = Vec::new();
        for (key, value) in node.map() {
            let dotted = self.vocabulary.dialect == Dialect::Rich;
            let path: Vec<String> =
                if dotted { key.name.split('.').map(str::to_owned).collect() } else { vec![key.name.clone()] };
            if path.iter().any(String::is_empty) {
                self.report(Problem::error("bad-key", &key.span, format!("`{}` is no key to assign", key.name)));
            }
            let span = key.span.clone();
            assignments.push(Assignment { path, value: self.value(value), span });
        }
        Some(Action::Assign(assignments))
    }

    fn raise(&mut self, node: &Node) -> Option<Action> {
        if !keys::check(node, keys::RAISE, "`raise`", self.problems) {
            return None;
        }
        let kind = keys::string(node, "type", self.problems);
        if node.get("type").is_none() {
            self.report(Problem::error("shape", &node.span, "`raise` needs a `type`"));
        }
        let params = match node.get("params") {
            Some(params) if !params.is_map() => {
                self.report(Problem::error("shape", &params.span, format!("`params` is a map, not {}", params.kind())));
                Vec::new()
            }
            params => params.map_or(&[][..], Node::map).iter().map(|(k, v)| (k.name.clone(), self.value(v))).collect(),
        };
        let delay = node.get("delay").and_then(|delay| match &delay.value {
            Source::Int(_) | Source::String(_) => self.delay(&delay.to_json(), &delay.span),
            _ => {
                self.report(Problem::error(
                    "bad-duration",
                    &delay.span,
                    format!("`delay` is a duration, not {}", delay.kind()),
                ));
                None
            }
        });
        let id = keys::string(node, "id", self.problems).map(Into::into);
        Some(Action::Raise(Raise { kind: kind?.into(), params, delay, id }))
    }

    /// A duration, or the name of a delay.
    pub fn delay(&mut self, written: &Value, span: &Span) -> Option<Delay> {
        let text = match written {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if let Some((name, expression)) = self.vocabulary.delays.get_key_value(&text) {
            let value = self.value(expression);
            return Some(Delay::Named(name.as_str().into(), value));
        }
        match parse_duration_ms(&text) {
            Ok(ms) => Some(Delay::Fixed(ms)),
            Err(message) => {
                let hint = did_you_mean(&text, self.vocabulary.delays.keys().map(String::as_str));
                let hint =
                    hint.unwrap_or_else(|| "write `500` (milliseconds), `500ms`, `30s`, `5m`, `2h` or `1d`".into());
                self.report(Problem::error("bad-duration", span, message).hint(hint));
                None
            }
        }
    }

    /// A string is CEL, any other JSON a literal; in the rich dialect a tree of expressions.
    pub fn value(&mut self, node: &Node) -> Expression {
        match (node.as_str(), self.vocabulary.dialect) {
            (Some(_), _) | (None, Dialect::Rich) => self.mapping(node),
            (None, Dialect::Plain) => Expression::literal(node.to_json()),
        }
    }

    pub fn output(&mut self, node: &Node) -> Output {
        if node.is_map() {
            Output::Map(node.map().iter().map(|(k, v)| (k.name.clone(), self.value(v))).collect())
        } else {
            Output::Value(self.value(node))
        }
    }

    /// A tree whose strings are CEL and whose other values are literal.
    pub fn mapping(&mut self, node: &Node) -> Expression {
        let mut problems = Vec::new();
        let read = Expression::read(node, self.vocabulary, &[], &mut problems);
        problems.into_iter().for_each(|problem| self.report(problem));
        read.unwrap_or_else(|| Expression::literal(Value::Null))
    }
}
