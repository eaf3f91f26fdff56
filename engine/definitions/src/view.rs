//! Views: blocks for the renderer, made from a step's data. Which strings are words and which are
//! expressions depends on the field, see `TEXTS` and `WORDS`; `{text: …}` and `{cel: …}` say so
//! themselves. Any map inside a list may carry `when`, `each` and `as`.

use crate::expressions::expression;
use crate::fields::Fields;
use crate::host::late_vocabulary;
use crate::source::{Key, Node, Value as Source};
use crate::text::Text;
use engine_statechart::source::Span;
use engine_statechart::{EvalError, Problem, Scope, Vocabulary, did_you_mean, expression::Expression};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Fields shown to people: a literal or `{text: …}`.
pub const TEXTS: [&str; 19] = [
    "title",
    "intro",
    "text",
    "label",
    "hint",
    "detail",
    "empty",
    "message",
    "note",
    "badge",
    "price_note",
    "reason",
    "question",
    "answer",
    "heading",
    "confirm",
    "legal",
    "description",
    "short_text",
];
/// Fields for the renderer: always literal. `id` too, except inside `items`.
pub const WORDS: [&str; 15] = [
    "block", "tone", "size", "style", "align", "kind", "as", "event", "icon", "step", "href", "type", "workflow",
    "hash", "end",
];
/// Block types of the renderer.
pub const BLOCKS: [&str; 23] = [
    "text",
    "notice",
    "facts",
    "breakup",
    "options",
    "tracker",
    "documents",
    "actions",
    "table",
    "links",
    "steps",
    "faq",
    "cards",
    "hero",
    "reviews",
    "slider",
    "countdown",
    "banner",
    "coverage",
    "share",
    "journey",
    "form",
    "review",
];
const ITEMS_MAX: usize = 1_000;

/// A compiled view.
#[derive(Debug)]
pub struct View {
    pub id: String,
    /// The file it came from.
    pub path: String,
    title: Option<Part>,
    intro: Option<Part>,
    blocks: Part,
    data_names: BTreeSet<String>,
    uses: Vec<Expression>,
}

#[derive(Debug)]
enum Part {
    Literal(Value),
    Text(Text, Span),
    Cel(Expression),
    Map(Vec<(String, Part)>),
    List(Vec<Item>),
}

#[derive(Debug)]
struct Item {
    when: Option<Expression>,
    each: Option<(Expression, String)>,
    part: Part,
}

/// `data` and the variables of the enclosing `each`.
type Names<'a> = Vec<(&'a str, &'a Value)>;

impl View {
    pub fn compile(id: &str, path: &str, node: &Node, problems: &mut Vec<Problem>) -> Option<View> {
        let fields = Fields::open(node, "a view", &["title", "intro", "blocks", "description"], problems)?;
        let blocks = fields.node.get("blocks").map_or(&[][..], Node::list);
        for block in blocks.iter().filter(|block| block.get("block").and_then(Node::as_str) == Some("journey")) {
            let message = "a journey stands in pages of the site, not in a step of another one";
            fields.problems.push(Problem::error("value", &block.span, message));
        }
        View::of(id, path, fields.node, late_vocabulary(), problems)
    }

    /// From a map that has `title`, `intro` and `blocks` among other keys: pages of the site.
    pub(crate) fn of(
        id: &str,
        path: &str,
        node: &Node,
        vocabulary: &Vocabulary,
        problems: &mut Vec<Problem>,
    ) -> Option<View> {
        let before = problems.len();
        let mut compiler = Compiler {
            problems,
            vocabulary,
            names: vec!["data".into()],
            data_names: BTreeSet::new(),
            uses: Vec::new(),
        };
        let title = node.get("title").map(|n| compiler.field("title", n, false));
        let intro = node.get("intro").map(|n| compiler.field("intro", n, false));
        let blocks = match node.get("blocks") {
            Some(list) if list.is_list() => {
                list.list().iter().for_each(|b| compiler.block(b));
                compiler.part(list, false)
            }
            Some(other) => {
                compiler.problems.push(Problem::error(
                    "shape",
                    &other.span,
                    format!("`blocks` is a list, not {}", other.kind()),
                ));
                Part::Literal(Value::Null)
            }
            None => {
                compiler.problems.push(Problem::error("missing", &node.span, "a view needs `blocks`"));
                Part::Literal(Value::Null)
            }
        };
        let (data_names, uses) = (compiler.data_names, compiler.uses);
        (!problems[before..].iter().any(Problem::is_error)).then(|| View {
            id: id.to_owned(),
            path: path.to_owned(),
            title,
            intro,
            blocks,
            data_names,
            uses,
        })
    }

