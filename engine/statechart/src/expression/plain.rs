//! A tree of expressions as one text of plain CEL: values and short names put in on the syntax tree, bound
//! names renamed where they would capture, optional selection written out. For other interpreters of a machine.

use super::Names;
use super::parser::{Ast, ExprKind, Operator, parse};
use super::read::{ITEM, ITEM_KEYS};
use crate::problem::Problem;
use crate::source::{Node, Value as Source};
use crate::vocabulary::Limits;
use std::fmt::Write;

/// Most parts that one expression may have after everything is put in.
const PARTS_MAX: usize = 200_000;

/// The text of a string or tree.
pub(crate) fn plain(node: &Node) -> Result<String, Problem> {
    let mut inliner = Inliner { file: None, arguments: Vec::new(), bound: Vec::new(), parts: 0 };
    let ast = inliner.node(node).map_err(|fault| Problem::error("expression", &node.span, fault))?;
    let mut text = String::new();
    write(&ast, &mut text);
    Ok(text)
}

struct Inliner<'n> {
    /// Names of the file that is read now.
    file: Option<&'n Names>,
    /// What stands for the parameters of the value that is put in.
    arguments: Vec<(String, Ast)>,
    /// Variables of comprehensions: as written, and as they are called in the result.
    bound: Vec<(String, String)>,
    parts: usize,
}

type Inlined<T = Ast> = Result<T, String>;

impl<'n> Inliner<'n> {
    fn node(&mut self, node: &'n Node) -> Inlined {
        let around = self.file;
        self.file = node.names.as_deref().or(around);
        let ast = match &node.value {
            Source::String(text) => {
                let limits = Limits { expression_chars_max: usize::MAX, ..Limits::default() };
                let ast = parse(text, &limits).map_err(|fault| fault.message)?;
                self.ast(ast)
            }
            Source::Null => Ok(of(ExprKind::Null)),
            Source::Bool(b) => Ok(of(ExprKind::Bool(*b))),
            Source::Int(i) => Ok(of(ExprKind::Int(*i))),
            Source::Float(f) => Ok(of(ExprKind::Double(*f))),
            Source::Map(_) => self.map(node, &[]),
            Source::List(items) if items.iter().any(|i| ITEM_KEYS.iter().any(|key| i.get(key).is_some())) => {
                let parts: Vec<Ast> = items.iter().map(|item| self.item(item)).collect::<Inlined<_>>()?;
                let add = |a, b| of(ExprKind::Binary(Operator::Add, Box::new(a), Box::new(b)));
                Ok(parts.into_iter().reduce(add).unwrap_or_else(|| of(ExprKind::List(Vec::new()))))
            }
            Source::List(items) => {
                items.iter().map(|item| self.node(item)).collect::<Inlined<_>>().map(|l| of(ExprKind::List(l)))
            }
        };
        self.file = around;
        ast
    }

