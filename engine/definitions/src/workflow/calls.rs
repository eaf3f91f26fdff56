//! Product calls → the core's `invoke {src, id, input, onDone, onError}` and an entry of the table
//! of calls.

use super::desugar::{Builder, StatePlace, text_node};
use super::invoke::SYSTEM;
use super::library::key;
use super::{Invoke, Reuse, Source};
use crate::contract::Contract;
use crate::fields::{MapReader, unknown};
use crate::layout;
use crate::partner::Partner;
use crate::source::{Key, Node, Value};
use engine_statechart::Problem;
use std::sync::Arc;

pub const INVOKE_KEYS: [&str; 15] = [
    "src",
    "contract",
    "partner",
    "id",
    "input",
    "each",
    "key",
    "deadline",
    "reuse",
    "retry",
    "into",
    "onDone",
    "onError",
    "onReply",
    "description",
];

/// `reuse: 15m`, within the journey, or `reuse: {for: 30d, across: all}`.
fn reuse(fields: &mut MapReader<'_, '_>) -> Option<Reuse> {
    let node = fields.get("reuse")?;
    if !node.is_map() {
        return fields.duration("reuse").map(|age_ms| Reuse { age_ms, across_all: false });
    }
    let mut reuse = MapReader::open(node, "`reuse`", &["for", "across"], fields.problems)?;
    reuse.need("for");
    let across_all = reuse.word("across", &["journey", "all"]) == Some("all");
    reuse.duration("for").map(|age_ms| Reuse { age_ms, across_all })
}

impl Builder<'_> {
    pub fn invoke_list(
        &mut self,
        node: &Node,
        place: &StatePlace,
        state: &str,
        replies: &mut Vec<(Key, Node)>,
    ) -> Node {
        let items = node.items().iter().enumerate();
        let list: Vec<Node> = items.map(|(index, n)| self.invoke(n, index, place, state, replies)).collect();
        Node::new(node.span.clone(), Value::List(list))
    }

    fn invoke(
        &mut self,
        node: &Node,
        index: usize,
        place: &StatePlace,
        state: &str,
        replies: &mut Vec<(Key, Node)>,
    ) -> Node {
        let mut problems = std::mem::take(&mut self.problems);
        let Some(mut fields) = MapReader::open(node, "`invoke`", &INVOKE_KEYS, &mut problems) else {
            self.problems = problems;
            return node.clone();
        };
        let id = match (fields.text("id"), &place.border) {
            (Some(id), Some(border)) => format!("{}.{id}", border.host_path),
            (Some(id), None) => id,
            (None, Some(border)) if border.host_path == place.path => border.host_path.clone(),
            (None, _) => format!("{index}.{state}"),
        };
        let (deadline_ms, retry_ms) = (fields.duration("deadline"), fields.duration("retry"));
        let reuse = reuse(&mut fields);
        let into = fields.text("into").map(|into| place_of(&into, node, place, fields.problems));
        if let Some((k, own)) = node.key("into").zip(into.as_deref()) {
            self.declared_place(own, &k.span, place);
        }
        let (each, partner, row_key) = (fields.get("each"), fields.get("partner"), fields.get("key"));
        if each.is_some() {
            for (name, found) in [("key", row_key), ("into", fields.get("into"))] {
                if found.is_none() {
                    fields.problems.push(Problem::error(
                        "missing",
                        &node.span,
                        format!("a call with `each` needs `{name}`"),
                    ));
                }
            }
        } else {
            for name in ["key", "onReply"] {
                if let Some(k) = fields.get(name).and_then(|_| node.key(name)) {
                    fields.problems.push(Problem::error(
                        "misplaced-key",
                        &k.span,
                        format!("`{name}` belongs beside `each`"),
                    ));
                }
            }
        }
        self.problems = problems;
        let (source, contract) = self.source(node, partner, place).unzip();
        let contract = contract.flatten();
        if let Some(contract) = &contract {
            self.check_input(contract, node);
        }
        self.note_asked(contract.as_ref(), node.get("input"));
        let is_system = matches!(source, Some(Source::System(_)));
        if is_system && (each.is_some() || reuse.is_some()) {
            self.problems.push(Problem::error(
                "misplaced-key",
                &node.span,
                "system sources take no `each` and no `reuse`",
            ));
        }

        let handles_error = node.get("onError").is_some();
        if !handles_error && each.is_none() {
            let problem =
                Problem::error("on-error", &node.span, format!("nothing says what happens when `{id}` fails"));
            self.problems.push(problem.hint("add `onError`"));
        }
        if node.get("onDone").is_none() && each.is_none() {
            self.problems.push(Problem::warning(
                "on-done",
                &node.span,
                format!("nothing happens when `{id}` succeeds"),
            ));
        }
        if let (Some(reply), Some(k)) = (node.get("onReply"), node.key("onReply")) {
            let event = Key { span: k.span.clone(), name: format!("reply.{id}") };
            let handler = self.transitions(reply, place);
            replies.push((event, handler));
        }
        let src = match &source {
            Some(Source::Operation { partner, operation }) => format!("{partner}/{operation}"),
            Some(Source::Contract(name)) => format!("contract:{name}"),
            Some(Source::System(name)) => format!("system/{name}"),
            None => "unknown".to_owned(),
        };
        let input = input(node, each, row_key, partner);
        let span = &node.span;
        let mut out = vec![
            (key("src", span), text_node(&src, span)),
            (key("id", span), text_node(&id, span)),
            (key("input", span), input),
        ];
        for name in ["onDone", "onError"] {
            if let (Some(k), Some(handler)) = (node.key(name), node.get(name)) {
                out.push((k.clone(), self.transitions(handler, place)));
            }
        }
        if let Some(source) = source {
            let at = node.get("src").or_else(|| node.get("contract")).map_or(&node.span, |at| &at.span);
            self.called.insert(id.clone(), at.clone());
            let on_reply = node.get("onReply").is_some();
            let invoke = Invoke {
                id: id.clone(),
                node: state.to_owned(),
                source,
                contract: contract.map(|contract| contract.id.clone()),
                each: each.is_some(),
                deadline_ms,
                reuse,
                retry_ms,
                into,
                on_reply,
                handles_error,
            };
            if let Some(other) = self.invokes.insert(id.clone(), invoke) {
                self.problems.push(Problem::error(
                    "duplicate-id",
                    span,
                    format!("call `{id}` is also a call of state `{}`", other.node),
                ));
            }
        }
        Node::new(span.clone(), Value::Map(out))
    }

    fn source(
        &mut self,
        node: &Node,
        partner: Option<&Node>,
        place: &StatePlace,
    ) -> Option<(Source, Option<Arc<Contract>>)> {
        match (node.get("src"), node.get("contract")) {
            (Some(at), None) => {
                let Some(name) = at.as_str() else {
                    self.problems.push(Problem::error(
                        "shape",
                        &at.span,
                        format!("`src` is a text, not {}", at.kind()),
                    ));
                    return None;
                };
                if let Some(system) = name.strip_prefix("system/") {
                    if !SYSTEM.contains(&system) {
                        self.problems.push(unknown("system source", at, name, SYSTEM));
                        return None;
                    }
                    return Some((Source::System(system.to_owned()), None));
                }
                let (partner, operation, contract) = self.need_operation(at, name)?;
                Some((Source::Operation { partner, operation }, contract))
            }
            (None, Some(at)) => {
                let name = place.contract(at.as_str().unwrap_or_default()).to_owned();
                let known = self.library.contracts;
                let contract = known.get(&name).cloned();
                if contract.is_none() && !self.library.has_file(&layout::contract_file(&name)) {
                    self.problems.push(unknown("contract", at, &name, known.keys().map(String::as_str)));
                }
                let fulfils = |p: &Arc<Partner>| p.for_contract(&name).is_some();
                if contract.is_some() && self.library.has_all_partners && !self.library.partners.values().any(fulfils) {
                    let message = format!("no operation of a partner declares the contract `{name}`");
                    self.problems.push(Problem::error("no-operation", &at.span, message));
                }
                if partner.is_none() {
                    self.problems.push(
                        Problem::error("missing", &node.span, "a call by `contract` needs `partner`")
                            .hint("an expression giving the partner's id"),
                    );
                }
                let contract = contract.map(|contract| self.contract(&contract));
                Some((Source::Contract(name), contract))
            }
            (Some(at), Some(_)) => {
                self.problems.push(Problem::error("shape", &at.span, "a call has `src` or `contract`, not both"));
                None
            }
            (None, None) => {
                self.problems.push(Problem::error("missing", &node.span, "a call needs `src` or `contract`"));
                None
            }
        }
    }
}

