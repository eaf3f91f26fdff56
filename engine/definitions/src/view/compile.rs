//! Compiling a view along the table of its blocks: what is unknown, missing or of another kind is a problem.

use super::{Field, Item, Unanswered, ViewPart};
use crate::expressions::expression;
use crate::fields::{unknown, unknown_keys};
use crate::keys::{self, Entry, Gives, Key, Takes, blocks};
use crate::policy::{FLOOR, Roles};
use crate::prose::{self, Prose};
use crate::references::ROWS;
use crate::source::{Key as Name, Node, Value as Source};
use crate::text::Text;
use engine_statechart::expression::Expression;
use engine_statechart::expression::rows::{ColumnRead, Rows};
use engine_statechart::source::Span;
use engine_statechart::{Problem, Vocabulary};
use serde_json::Value;
use std::collections::BTreeSet;

/// What any map in a list may carry.
const LISTED: [&str; 4] = ["when", "each", "as", "roles"];

/// Keys whose literals name something elsewhere.
const NAMED: [&str; 3] = ["event", "step", "href"];

pub(super) struct Compiler<'p> {
    pub problems: &'p mut Vec<Problem>,
    vocabulary: &'p Vocabulary,
    /// Variables in reach, with what is known of each.
    names: Vec<(String, Rows)>,
    /// Columns of tables that it reads.
    pub columns: Vec<ColumnRead>,
    pub data_names: BTreeSet<String>,
    pub uses: Vec<Expression>,
    pub named: Vec<(&'static str, Node)>,
    /// Events with the keys of the data that goes with them.
    pub sent: Vec<(String, Vec<Name>)>,
    /// Roles that parts are for.
    pub roles: Vec<Roles>,
}