    fn map(&mut self, node: &'n Node, without: &[&str]) -> Inlined {
        let entries = node.map().iter().filter(|(key, _)| !without.contains(&key.name.as_str()));
        let entry = |(key, value): &'n (_, Node)| {
            let key: &crate::source::Key = key;
            Ok((of(ExprKind::Text(key.name.clone())), self.node(value)?))
        };
        entries.map(entry).collect::<Inlined<_>>().map(|entries| of(ExprKind::Map(entries)))
    }

    /// `l.filter(x, when).map(x, value)`, or a list of one or none.
    fn item(&mut self, node: &'n Node) -> Inlined {
        let Some(each) = node.get("each") else {
            let Some(when) = node.get("when") else { return Ok(of(ExprKind::List(vec![self.node(node)?]))) };
            let (when, value) = (self.node(when)?, self.map(node, &ITEM_KEYS)?);
            let one = of(ExprKind::List(vec![value]));
            return Ok(of(ExprKind::Conditional(Box::new([when, one, of(ExprKind::List(Vec::new()))]))));
        };
        let range = self.node(each)?;
        let name = self.bind(node.get("as").and_then(Node::as_str).unwrap_or(ITEM));
        let when = node.get("when").map(|when| self.node(when)).transpose();
        let value = self.map(node, &ITEM_KEYS);
        self.bound.pop();
        let arguments = [Some(of(ExprKind::Ident(name))), when?, Some(value?)];
        Ok(of(ExprKind::Method(Box::new(range), "map".to_owned(), arguments.into_iter().flatten().collect())))
    }

    /// The name that a variable gets: its own, unless something around it is called so.
    fn bind(&mut self, name: &str) -> String {
        let taken = |n: &str| self.bound.iter().any(|(_, new)| new == n);
        let mut fresh = name.to_owned();
        let mut number = 1;
        while taken(&fresh) {
            number += 1;
            fresh = format!("{name}_{number}");
        }
        self.bound.push((name.to_owned(), fresh.clone()));
        fresh
    }

    fn list(&mut self, list: Vec<Ast>) -> Inlined<Vec<Ast>> {
        list.into_iter().map(|ast| self.ast(ast)).collect()
    }

    fn boxed(&mut self, ast: Ast) -> Inlined<Box<Ast>> {
        self.ast(ast).map(Box::new)
    }

    fn ast(&mut self, ast: Ast) -> Inlined {
        self.parts += 1;
        if self.parts > PARTS_MAX {
            return Err(format!("with its values it has more than {PARTS_MAX} parts"));
        }
        let kind = match ast.kind {
            ExprKind::Ident(name) => return self.name(name),
            ExprKind::Call(name, arguments) => {
                let arguments = self.list(arguments)?;
                if self.file.is_some_and(|names| names.find(&name).is_some()) {
                    return self.value(&name, arguments);
                }
                ExprKind::Call(name, arguments)
            }
            ExprKind::OptionalSelect(..) | ExprKind::OptionalIndex(..) => {
                let optional = self.optional(ast)?;
                return Ok(optional.or_value(of(ExprKind::Null)));
            }
            ExprKind::Method(target, name, arguments) => return self.method(*target, name, arguments),
            ExprKind::Select(base, field) => {
                if is_optional(&base) {
                    let optional = self.optional(of(ExprKind::Select(base, field)))?;
                    return Ok(optional.or_value(of(ExprKind::Null)));
                }
                ExprKind::Select(self.boxed(*base)?, field)
            }
            ExprKind::Index(base, index) => {
                if is_optional(&base) {
                    let optional = self.optional(of(ExprKind::Index(base, index)))?;
                    return Ok(optional.or_value(of(ExprKind::Null)));
                }
                ExprKind::Index(self.boxed(*base)?, self.boxed(*index)?)
            }
            ExprKind::List(items) => ExprKind::List(self.list(items)?),
            ExprKind::Map(entries) => {
                let entry = |(key, value)| Ok((self.ast(key)?, self.ast(value)?));
                ExprKind::Map(entries.into_iter().map(entry).collect::<Inlined<_>>()?)
            }
            ExprKind::Not(inner) => ExprKind::Not(self.boxed(*inner)?),
            ExprKind::Negate(inner) => ExprKind::Negate(self.boxed(*inner)?),
            ExprKind::Binary(operator, a, b) => ExprKind::Binary(operator, self.boxed(*a)?, self.boxed(*b)?),
            ExprKind::And(terms) => ExprKind::And(self.list(terms)?),
            ExprKind::Or(terms) => ExprKind::Or(self.list(terms)?),
            ExprKind::Conditional(parts) => {
                let [a, b, c] = *parts;
                ExprKind::Conditional(Box::new([self.ast(a)?, self.ast(b)?, self.ast(c)?]))
            }
            kind
            @ (ExprKind::Null | ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Double(_) | ExprKind::Text(_)) => kind,
        };
        Ok(of(kind))
    }

    fn name(&mut self, name: String) -> Inlined {
        if let Some((_, new)) = self.bound.iter().rev().find(|(written, _)| *written == name) {
            return Ok(of(ExprKind::Ident(new.clone())));
        }
        if let Some((_, argument)) = self.arguments.iter().find(|(parameter, _)| *parameter == name) {
            return Ok(argument.clone());
        }
        let Some(names) = self.file else { return Ok(of(ExprKind::Ident(name))) };
        if let Some(path) = names.place(&name) {
            let select = |base, key: &str| of(ExprKind::Select(Box::new(base), key.to_owned()));
            return Ok(path.fold(of(ExprKind::Ident("context".to_owned())), select));
        }
        if names.find(&name).is_some() { self.value(&name, Vec::new()) } else { Ok(of(ExprKind::Ident(name))) }
    }

    /// The body of a value. What is bound around it keeps its new name, and its own variables get others.
    fn value(&mut self, name: &str, arguments: Vec<Ast>) -> Inlined {
        let Some((_, definition)) = self.file.and_then(|names| names.find(name)) else {
            return Err(format!("unknown value `{name}`"));
        };
        let arguments = definition.parameters.iter().map(|p| p.to_string()).zip(arguments).collect();
        let outer = std::mem::replace(&mut self.arguments, arguments);
        // A name that was bound outside means nothing in here, but it is taken.
        let bound = self.bound.clone();
        self.bound.iter_mut().for_each(|(written, _)| written.clear());
        let body = self.node(&definition.node);
        (self.arguments, self.bound) = (outer, bound);
        body
    }

    fn method(&mut self, target: Ast, name: String, arguments: Vec<Ast>) -> Inlined {
        if is_optional(&target) && matches!(name.as_str(), "or" | "orValue" | "hasValue") {
            let argument = arguments.into_iter().next();
            let optional = self.optional(target)?;
            return match (name.as_str(), argument) {
                ("orValue", Some(other)) => {
                    let other = self.ast(other)?;
                    Ok(optional.or_value(other))
                }
                ("or", Some(other)) => {
                    let other = self.optional(other)?;
                    Ok(optional.either(other).or_value(of(ExprKind::Null)))
                }
                _ => Ok(optional.is_there()),
            };
        }
        let target = self.boxed(target)?;
        if name == "fold" {
            return self.fold(target, arguments);
        }
        let is_macro = matches!(name.as_str(), "all" | "exists" | "exists_one" | "map" | "filter");
        let mut arguments = arguments.into_iter();
        let variable = arguments.next();
        let arguments = match (is_macro, variable) {
            (true, Some(Ast { kind: ExprKind::Ident(variable), .. })) => {
                let variable = self.bind(&variable);
                let rest = self.list(arguments.collect());
                self.bound.pop();
                std::iter::once(of(ExprKind::Ident(variable))).chain(rest?).collect()
            }
            (_, first) => self.list(first.into_iter().chain(arguments).collect())?,
        };
        Ok(of(ExprKind::Method(target, name, arguments)))
    }

    /// `list.fold(item, total, start, next)` stays: other interpreters add it beside the functions of the product.
    fn fold(&mut self, target: Box<Ast>, arguments: Vec<Ast>) -> Inlined {
        let mut arguments = arguments.into_iter();
        let (Some(item), Some(total), Some(start), Some(next)) =
            (arguments.next(), arguments.next(), arguments.next(), arguments.next())
        else {
            return Err("`fold` takes two names, a start and what follows".to_owned());
        };
        let start = self.ast(start)?;
        let (ExprKind::Ident(item), ExprKind::Ident(total)) = (item.kind, total.kind) else {
            return Err("`fold` begins with a name for the element and one for the result so far".to_owned());
        };
        let names = [self.bind(&item), self.bind(&total)].map(|name| of(ExprKind::Ident(name)));
        let next = self.ast(next);
        self.bound.truncate(self.bound.len() - 2);
        let [item, total] = names;
        Ok(of(ExprKind::Method(target, "fold".to_owned(), vec![item, total, start, next?])))
    }

    fn optional(&mut self, ast: Ast) -> Inlined<Optional> {
        Ok(match ast.kind {
            ExprKind::OptionalSelect(base, field) => self.optional(*base)?.select(field),
            ExprKind::OptionalIndex(base, index) => {
                let base = self.optional(*base)?;
                base.index(self.ast(*index)?)
            }
            ExprKind::Select(base, field) if is_optional(&base) => self.optional(*base)?.select(field),
            ExprKind::Index(base, index) if is_optional(&base) => {
                let base = self.optional(*base)?;
                base.index(self.ast(*index)?)
            }
            ExprKind::Method(target, name, arguments) if name == "or" && is_optional(&target) => {
                let first = self.optional(*target)?;
                match arguments.into_iter().next() {
                    Some(other) => first.either(self.optional(other)?),
                    None => first,
                }
            }
            kind => Optional { conditions: Vec::new(), value: self.ast(of(kind))? },
        })
    }
}