/// `{input, partner}`, or with `each` `{calls: [{key, partner, input}, …]}`.
fn input(node: &Node, each: Option<&Node>, row_key: Option<&Node>, partner: Option<&Node>) -> Node {
    let span = &node.span;
    let at = |value| Node::new(span.clone(), value);
    let part = |n: Option<&Node>, default: Value| n.cloned().unwrap_or_else(|| at(default));
    let mut entries = vec![
        (key("input", span), part(node.get("input"), Value::Map(Vec::new()))),
        (key("partner", span), part(partner, Value::Null)),
    ];
    let Some(each) = each else { return at(Value::Map(entries)) };
    entries.push((key("key", span), part(row_key, Value::Null)));
    entries.push((key("each", span), each.clone()));
    entries.push((key("as", span), text_node("item", span)));
    let calls = at(Value::List(vec![at(Value::Map(entries))]));
    at(Value::Map(vec![(key("calls", span), calls)]))
}

/// A path into the context; in a part it starts with `my`.
pub fn place_of(into: &str, node: &Node, place: &StatePlace, problems: &mut Vec<Problem>) -> String {
    let at = node.get("into").map_or(&node.span, |n| &n.span);
    let place = node.get("into").map_or(place, |into| place.of(into));
    let path = match (place.context(), into.split_once('.')) {
        (Some(my), Some(("my", rest))) => format!("{my}.{rest}"),
        (Some(_), _) => {
            problems.push(
                Problem::error("part-border", at, format!("a part writes `my.…`, not `{into}`"))
                    .hint(format!("`my.{into}`")),
            );
            return into.to_owned();
        }
        (None, _) => into.to_owned(),
    };
    if !path.split('.').all(super::desugar::is_context_key) {
        problems.push(Problem::error(
            "bad-key",
            at,
            format!("`{into}` is not a place in the context: small letters, digits, `_`, joined by dots"),
        ));
    }
    path
}
