//! Actions of a workflow: what they name is checked, places of a part become places of the context.

use super::desugar::{Builder, StatePlace, is_context_key};
use super::library::key;
use crate::contract::Contract;
use crate::fields::{MapReader, unknown};
use crate::keys::{self, Gives, Takes};
use crate::layout::FileKind;
use crate::message::Channel;
use crate::places::LINK_CHARS;
use crate::source::{Key, Node, Span, Value as Source};
use engine_statechart::Problem;
use std::sync::Arc;

impl Builder<'_> {
    pub fn actions(&mut self, node: &Node, place: &StatePlace) -> Node {
        match &node.value {
            Source::List(items) => {
                let list = items.iter().map(|a| self.actions(a, place)).collect();
                Node::new(node.span.clone(), Source::List(list))
            }
            Source::Map(entries) => {
                if node.get("type").is_some() {
                    return self.named_action(node, place);
                }
                let map = entries
                    .iter()
                    .map(|(k, value)| {
                        let new = match k.name.as_str() {
                            "assign" => self.assign(value, place),
                            _ => value.clone(),
                        };
                        (k.clone(), new)
                    })
                    .collect();
                Node::new(node.span.clone(), Source::Map(map))
            }
            _ => node.clone(),
        }
    }

    fn assign(&mut self, node: &Node, place: &StatePlace) -> Node {
        let Source::Map(entries) = &node.value else { return node.clone() };
        let mut map = Vec::with_capacity(entries.len());
        for (k, value) in entries {
            let name = match (place.context(), k.name.strip_prefix("my.")) {
                (Some(my), Some(rest)) => {
                    self.check_context(rest, &k.span, place);
                    format!("{my}.{rest}")
                }
                (Some(_), None) => {
                    self.problems.push(
                        Problem::error("part-border", &k.span, format!("a part writes `my.…`, not `{}`", k.name))
                            .hint(format!("`my.{}`", k.name)),
                    );
                    continue;
                }
                (None, _) => k.name.clone(),
            };
            if !name.split('.').all(is_context_key) {
                self.problems.push(Problem::error(
                    "bad-key",
                    &k.span,
                    format!("context key `{}` is not a name: small letters, digits, `_`", k.name),
                ));
            }
            map.push((Key { span: k.span.clone(), name }, value.clone()));
        }
        Node::new(node.span.clone(), Source::Map(map))
    }

    /// A part writes what its `context` names: all of it is made afresh when it is entered.
    pub fn check_context(&mut self, path: &str, span: &Span, place: &StatePlace) {
        let Some(border) = &place.border else { return };
        let first = path.split('.').next().unwrap_or_default();
        if !border.declared.contains(first) {
            let at = Node::new(span.clone(), Source::Null);
            let problem = unknown("key of the part's context", &at, first, border.declared.iter().map(String::as_str));
            self.problems.push(problem);
        }
    }

    /// Checks a place that takes answers: a part writes what its `context` names.
    pub fn declared_place(&mut self, into: &str, span: &Span, place: &StatePlace) {
        let own = place.context().and_then(|my| into.strip_prefix(my)?.strip_prefix('.')).map(str::to_owned);
        own.into_iter().for_each(|own| self.check_context(&own, span, place));
    }

    fn named_action(&mut self, node: &Node, place: &StatePlace) -> Node {
        let node = &with_message(node, place);
        let kind = node.get("type").and_then(Node::as_str).unwrap_or_default().to_owned();
        if kind == keys::actions::RESUME {
            let problem =
                Problem::error("misplaced-key", &node.span, "`resume` is no action: it stands beside `target`");
            self.problems.push(problem.hint("{target: contact, resume: purchase}"));
        }
        self.check_action(&kind, node);
        let links = if kind == "notify" { self.message_links(node) } else { Vec::new() };
        self.needs_verified(&kind, node);
        let is_link = |name: &str| links.iter().any(|(k, _)| k.name == name);
        let mut map: Vec<(Key, Node)> = Vec::with_capacity(node.map().len() + 1);
        for (k, value) in node.map() {
            let new = match (keys::actions::is_value(&kind, &k.name), &value.value) {
                (true, Source::Map(entries)) if k.name == "data" => {
                    let rest = entries.iter().filter(|(name, _)| !is_link(&name.name)).cloned().collect();
                    Node::new(value.span.clone(), Source::Map(rest))
                }
                _ => value.clone(),
            };
            match pointer_worked_out(&kind, k, value) {
                Some(pointer) => map.push((key("from", &k.span), pointer)),
                None => map.push((k.clone(), new)),
            }
        }
        if !links.is_empty() {
            map.push((key("links", &node.span), Node::new(node.span.clone(), Source::Map(links))));
        }
        Node::new(node.span.clone(), Source::Map(map))
    }

    /// `data: {name: {link: {purpose, valid}}}` of a message: the link is made when the message is sent, so it is no
    /// value.
    fn message_links(&mut self, node: &Node) -> Vec<(Key, Node)> {
        let mut links = Vec::new();
        for (k, value) in node.get("data").map_or(&[][..], Node::map) {
            let [(only, link)] = value.map() else { continue };
            if only.name != "link" || !link.is_map() {
                continue;
            }
            let Some(mut fields) = MapReader::open(link, "a link", &["purpose", "valid", "open"], &mut self.problems)
            else {
                continue;
            };
            let purpose = fields.need_text("purpose");
            fields.need("valid");
            let is_open = fields.bool("open");
            let Some(valid_ms) = fields.duration("valid") else { continue };
            self.linked.push((purpose.clone(), link.span.clone()));
            if is_open {
                self.opened.insert(purpose.clone());
            }
            let at = |value: Source| Node::new(link.span.clone(), value);
            let purpose = at(Source::String(super::cel::quote(&purpose)));
            links.push((
                k.clone(),
                at(Source::Map(vec![
                    (key("purpose", &link.span), purpose),
                    (key("valid_ms", &link.span), at(Source::Int(valid_ms))),
                    (key("open", &link.span), at(Source::Bool(is_open))),
                ])),
            ));
        }
        links
    }

    fn check_action(&mut self, kind: &str, node: &Node) {
        let declared = keys::actions::find(kind).map_or(&[][..], |action| action.keys);
        for key in declared {
            match (node.get(key.name), key.takes) {
                (None, _) if key.is_needed => {
                    let message = format!("action `{kind}` needs `{}`", key.name);
                    self.problems.push(Problem::error("missing", &node.span, message));
                }
                (Some(at), Takes::Name(_)) if at.as_str().is_none() => {
                    let is_pointer = pointer_worked_out(kind, &self::key(key.name, &at.span), at).is_some();
                    if !is_pointer || node.get("from").is_some() {
                        let message = format!("`{}` of action `{kind}` is a name, no expression", key.name);
                        self.problems.push(Problem::error("value", &at.span, message));
                    }
                }
                (Some(at), Takes::Name(of)) if !of.is_empty() => {
                    let word = at.as_str().unwrap_or_default();
                    if !of.contains(&word) {
                        self.problems.push(unknown(key.name, at, word, of.iter().copied()));
                    }
                }
                (Some(at), Takes::Value(Gives::Text)) if at.is_map() || at.is_list() => {
                    let message = format!("`{}` of action `{kind}` is a text, not {}", key.name, at.kind());
                    self.problems.push(Problem::error("value", &at.span, message));
                }
                _ => {}
            }
        }
        let name = |field: &str| node.get(field).and_then(|n| Some((n, n.as_str()?)));
        match kind {
            "message" => {
                if node.get("code").is_none() && node.get("from").is_none() {
                    self.problems.push(Problem::error(
                        "missing",
                        &node.span,
                        "action `message` needs `code` or `from`",
                    ));
                }
                if let Some((at, code)) = name("code") {
                    self.need_text(at, code);
                    self.places_are_given(node, at, code);
                }
                if let Some((at, pointer)) = name("pointer") {
                    self.points_at_a_field(at, pointer);
                }
            }
            "notify" => {
                let Some((at, id)) = name("message") else { return };
                match self.library.messages.get(id) {
                    None if self.library.has_kind(|p| matches!(p, FileKind::Message(name) if name == id)) => {}
                    None => {
                        self.problems.push(unknown("message", at, id, self.library.messages.keys().map(String::as_str)))
                    }
                    Some(message) => {
                        if let Some(k) = node.key("attach").filter(|_| message.channel != Channel::Email) {
                            let problem = Problem::error("message-channel", &k.span, "only an e-mail can carry a file");
                            self.problems.push(problem);
                        }
                        let contract = message.channel.contract();
                        let declared = |p: &std::sync::Arc<crate::partner::Partner>| {
                            p.operations.values().any(|o| o.contract_id() == contract.as_deref())
                        };
                        if contract.is_some() && !self.library.partners.values().any(declared) {
                            let text = format!(
                                "no operation of a partner declares the contract `{}`",
                                contract.as_deref().unwrap_or_default()
                            );
                            self.problems.push(Problem::warning("no-channel", &at.span, text));
                        }
                        let (Some(sample), Some(data)) =
                            (message.sample.as_object(), node.get("data").filter(|d| d.is_map()))
                        else {
                            return;
                        };
                        let links = data.map().iter().filter(|(_, given)| given.get("link").is_some());
                        for (key, _) in
                            links.filter(|(key, _)| message.places.most(&key.name).is_some_and(|m| m < LINK_CHARS))
                        {
                            let text =
                                format!("a link has {LINK_CHARS} characters, and message `{id}` lets fewer through");
                            let problem = Problem::error("too-long", &key.span, text);
                            self.problems.push(problem.hint(format!("places: {{{}: 60}} in the message", key.name)));
                        }
                        let written = |value: &&Node| value.as_str().is_some_and(|cel| cel.contains("format_date("));
                        for value in data.map().iter().map(|(_, value)| value).filter(written) {
                            let text = "a day that is written out here is not in the message's language";
                            let problem = Problem::warning("language", &value.span, text);
                            self.problems
                                .push(problem.hint("the day itself, and in the text {{date day \"d MMM yyyy\"}}"));
                        }
                        for field in sample.keys().filter(|k| data.get(k).is_none()) {
                            self.problems.push(Problem::warning(
                                "missing",
                                &data.span,
                                format!("message `{id}` is given no `{field}`"),
                            ));
                        }
                    }
                }
            }
            "call" => {
                if let Some((at, name)) = name("operation") {
                    let name = name.to_owned();
                    if let Some((_, _, Some(contract))) = self.need_operation(at, &name) {
                        self.check_input(&contract, node);
                        self.note_asked(Some(&contract), node.get("input"));
                        self.given.extend(node.get("input").map(|input| input.span.clone()));
                    }
                }
            }
            "correlate" => {
                if let Some((at, id)) = name("partner")
                    && !self.library.partners.contains_key(id)
                {
                    self.problems.push(unknown("partner", at, id, self.library.partners.keys().map(String::as_str)));
                }
            }
            _ => {}
        }
    }

    /// A message stands at a field that some form has, or at what comes with some event.
    fn points_at_a_field(&mut self, at: &Node, pointer: &str) {
        let Some(path) = pointer.strip_prefix('/') else {
            self.problems.push(Problem::error("value", &at.span, "`pointer` is a JSON pointer like /mobile"));
            return;
        };
        let field = path.split('/').next().unwrap_or_default();
        let known = || self.library.forms.values().flat_map(|form| form.property_names());
        let is_sent = || self.library.nodes.values().any(|node| is_of_an_event(node, field));
        // a machine alone has no forms
        let is_told = self.library.is_whole && known().next().is_some();
        if is_told && !known().any(|name| name == field) && !is_sent() {
            let problem = Problem { code: "pointer", ..unknown("field", at, field, known()) };
            self.problems.push(problem);
        }
    }

    /// Whatever a text has places for comes in `data`.
    fn places_are_given(&mut self, node: &Node, at: &Node, code: &str) {
        let data = node.get("data");
        let is_open = node.get("from").is_some() || data.is_some_and(|data| !data.is_map());
        let missing = self.texts.places(code).find(|place| !is_open && data.is_none_or(|d| d.get(place).is_none()));
        if let Some(place) = missing {
            let message = format!("the text `{code}` has a place `{{{{{place}}}}}` that nothing fills");
            let problem = Problem::error("missing", &data.unwrap_or(at).span, message);
            self.problems.push(problem.hint(format!("data: {{{place}: …}}")));
        }
    }

    pub fn need_text(&mut self, at: &Node, code: &str) {
        if !self.texts.has(code) {
            self.problems.push(unknown("text", at, code, self.texts.codes()));
        }
    }

    /// `partner/operation` of partners that exist, with the contract by which workflows call it.
    pub fn need_operation(&mut self, at: &Node, name: &str) -> Option<(String, String, Option<Arc<Contract>>)> {
        let Some((partner, operation)) = name.split_once('/') else {
            self.problems.push(Problem::error("value", &at.span, format!("`{name}` is not `partner/operation`")));
            return None;
        };
        let Some(found) = self.library.partners.get(partner) else {
            if !self
                .library
                .has_kind(|p| matches!(p, FileKind::Partner(name) if name.ends_with(&format!("/{partner}"))))
            {
                self.problems.push(unknown("partner", at, partner, self.library.partners.keys().map(String::as_str)));
            }
            return None;
        };
        let Some(declared) = found.operation(operation) else {
            let is_broken = |kind: &FileKind| matches!(kind, FileKind::Operation { owner, name, .. } if name == operation && found.has(owner));
            if !self.library.has_kind(is_broken) {
                let mut problem = unknown("operation", at, operation, found.operations.keys().map(String::as_str));
                problem.message.push_str(&format!(" of partner `{partner}`"));
                self.problems.push(problem);
            }
            return None;
        };
        let contract = declared.contract.as_ref().map(|live| self.contract(live));
        if contract.is_none() {
            let message = format!("`{name}` declares no contract");
            let hint = "workflows call by contracts: write one in workflows/contracts and name it in the operation";
            self.problems.push(Problem::error("no-contract", &at.span, message).hint(hint));
        }
        Some((partner.to_owned(), operation.to_owned(), contract))
    }

    /// The contract as this version holds it; it is pinned.
    pub fn contract(&mut self, live: &Arc<Contract>) -> Arc<Contract> {
        let own = self.library.contracts.get(&live.id).unwrap_or(live);
        self.contracts.insert(own.id.clone(), Arc::clone(own));
        Arc::clone(own)
    }
}