/// A value that is there when all conditions hold.
struct Optional {
    conditions: Vec<Ast>,
    value: Ast,
}

impl Optional {
    fn not_null(&mut self) {
        if !matches!(&self.value.kind, ExprKind::Ident(name) if name == "context" || name == "event") {
            let (value, null) = (Box::new(self.value.clone()), Box::new(of(ExprKind::Null)));
            self.conditions.push(of(ExprKind::Binary(Operator::NotEqual, value, null)));
        }
    }

    fn select(mut self, field: String) -> Optional {
        self.not_null();
        let value = of(ExprKind::Select(Box::new(self.value), field));
        self.conditions.push(of(ExprKind::Call("has".to_owned(), vec![value.clone()])));
        Optional { conditions: self.conditions, value }
    }

    fn index(mut self, index: Ast) -> Optional {
        self.not_null();
        let is_there = match &index.kind {
            ExprKind::Int(_) => {
                let size = of(ExprKind::Call("size".to_owned(), vec![self.value.clone()]));
                ExprKind::Binary(Operator::Greater, Box::new(size), Box::new(index.clone()))
            }
            _ => ExprKind::Binary(Operator::In, Box::new(index.clone()), Box::new(self.value.clone())),
        };
        self.conditions.push(of(is_there));
        Optional { conditions: self.conditions, value: of(ExprKind::Index(Box::new(self.value), Box::new(index))) }
    }