    /// Names that the view reads from `data`.
    pub fn data_names(&self) -> impl Iterator<Item = &str> {
        self.data_names.iter().map(String::as_str)
    }

    /// Tables that it reads.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        self.uses.iter().flat_map(crate::uses::names)
    }

    pub(crate) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.uses.iter()
    }

    /// `{title?, intro?, blocks}` of the API. `scope` carries `data` and a host with now, today,
    /// journey and params.
    pub fn render(&self, data: &Value, scope: &Scope<'_>) -> Result<Value, EvalError> {
        let scope = scope.clone().with("data", data);
        let names: Names<'_> = vec![("data", data)];
        let mut out = Map::new();
        for (key, part) in [("title", &self.title), ("intro", &self.intro)] {
            if let Some(part) = part {
                out.insert(key.into(), part.render(&scope, &names)?);
            }
        }
        out.insert("blocks".into(), self.blocks.render(&scope, &names)?);
        Ok(Value::Object(out))
    }
}

struct Compiler<'p> {
    problems: &'p mut Vec<Problem>,
    vocabulary: &'p Vocabulary,
    /// Variables in reach.
    names: Vec<String>,
    data_names: BTreeSet<String>,
    uses: Vec<Expression>,
}

impl Compiler<'_> {
    fn block(&mut self, node: &Node) {
        match node.get("block").and_then(Node::as_str) {
            Some(name) if BLOCKS.contains(&name) => {}
            Some(name) => {
                let at = node.get("block").map_or(&node.span, |n| &n.span);
                let hint = did_you_mean(name, BLOCKS).unwrap_or_else(|| BLOCKS.join(", "));
                self.problems.push(Problem::error("unknown-name", at, format!("unknown block `{name}`")).hint(hint));
            }
            None => self.problems.push(Problem::error("missing", &node.span, "a block needs `block`")),
        }
    }

    fn part(&mut self, node: &Node, in_items: bool) -> Part {
        match &node.value {
            Source::String(_) => self.cel(node).map_or(Part::Literal(Value::Null), Part::Cel),
            Source::List(items) => Part::List(items.iter().map(|item| self.item(item, in_items)).collect()),
            Source::Map(entries) => match entries.as_slice() {
                [(Key { name, .. }, inner)] if name == "text" && inner.as_str().is_some() => self.text(node),
                [(Key { name, .. }, inner)] if name == "cel" => {
                    self.cel(inner).map_or(Part::Literal(Value::Null), Part::Cel)
                }
                _ => self.map(entries, in_items),
            },
            _ => Part::Literal(node.to_json()),
        }
    }

    fn map(&mut self, entries: &[(Key, Node)], in_items: bool) -> Part {
        let parts = entries
            .iter()
            .map(|(key, value)| {
                let inside = in_items || key.name == "items";
                let inside = inside && !matches!(key.name.as_str(), "columns" | "sort" | "filters");
                (key.name.clone(), self.field(&key.name, value, inside))
            })
            .collect();
        Part::Map(parts)
    }

    fn field(&mut self, name: &str, node: &Node, in_items: bool) -> Part {
        let is_marked = matches!(node.map(), [(key, _)] if key.name == "text" || key.name == "cel");
        if name == "next" && node.is_map() {
            return self.map(node.map(), in_items);
        }
        match (&node.value, is_marked) {
            (Source::String(text), _) if TEXTS.contains(&name) => {
                if text.contains("{{") {
                    let hint = format!("write {{text: \"{}\"}}", text.chars().take(40).collect::<String>());
                    self.problems.push(
                        Problem::warning("template", &node.span, "the text has `{{…}}` but is shown as it is")
                            .hint(hint),
                    );
                }
                Part::Literal(Value::String(text.clone()))
            }
            (Source::String(text), _) if WORDS.contains(&name) || (name == "id" && !in_items) => {
                Part::Literal(Value::String(text.clone()))
            }
            _ => self.part(node, in_items),
        }
    }

    fn item(&mut self, node: &Node, in_items: bool) -> Item {
        let mut item = Item { when: None, each: None, part: Part::Literal(Value::Null) };
        let is_conditional = node.get("when").is_some() || node.get("each").is_some();
        if !is_conditional {
            item.part = self.part(node, in_items);
            return item;
        }
        let known = self.names.len();
        if let Some(each) = node.get("each") {
            let name = node.get("as").and_then(Node::as_str).unwrap_or("item").to_owned();
            if let Some(expression) = self.cel(each) {
                item.each = Some((expression, name.clone()));
            }
            self.names.push(name);
        }
        item.when = node.get("when").and_then(|w| self.cel(w));
        let rest: Vec<(Key, Node)> =
            node.map().iter().filter(|(k, _)| !matches!(k.name.as_str(), "when" | "each" | "as")).cloned().collect();
        item.part = match rest.as_slice() {
            [(key, value)] if key.name == "cells" || key.name == "value" && !in_items => self.part(value, in_items),
            _ => self.map(&rest, in_items),
        };
        self.names.truncate(known);
        item
    }

    fn text(&mut self, node: &Node) -> Part {
        match Text::from_node(node, self.problems) {
            Some(text) => {
                let known: Vec<String> =
                    text.names().filter(|n| !self.names.iter().any(|k| k == n)).map(str::to_owned).collect();
                self.data_names.extend(known);
                Part::Text(text, node.span.clone())
            }
            None => Part::Literal(Value::Null),
        }
    }

    fn cel(&mut self, node: &Node) -> Option<Expression> {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let expression = expression(node, self.vocabulary, &names, self.problems)?;
        let read = expression
            .paths()
            .filter_map(|p| p.strip_prefix("data."))
            .map(|p| p.split('.').next().unwrap_or(p).to_owned());
        self.data_names.extend(read);
        self.uses.push(expression.clone());
        Some(expression)
    }
}