impl<'p> Compiler<'p> {
    pub fn new(vocabulary: &'p Vocabulary, problems: &'p mut Vec<Problem>) -> Compiler<'p> {
        let (data_names, uses, named, sent) = (BTreeSet::new(), Vec::new(), Vec::new(), Vec::new());
        let names = vec![("data".to_owned(), Rows::Unknown)];
        let (columns, roles) = (Vec::new(), Vec::new());
        Compiler { problems, vocabulary, names, columns, data_names, uses, named, sent, roles }
    }

    pub fn blocks(&mut self, view: &Node) -> ViewPart {
        match view.get("blocks") {
            Some(list) if list.is_list() => {
                ViewPart::List(list.list().iter().map(|block| self.item(block, Self::block)).collect())
            }
            Some(other) => {
                self.wrong(other, format!("`blocks` is a list, not {}", other.kind()));
                ViewPart::nothing()
            }
            None => {
                self.problems.push(Problem::error("missing", &view.span, "a view needs `blocks`"));
                ViewPart::nothing()
            }
        }
    }

    fn block(&mut self, node: &Node) -> ViewPart {
        let Some(named) = node.get("block") else {
            self.problems.push(Problem::error("missing", &node.span, "a block needs `block`"));
            return ViewPart::nothing();
        };
        let name = named.as_str().unwrap_or_default();
        let Some(block) = blocks::find(name) else {
            self.problems.push(unknown("block", named, name, blocks::names()));
            return ViewPart::nothing();
        };
        let rest = self.without_before(name, without(node, &["block"]));
        let keys = [blocks::HEAD, block.keys].concat();
        let ViewPart::Map(mut fields) = self.map(&rest, &format!("the block `{name}`"), &keys) else {
            return ViewPart::nothing();
        };
        self.among_items(node, &mut fields);
        self.orders_have_figures(node);
        let is = ViewPart::Literal(Value::String(name.to_owned()));
        fields.insert(0, Field { key: "block".into(), part: is, is_optional: false });
        ViewPart::Map(fields)
    }

    /// Authors are told what is not read any more.
    fn without_before(&mut self, block: &str, node: Node) -> Node {
        let is_before = |key: &Name| blocks::is_of_before(block, &key.name);
        let before: Vec<Name> = node.map().iter().map(|(key, _)| key).filter(|key| is_before(key)).cloned().collect();
        if before.is_empty() {
            return node;
        }
        for key in &before {
            let message = format!("`{}` of the block `{block}` is not read", key.name);
            self.problems.push(Problem::error(FLOOR, &key.span, message));
        }
        without(&node, &before.iter().map(|key| key.name.as_str()).collect::<Vec<_>>())
    }

    /// Cards that come from answers stand at the end of the written ones.
    fn among_items(&mut self, block: &Node, fields: &mut Vec<Field>) {
        let Some(at) = fields.iter().position(|field| matches!(field.part, ViewPart::Unanswered(_))) else { return };
        let cards = fields.remove(at);
        match fields.iter_mut().find(|field| field.key == "items").map(|field| &mut field.part) {
            Some(ViewPart::List(items)) => items.push(Item { part: cards.part, ..Item::plain() }),
            _ => self.wrong(block, format!("`{}` adds to `items`, which has to be a list here", cards.key)),
        }
    }

    /// An order or a filter goes by what the items have, where each of them says so in the file.
    fn orders_have_figures(&mut self, block: &Node) {
        let items = block.get("items").map_or(&[][..], Node::items);
        for (list, of, what, usual) in [
            ("sort", "sort", "figure of the items", Some("price")),
            ("filters", "choices", "choice of the items", None),
        ] {
            let found: Vec<&Node> = items.iter().filter_map(|item| item.get(of)).collect();
            if items.is_empty() || found.iter().any(|node| !node.is_map()) {
                continue;
            }
            let names = found.iter().flat_map(|node| node.map()).map(|(key, _)| key.name.as_str());
            let known: Vec<&str> = names.chain(usual).collect();
            for id in block.get(list).map_or(&[][..], Node::items).iter().filter_map(|one| one.get("id")) {
                let name = id.as_str().unwrap_or_default();
                if !known.contains(&name) {
                    let problem = unknown(what, id, name, known.iter().copied());
                    self.problems.push(Problem { code: "figure", ..problem });
                }
            }
        }
    }

    fn missing_part(&mut self, node: &Node, key: &Key, entry: &Entry) -> ViewPart {
        if !node.is_map() {
            self.wrong(node, format!("`{}` is a map, not {}", key.name, node.kind()));
            return ViewPart::nothing();
        }
        let row = node.get("as").and_then(Node::as_str).unwrap_or("item").to_owned();
        let of = node.get("of").and_then(|of| self.cel(of));
        let over = node.get("over").and_then(|over| self.cel(over));
        self.names.push((row.clone(), Rows::Unknown));
        let drawn = self.map(node, &format!("`{}`", key.name), entry.keys);
        self.names.pop();
        match (of, drawn) {
            (Some(of), ViewPart::Map(mut fields)) => {
                let mut take = |key: &str| {
                    let at = fields.iter().position(|field| field.key == key)?;
                    Some(fields.swap_remove(at).part)
                };
                let (provider, price) = (take("provider").unwrap_or_else(ViewPart::nothing), take("price"));
                ViewPart::Unanswered(Box::new(Unanswered { of, over, row, provider, price }))
            }
            _ => ViewPart::nothing(),
        }
    }

    fn map(&mut self, node: &Node, what: &str, keys: &[Key]) -> ViewPart {
        if !node.is_map() {
            self.wrong(node, format!("{what} is a map, not {}", node.kind()));
            return ViewPart::nothing();
        }
        for (written, value) in node.map() {
            // `{text: One, two}` is a map of `text` and of a key `two` without a value
            if value.is_null() && keys::find(keys, &written.name).is_none() {
                let message = format!("unknown key `{}` in {what}", written.name);
                let hint = "words with a comma in `{…}` need quotes";
                self.problems.push(Problem::error("unknown-key", &written.span, message).hint(hint));
            } else if keys::find(keys, &written.name).is_none() {
                let only = Node::new(node.span.clone(), Source::Map(vec![(written.clone(), value.clone())]));
                unknown_keys(&only, what, &keys::names(keys), self.problems);
            }
        }
        if let (Some(event), Some(data)) = (node.get("event").and_then(Node::as_str), node.get("data"))
            && data.get("cel").is_none()
        {
            self.sent.push((event.to_owned(), data.map().iter().map(|(key, _)| key.clone()).collect()));
        }
        let mut fields = Vec::with_capacity(keys.len());
        for key in keys.iter().filter(|key| key.is_authors()) {
            match node.get(key.name) {
                Some(value) => fields.push(Field {
                    key: key.name.into(),
                    part: self.value(key, value),
                    is_optional: !key.is_needed,
                }),
                None if key.is_needed => {
                    let message = format!("{what} needs `{}`", key.name);
                    self.problems.push(Problem::error("missing", &node.span, message));
                }
                None => {}
            }
        }
        ViewPart::Map(fields)
    }

    fn value(&mut self, key: &Key, node: &Node) -> ViewPart {
        if node.is_null() && !key.is_needed {
            return ViewPart::nothing();
        }
        let marked = matches!(node.map(), [(name, _)] if name.name == "cel");
        match key.takes {
            Takes::Words => self.words(key.name, node),
            Takes::Prose => self.prose(key.name, node),
            Takes::Name(of) => self.name(key.name, node, of),
            Takes::Value(gives) => self.expression(key.name, node, gives),
            Takes::Map(entry) if node.is_map() && !marked => self.map(node, &format!("`{}`", key.name), entry.keys),
            Takes::Unanswered(entry) => self.missing_part(node, key, entry),
            Takes::List(entry) if node.is_list() => {
                let what = format!("an item of `{}`", key.name);
                self.list(node, |this, item| match &item.value {
                    Source::Map(_) => this.map(item, &what, entry.keys),
                    Source::String(_) => this.expression(key.name, item, Gives::Data),
                    _ => {
                        this.wrong(item, format!("{what} is a map, not {}", item.kind()));
                        ViewPart::nothing()
                    }
                })
            }
            Takes::Map(_) => self.expression(key.name, node, Gives::Data),
            Takes::Values(gives) if node.is_list() => self.list(node, |this, item| {
                this.keyed_item(key.name, item, "value", |this, n| this.expression(key.name, n, gives))
            }),
            Takes::Rows if node.is_list() => {
                self.list(node, |this, row| this.keyed_item(key.name, row, "cells", Self::cells))
            }
            Takes::List(_) | Takes::Values(_) | Takes::Rows => self.expression_list(key.name, node),
            Takes::Figures if node.is_map() && !marked => ViewPart::Map(
                node.map()
                    .iter()
                    .map(|(name, figure)| Field {
                        key: name.name.clone(),
                        part: self.expression(&name.name, figure, Gives::Number),
                        is_optional: true,
                    })
                    .collect(),
            ),
            Takes::Figures => self.expression(key.name, node, Gives::Data),
            Takes::Block => self.block(node),
            Takes::Blocks if node.is_list() => self.list(node, Self::block),
            Takes::Blocks => {
                self.wrong(node, format!("`{}` is a list of blocks, not {}", key.name, node.kind()));
                ViewPart::nothing()
            }
        }
    }

    /// A list that one expression gives.
    fn expression_list(&mut self, name: &str, node: &Node) -> ViewPart {
        if matches!(node.value, Source::String(_)) || node.get("cel").is_some() {
            return self.expression(name, node, Gives::List);
        }
        self.wrong(node, format!("`{name}` is a list, not {}", node.kind()));
        ViewPart::nothing()
    }

    fn list(&mut self, node: &Node, mut one: impl FnMut(&mut Self, &Node) -> ViewPart) -> ViewPart {
        ViewPart::List(node.list().iter().map(|item| self.item(item, &mut one)).collect())
    }

    /// `{each, as, when, value}`: what the value is stands under a key of its own.
    fn keyed_item(
        &mut self,
        name: &str,
        node: &Node,
        under: &str,
        one: impl Fn(&mut Self, &Node) -> ViewPart,
    ) -> ViewPart {
        match node.map() {
            [(key, value)] if key.name == under => one(self, value),
            [] | [_] => one(self, node),
            _ => {
                self.wrong(node, format!("an item of `{name}` is a value, or `each`, `as`, `when` with `{under}`"));
                ViewPart::nothing()
            }
        }
    }

    fn cells(&mut self, node: &Node) -> ViewPart {
        if node.is_list() {
            self.list(node, |this, cell| this.expression("rows", cell, Gives::Shown))
        } else {
            self.expression_list("rows", node)
        }
    }

    /// One entry of a list, with what says whether and how often it is there.
    fn item(&mut self, node: &Node, mut one: impl FnMut(&mut Self, &Node) -> ViewPart) -> Item {
        let mut item = Item::plain();
        if !LISTED.iter().any(|key| node.get(key).is_some()) {
            item.part = one(self, node);
            return item;
        }
        let known = self.names.len();
        if let Some(each) = node.get("each") {
            let name = node.get("as").and_then(Node::as_str).unwrap_or("item").to_owned();
            let expression = self.cel(each);
            let rows = expression.as_ref().map(|each| each.rows(ROWS, None, &self.names)).unwrap_or_default();
            if let Rows::Row(table) = &rows {
                self.wrong(each, format!("`each` takes a list, and this is one row of `{table}`"));
            }
            let row = rows.item();
            item.each = expression.map(|each| (each, name.clone()));
            self.names.push((name, row));
        } else if let Some(name) = node.get("as") {
            let problem = Problem::error("misplaced-key", &name.span, "`as` names a row of `each`, which is not here");
            self.problems.push(problem);
        }
        item.roles = Roles::read(node, self.problems);
        self.roles.extend((!item.roles.is_empty()).then(|| item.roles.clone()));
        item.when = node.get("when").and_then(|when| self.cel(when));
        item.part = one(self, &without(node, &LISTED));
        self.names.truncate(known);
        item
    }

    /// Words for people.
    pub fn words(&mut self, name: &str, node: &Node) -> ViewPart {
        match &node.value {
            Source::String(text) => {
                if text.contains("{{") {
                    let hint = format!("write {{text: \"{}\"}}", text.chars().take(40).collect::<String>());
                    let message = "the text has `{{…}}` but is shown as it is";
                    self.problems.push(Problem::warning("template", &node.span, message).hint(hint));
                }
                if self.is_path(text) {
                    let message = format!("`{name}` is words for people: these letters would be shown");
                    let problem = Problem::error("literal", &node.span, message);
                    self.problems.push(problem.hint(format!("{{cel: {text}}}")));
                }
                ViewPart::Literal(Value::String(text.clone()))
            }
            Source::Map(_) if node.get("text").is_some() => self.text(node),
            Source::Map(_) => self.expression(name, node, Gives::Text),
            _ => {
                self.wrong(node, format!("`{name}` is words or {{text: \"…\"}}, not {}", node.kind()));
                ViewPart::nothing()
            }
        }
    }

    /// Words for people in Markdown. An expression gives words as they are: no value of anybody becomes a mark.
    fn prose(&mut self, name: &str, node: &Node) -> ViewPart {
        let (written, has_places) = match &node.value {
            Source::String(_) => (node, false),
            Source::Map(_) if node.get("text").is_some() => (node.get("text").unwrap_or(node), true),
            Source::Map(_) => return self.expression(name, node, Gives::Prose),
            _ => return self.words(name, node),
        };
        match prose::parse(written.as_str().unwrap_or_default()) {
            Ok(None) => self.words(name, node),
            Ok(Some(all)) => self.prose_parts(&all, &written.span, has_places),
            Err(mistake) => {
                self.problems.push(mistake.at(written));
                self.words(name, node)
            }
        }
    }

    fn prose_parts(&mut self, all: &[Prose], span: &Span, has_places: bool) -> ViewPart {
        let part = |this: &mut Self, one: &Prose| match one {
            Prose::Words(words) => this.prose_words(words, span, has_places),
            Prose::Element { name, href, of } => {
                let field = |key: &str, part| Field { key: key.into(), part, is_optional: false };
                let mut fields = vec![
                    field("is", ViewPart::Literal((*name).into())),
                    field("of", this.prose_parts(of, span, has_places)),
                ];
                if let Some(href) = href {
                    this.named.push(("href", Node::new(span.clone(), Source::String(href.clone()))));
                    fields.push(field("href", this.prose_words(href, span, has_places)));
                }
                ViewPart::Map(fields)
            }
        };
        ViewPart::List(all.iter().map(|one| Item { part: part(self, one), ..Item::plain() }).collect())
    }

    fn prose_words(&mut self, words: &str, span: &Span, has_places: bool) -> ViewPart {
        let node = Node::new(span.clone(), Source::String(words.to_owned()));
        let text = Node::new(span.clone(), Source::Map(vec![(Name { name: "text".into(), span: span.clone() }, node)]));
        if has_places { self.text(&text) } else { ViewPart::Literal(words.into()) }
    }

    /// Whether words are a path of what is known here, which somebody took for an expression.
    fn is_path(&self, text: &str) -> bool {
        let mut parts = text.split('.');
        let first = parts.next().unwrap_or_default();
        let is_word = |part: &str| {
            let part = part.trim_start_matches('?');
            part.starts_with(|c: char| c.is_ascii_lowercase())
                && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        };
        let rest: Vec<&str> = parts.collect();
        let is_known = self.names.iter().any(|(name, _)| name == first) || ["params", "journey"].contains(&first);
        is_known && !rest.is_empty() && rest.iter().all(|part| is_word(part))
    }

    /// A word of the renderer.
    fn name(&mut self, name: &'static str, node: &Node, of: &[&str]) -> ViewPart {
        match &node.value {
            Source::String(word) if of.is_empty() || of.contains(&word.as_str()) => {
                if self.is_path(word) {
                    let message = format!("`{name}` is a literal, not an expression");
                    self.problems.push(Problem::error("literal", &node.span, message).hint(format!("{{cel: {word}}}")));
                }
                if NAMED.contains(&name) {
                    self.named.push((name, Node::new(node.span.clone(), node.value.clone())));
                }
                ViewPart::Literal(Value::String(word.clone()))
            }
            Source::String(word) => {
                self.problems.push(unknown(name, node, word, of.iter().copied()));
                ViewPart::nothing()
            }
            Source::Map(_) => self.expression(name, node, Gives::Text),
            _ => {
                self.wrong(node, format!("`{name}` is a literal, not {}", node.kind()));
                ViewPart::nothing()
            }
        }
    }

    /// An expression, or a tree of them, that gives a value of some kind.
    fn expression(&mut self, name: &str, node: &Node, gives: Gives) -> ViewPart {
        let part = self.tree(node);
        let is_wrong = match &part {
            ViewPart::Cel(expression) => gives.refuses(&expression.shape()),
            ViewPart::Literal(value) => gives.refuses(&literal(value)),
            ViewPart::Text(..) => gives.refuses(&engine_statechart::expression::reads::Shape::Plain(
                engine_statechart::expression::reads::ValueKind::Text,
            )),
            ViewPart::List(_) | ViewPart::Unanswered(_) => {
                !matches!(gives, Gives::Texts | Gives::List | Gives::Anything)
            }
            ViewPart::Map(fields) => {
                use engine_statechart::expression::reads::Shape;
                gives.refuses(&Shape::Map(fields.iter().map(|f| (f.key.as_str(), Shape::Unknown)).collect()))
            }
        };
        if is_wrong {
            self.problems.push(Problem::error("value", &node.span, format!("`{name}` is {}", gives.phrase())));
        }
        part
    }

    fn tree(&mut self, node: &Node) -> ViewPart {
        match &node.value {
            Source::String(_) => self.cel(node).map_or(ViewPart::nothing(), ViewPart::Cel),
            Source::List(_) => self.list(node, Self::tree),
            Source::Map(entries) => match entries.as_slice() {
                [(Name { name, .. }, inner)] if name == "text" && inner.as_str().is_some() => self.text(node),
                [(Name { name, .. }, inner)] if name == "cel" => {
                    self.cel(inner).map_or(ViewPart::nothing(), ViewPart::Cel)
                }
                _ => ViewPart::Map(
                    entries
                        .iter()
                        .map(|(key, value)| Field { key: key.name.clone(), part: self.tree(value), is_optional: false })
                        .collect(),
                ),
            },
            _ => ViewPart::Literal(node.to_json()),
        }
    }

    fn text(&mut self, node: &Node) -> ViewPart {
        match Text::from_node(node, self.problems) {
            Some(text) => {
                self.columns.extend(text.columns(&self.names, &node.span));
                let of_data = text.names().filter(|n| !self.names.iter().any(|(known, _)| known == n));
                self.data_names.extend(of_data.map(str::to_owned).collect::<Vec<_>>());
                ViewPart::Text(text, node.span.clone())
            }
            None => ViewPart::nothing(),
        }
    }

    fn cel(&mut self, node: &Node) -> Option<Expression> {
        let names: Vec<&str> = self.names.iter().map(|(name, _)| name.as_str()).collect();
        let expression = expression(node, self.vocabulary, &names, self.problems)?;
        let read = expression
            .paths()
            .filter_map(|p| p.strip_prefix("data."))
            .map(|p| p.split('.').next().unwrap_or(p).to_owned());
        self.data_names.extend(read);
        self.columns.extend(expression.columns(ROWS, None, &self.names));
        self.uses.push(expression.clone());
        Some(expression)
    }

    fn wrong(&mut self, node: &Node, message: String) {
        self.problems.push(Problem::error("shape", &node.span, message));
    }
}

fn without(node: &Node, keys: &[&str]) -> Node {
    let rest = node.map().iter().filter(|(key, _)| !keys.contains(&key.name.as_str())).cloned().collect();
    Node::new(node.span.clone(), Source::Map(rest))
}

fn literal(value: &Value) -> engine_statechart::expression::reads::Shape<'_> {
    use engine_statechart::expression::reads::{Shape, ValueKind};
    Shape::Plain(ValueKind::of(value))
}