    fn is_there(&self) -> Ast {
        match self.conditions.as_slice() {
            [] => of(ExprKind::Bool(true)),
            [only] => only.clone(),
            all => of(ExprKind::And(all.to_vec())),
        }
    }

    fn or_value(self, other: Ast) -> Ast {
        if self.conditions.is_empty() {
            return self.value;
        }
        of(ExprKind::Conditional(Box::new([self.is_there(), self.value, other])))
    }

    fn either(self, other: Optional) -> Optional {
        let either = of(ExprKind::Or(vec![self.is_there(), other.is_there()]));
        let value = of(ExprKind::Conditional(Box::new([self.is_there(), self.value, other.value])));
        Optional { conditions: vec![either], value }
    }
}

fn of(kind: ExprKind) -> Ast {
    Ast { at: 0, height: 0, kind }
}

fn is_optional(ast: &Ast) -> bool {
    match &ast.kind {
        ExprKind::OptionalSelect(..) | ExprKind::OptionalIndex(..) => true,
        ExprKind::Select(base, _) | ExprKind::Index(base, _) => is_optional(base),
        ExprKind::Method(target, name, _) => name == "or" && is_optional(target),
        _ => false,
    }
}

/// A text as a literal of CEL.
fn quote(text: &str, out: &mut String) {
    out.push('\'');
    for c in text.chars() {
        match c {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('\'');
}

fn write(ast: &Ast, out: &mut String) {
    match &ast.kind {
        ExprKind::Null => out.push_str("null"),
        ExprKind::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        ExprKind::Int(i) => {
            let _ = write!(out, "{i}");
        }
        ExprKind::Double(d) => {
            let _ = write!(out, "{d:?}");
        }
        ExprKind::Text(text) => quote(text, out),
        ExprKind::Ident(name) => out.push_str(name),
        ExprKind::Select(base, field) | ExprKind::OptionalSelect(base, field) => {
            operand(base, out);
            out.push('.');
            out.push_str(field);
        }
        ExprKind::Index(base, index) | ExprKind::OptionalIndex(base, index) => {
            operand(base, out);
            out.push('[');
            write(index, out);
            out.push(']');
        }
        ExprKind::Call(name, arguments) => {
            out.push_str(name);
            write_list('(', arguments, ')', out);
        }
        ExprKind::Method(target, name, arguments) => {
            operand(target, out);
            out.push('.');
            out.push_str(name);
            write_list('(', arguments, ')', out);
        }
        ExprKind::List(items) => write_list('[', items, ']', out),
        ExprKind::Map(entries) => {
            out.push('{');
            for (i, (key, value)) in entries.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                write(key, out);
                out.push_str(": ");
                write(value, out);
            }
            out.push('}');
        }
        ExprKind::Not(inner) => {
            out.push('!');
            operand(inner, out);
        }
        ExprKind::Negate(inner) => {
            out.push('-');
            operand(inner, out);
        }
        ExprKind::Binary(operator, a, b) => {
            operand(a, out);
            let _ = write!(out, " {} ", operator.sign());
            operand(b, out);
        }
        ExprKind::And(terms) => join(terms, " && ", out),
        ExprKind::Or(terms) => join(terms, " || ", out),
        ExprKind::Conditional(parts) => {
            operand(&parts[0], out);
            out.push_str(" ? ");
            operand(&parts[1], out);
            out.push_str(" : ");
            operand(&parts[2], out);
        }
    }
}

/// Writes an operand, in brackets when it is made of several parts.
fn operand(ast: &Ast, out: &mut String) {
    let is_open = match &ast.kind {
        ExprKind::Not(_)
        | ExprKind::Negate(_)
        | ExprKind::Binary(..)
        | ExprKind::And(_)
        | ExprKind::Or(_)
        | ExprKind::Conditional(_) => true,
        ExprKind::Int(i) => *i < 0,
        ExprKind::Double(d) => *d < 0.0,
        _ => false,
    };
    if is_open {
        out.push('(');
        write(ast, out);
        out.push(')');
    } else {
        write(ast, out);
    }
}

fn join(terms: &[Ast], sign: &str, out: &mut String) {
    for (i, term) in terms.iter().enumerate() {
        out.push_str(if i > 0 { sign } else { "" });
        // Comparisons bind closer.
        if matches!(term.kind, ExprKind::Binary(..)) { write(term, out) } else { operand(term, out) }
    }
}

fn write_list(open: char, items: &[Ast], close: char, out: &mut String) {
    out.push(open);
    for (i, item) in items.iter().enumerate() {
        out.push_str(if i > 0 { ", " } else { "" });
        write(item, out);
    }
    out.push(close);
}