impl Part {
    fn render(&self, scope: &Scope<'_>, names: &Names<'_>) -> Result<Value, EvalError> {
        match self {
            Part::Literal(value) => Ok(value.clone()),
            Part::Cel(expression) => expression.eval(scope),
            Part::Text(text, span) => {
                let find = |name: &str| {
                    let variable = names.iter().rev().find(|(n, _)| *n == name).map(|(_, v)| *v);
                    variable.or_else(|| names.first().and_then(|(_, data)| data.get(name)))
                };
                let wrong = |message| EvalError { message, span: span.clone(), expression: String::from("text") };
                text.render_with(find).map(Value::String).map_err(wrong)
            }
            Part::Map(entries) => {
                let mut map = Map::with_capacity(entries.len());
                for (key, part) in entries {
                    map.insert(key.clone(), part.render(scope, names)?);
                }
                Ok(Value::Object(map))
            }
            Part::List(items) => {
                let mut list = Vec::with_capacity(items.len());
                for item in items {
                    item.render(scope, names, &mut list)?;
                }
                Ok(Value::Array(list))
            }
        }
    }
}

impl Item {
    fn render(&self, scope: &Scope<'_>, names: &Names<'_>, list: &mut Vec<Value>) -> Result<(), EvalError> {
        let Some((each, name)) = &self.each else { return self.one(scope, names, list) };
        let rows = match each.eval(scope)? {
            Value::Array(rows) => rows,
            Value::Object(map) => map.into_iter().map(|(key, value)| json!({"key": key, "value": value})).collect(),
            Value::Null => Vec::new(),
            _ => {
                return Err(EvalError {
                    message: "`each` takes a list or a map".into(),
                    span: each.span().clone(),
                    expression: each.text().to_owned(),
                });
            }
        };
        for row in rows.iter().take(ITEMS_MAX) {
            let mut names = names.clone();
            names.push((name, row));
            self.one(&scope.clone().with(name, row), &names, list)?;
        }
        Ok(())
    }

    fn one(&self, scope: &Scope<'_>, names: &Names<'_>, list: &mut Vec<Value>) -> Result<(), EvalError> {
        let shown = self.when.as_ref().map_or(Ok(true), |w| w.eval_bool(scope))?;
        if shown {
            list.push(self.part.render(scope, names)?);
        }
        Ok(())
    }
}