/// `pointer: {cel: …}` of a message: an error has a pointer that is worked out, so this becomes one without more.
fn pointer_worked_out(kind: &str, k: &Key, value: &Node) -> Option<Node> {
    match value.map() {
        [(only, expression)] if kind == "message" && k.name == "pointer" && only.name == "cel" => {
            let pointer = vec![(key("pointer", &only.span), expression.clone())];
            Some(Node::new(value.span.clone(), Source::Map(pointer)))
        }
        _ => None,
    }
}

/// A part's name of a message stands for the message that its host names.
fn with_message(node: &Node, place: &StatePlace) -> Node {
    let mut node = node.clone();
    if node.get("type").and_then(Node::as_str) == Some("notify") {
        let message = node.map_mut().and_then(|map| map.iter_mut().find(|(k, _)| k.name == "message"));
        message.into_iter().for_each(|(_, named)| *named = place.message(named).clone());
    }
    node
}

/// Whether a step anywhere in the file accepts an event that comes with this field.
fn is_of_an_event(node: &Node, field: &str) -> bool {
    let is_here = |(key, value): &(Key, Node)| {
        let comes = |(_, payload): &(Key, Node)| payload.get(field).is_some();
        key.name == "accepts" && value.map().iter().any(comes) || is_of_an_event(value, field)
    };
    node.map().iter().any(is_here)
}
