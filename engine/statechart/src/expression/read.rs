//! Trees whose strings are expressions, read as one expression: maps, lists, and lists whose items are
//! repeated (`each`, `as`) or conditional (`when`).

use super::Fault;
use super::lower::Lowering;
use super::tree::{Expr, Item, Written};
use crate::problem::Problem;
use crate::source::{Node, Value as Source};
use crate::vocabulary::Dialect;

/// What an item of a list may say beside its own keys.
pub(super) const ITEM_KEYS: [&str; 3] = ["each", "as", "when"];
/// What `each` calls an item when `as` does not say.
pub(super) const ITEM: &str = "item";

pub(super) struct ExpressionReader<'r, 'a> {
    pub lowering: &'r mut Lowering<'a>,
    pub problems: &'r mut Vec<Problem>,
}

impl<'a> ExpressionReader<'_, 'a> {
    /// A tree; what is wrong becomes a problem and `null`.
    pub fn node(&mut self, node: &'a Node) -> Expr {
        match &node.value {
            Source::String(text) => match self.text(text, node) {
                Some(expr) => {
                    let (text, span, names) = (text.as_str().into(), node.span.clone(), node.names.clone());
                    Expr::Written(Box::new(Written { text, span, names, expr }))
                }
                None => Expr::Null,
            },
            Source::List(items) => {
                let is_rich = self.lowering.vocabulary.dialect == Dialect::Rich;
                if is_rich && items.iter().any(|item| ITEM_KEYS.iter().any(|key| item.get(key).is_some())) {
                    return Expr::Items(items.iter().map(|item| self.item(item)).collect());
                }
                let parts: Vec<Expr> = items.iter().map(|item| self.node(item)).collect();
                if parts.iter().all(is_literal) { Expr::Literal(Box::new(node.to_json())) } else { Expr::List(parts) }
            }
            Source::Map(_) => self.map(node, &[]),
            Source::Null | Source::Bool(_) | Source::Int(_) | Source::Float(_) => {
                Expr::Literal(Box::new(node.to_json()))
            }
        }
    }

    fn map(&mut self, node: &'a Node, without: &[&str]) -> Expr {
        let entries = node.map().iter().filter(|(k, _)| !without.contains(&k.name.as_str()));
        let mut parts: Vec<(u32, Expr, Expr)> = Vec::with_capacity(node.map().len());
        parts.extend(entries.map(|(k, v)| (0, Expr::Text(k.name.as_str().into()), self.node(v))));
        if without.is_empty() && parts.iter().all(|(_, _, v)| is_literal(v)) {
            return Expr::Literal(Box::new(node.to_json()));
        }
        Expr::Map(parts)
    }

    /// One expression; a longer one than a person can read is warned of.
    pub fn text(&mut self, text: &str, node: &'a Node) -> Option<Expr> {
        let limits = &self.lowering.vocabulary.limits;
        if text.len() > limits.expression_chars_long {
            let chars = text.chars().count();
            if chars > limits.expression_chars_long && chars <= limits.expression_chars_max {
                let message = format!("an expression of {chars} characters is hard to read");
                let problem = Problem::warning("expression-long", &node.span, message);
                self.problems.push(problem.hint("name its parts as values"));
            }
        }
        let around = self.lowering.known;
        // A tree may be put together from several files.
        self.lowering.known = node.names.as_ref().map(|names| &names.signatures).or(around);
        let before = self.lowering.named.things.len();
        let read = self.lowering.text(text);
        self.lowering.known = around;
        self.lowering.named.things[before..].iter_mut().for_each(|thing| thing.span = Some(node.span.clone()));
        let told = |fault: Fault| {
            let problem = fault.into_problem(text, &node.span);
            if is_prose(text) {
                problem.hint(format!("a literal text has quotes of its own: \"'{text}'\""))
            } else {
                problem
            }
        };
        read.map_err(|fault| self.problems.push(told(*fault))).ok()
    }

    /// `{each, as, when, …}`: none, one or many items; anything else is one.
    fn item(&mut self, node: &'a Node) -> Item {
        let Some(each) = node.get("each") else {
            if let Some(name) = node.key("as") {
                self.problems.push(Problem::error("misplaced-key", &name.span, "`as` belongs beside `each`"));
            }
            let when = node.get("when").map(|n| self.node(n));
            let value = if when.is_some() { self.map(node, &ITEM_KEYS) } else { self.node(node) };
            return Item { each: None, when, value };
        };
        let name = match node.get("as") {
            None => ITEM,
            Some(name) => name.as_str().unwrap_or_else(|| {
                let message = format!("`as` is a name, not {}", name.kind());
                self.problems.push(Problem::error("shape", &name.span, message));
                ITEM
            }),
        };
        if self.lowering.known.or(node.names.as_ref().map(|n| &n.signatures)).is_some_and(|k| k.is_name(name)) {
            let message = format!("`{name}` is a value and cannot be the name of an item");
            self.problems.push(Problem::error("shadowed", &node.span, message));
        }
        let each = self.node(each);
        let local = self.lowering.locals.len();
        self.lowering.locals.push(name.to_owned());
        let when = node.get("when").map(|n| self.node(n));
        let value = self.map(node, &ITEM_KEYS);
        self.lowering.locals.pop();
        Item { each: Some((each, local)), when, value }
    }

    /// One string, or the tree itself, as the root of an expression.
    pub fn root(&mut self, node: &'a Node) -> Option<Expr> {
        match node.as_str() {
            Some(text) => self.text(text, node),
            None => Some(self.node(node)),
        }
    }
}

/// Place of a fault, when it is in one string of a tree.
#[derive(Debug)]
pub(super) struct FaultPlace {
    pub span: crate::source::Span,
    pub text: Box<str>,
    /// The value that it belongs to, and who asked for that.
    pub value: Option<Box<str>>,
    pub asked_by: Option<crate::source::Span>,
}

impl Fault {
    /// The innermost string that it happened in; further out, who asked for the value.
    pub(super) fn within(mut self: Box<Self>, written: &Written) -> Box<Self> {
        match &mut self.place {
            None => {
                let (span, text) = (written.span.clone(), written.text.clone());
                self.place = Some(Box::new(FaultPlace { span, text, value: None, asked_by: None }));
            }
            Some(place) if place.value.is_some() && place.asked_by.is_none() => {
                place.asked_by = Some(written.span.clone());
            }
            Some(_) => {}
        }
        self
    }

    /// The innermost value that it happened in.
    pub(super) fn of_value(mut self: Box<Self>, name: &str) -> Box<Self> {
        if let Some(place) = &mut self.place
            && place.value.is_none()
        {
            place.value = Some(name.into());
        }
        self
    }
}

fn is_literal(expr: &Expr) -> bool {
    matches!(expr, Expr::Literal(_))
}

/// Whether a text reads like words for people rather than like an expression.
fn is_prose(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_word = |word: &&str| word.trim_end_matches([',', '.', '!', ';']).chars().all(char::is_alphabetic);
    let is_name = text.starts_with(char::is_uppercase);
    (words.len() > 1 || is_name) && words.iter().all(is_word) && !words.contains(&"in")
}
