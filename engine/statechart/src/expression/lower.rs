//! The parsed tree to the tree that is evaluated: every name is checked, macros are recognised,
//! comprehensions bounded.

use super::functions;
use super::parser::{Ast, Kind};
use super::tree::{Comprehension, ComprehensionKind, Expr};
use super::{Fault, StateResolver};
use crate::suggest::did_you_mean;
use crate::vocabulary::Vocabulary;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

pub struct Lowered {
    pub root: Expr,
    pub names: BTreeSet<String>,
    pub paths: BTreeSet<String>,
}

pub fn lower(
    ast: Ast,
    vocabulary: &Vocabulary,
    extra: &[&str],
    states: Option<StateResolver<'_>>,
) -> Result<Lowered, Box<Fault>> {
    let mut lowering =
        Lowering { vocabulary, extra, states, locals: Vec::new(), names: BTreeSet::new(), paths: BTreeSet::new() };
    let root = lowering.expr(ast)?;
    Ok(Lowered { root, names: lowering.names, paths: lowering.paths })
}

struct Lowering<'a> {
    vocabulary: &'a Vocabulary,
    extra: &'a [&'a str],
    states: Option<StateResolver<'a>>,
    locals: Vec<String>,
    names: BTreeSet<String>,
    paths: BTreeSet<String>,
}

type Lowers<T = Expr> = Result<T, Box<Fault>>;

const MACROS: [&str; 5] = ["all", "exists", "exists_one", "map", "filter"];

impl Lowering<'_> {
    fn expr(&mut self, ast: Ast) -> Lowers {
        let at = ast.at;
        self.note_path(&ast);
        Ok(match ast.kind {
            Kind::Null => Expr::Null,
            Kind::Bool(b) => Expr::Bool(b),
            Kind::Int(i) => Expr::Int(i),
            Kind::Double(d) => Expr::Double(d),
            Kind::Text(s) => Expr::Text(s.into()),
            Kind::Ident(name) => self.variable(at, name)?,
            Kind::Select(base, field) => Expr::Select(at, self.base(*base)?, field.into()),
            Kind::Index(base, index) => Expr::Index(at, self.boxed(*base)?, self.boxed(*index)?),
            Kind::List(items) => Expr::List(self.list(items)?),
            Kind::Map(entries) => {
                let entry = |(k, v): (Ast, Ast)| Ok((k.at, self.expr(k)?, self.expr(v)?));
                Expr::Map(entries.into_iter().map(entry).collect::<Lowers<_>>()?)
            }
            Kind::Not(inner) => Expr::Not(at, self.boxed(*inner)?),
            Kind::Negate(inner) => Expr::Negate(at, self.boxed(*inner)?),
            Kind::Binary(operator, left, right) => Expr::Binary(at, operator, self.boxed(*left)?, self.boxed(*right)?),
            Kind::And(terms) => Expr::And(at, self.list(terms)?),
            Kind::Or(terms) => Expr::Or(at, self.list(terms)?),
            Kind::Conditional(parts) => {
                let [a, b, c] = *parts;
                Expr::Conditional(at, Box::new([self.expr(a)?, self.expr(b)?, self.expr(c)?]))
            }
            Kind::Call(name, args) => self.call(at, name, args)?,
            Kind::Method(target, name, args) => self.method(at, *target, name, args)?,
        })
    }

    fn boxed(&mut self, ast: Ast) -> Lowers<Box<Expr>> {
        self.expr(ast).map(Box::new)
    }

    /// The base of a selection: its own path is a prefix, not worth noting.
    fn base(&mut self, ast: Ast) -> Lowers<Box<Expr>> {
        match ast.kind {
            Kind::Select(base, field) => Ok(Box::new(Expr::Select(ast.at, self.base(*base)?, field.into()))),
            Kind::Ident(name) => self.variable(ast.at, name).map(Box::new),
            _ => self.boxed(ast),
        }
    }

    fn list(&mut self, items: Vec<Ast>) -> Lowers<Vec<Expr>> {
        items.into_iter().map(|item| self.expr(item)).collect()
    }

    fn variable(&mut self, at: u32, name: String) -> Lowers {
        if let Some(local) = self.locals.iter().rposition(|l| *l == name) {
            return Ok(Expr::Local(local));
        }
        let known = name == "context"
            || name == "event"
            || self.extra.contains(&name.as_str())
            || self.vocabulary.variables.contains(&name);
        if !known {
            let names = ["context", "event"].into_iter();
            let names = names.chain(self.extra.iter().copied()).chain(self.locals.iter().map(String::as_str));
            let hint = did_you_mean(&name, names.chain(self.vocabulary.variables.iter().map(String::as_str)));
            let hint = hint.or_else(|| Some(format!("a text is written in quotes: `'{name}'`")));
            return Err(Fault::coded(at, "unknown-name", format!("unknown name `{name}`"), hint));
        }
        self.names.insert(name.clone());
        let shadowed = self.extra.contains(&name.as_str());
        Ok(match name.as_str() {
            "context" if !shadowed => Expr::Context,
            "event" if !shadowed => Expr::Event,
            _ => Expr::Variable(at, name.into()),
        })
    }

    fn call(&mut self, at: u32, name: String, args: Vec<Ast>) -> Lowers {
        match name.as_str() {
            "has" => return self.has(at, args),
            "inState" => return self.in_state(at, args),
            _ => {}
        }
        if let Some((function, arity)) = functions::find(&name, false) {
            check_arity(at, &name, &arity, args.len())?;
            return Ok(Expr::Call(at, function, self.list(args)?));
        }
        let Some(arity) = self.vocabulary.functions.get(&name) else {
            let own: Vec<&str> = functions::names(false).chain(["has", "inState"]).collect();
            let hint = did_you_mean(&name, self.vocabulary.functions.keys().map(String::as_str).chain(own));
            return Err(Fault::coded(at, "unknown-name", format!("unknown function `{name}`"), hint));
        };
        check_arity(at, &name, arity, args.len())?;
        self.names.insert(name.clone());
        Ok(Expr::Host(at, name.into(), self.list(args)?))
    }

    fn method(&mut self, at: u32, target: Ast, name: String, args: Vec<Ast>) -> Lowers {
        if MACROS.contains(&name.as_str()) {
            return self.comprehension(at, target, &name, args);
        }
        let Some((function, arity)) = functions::find(&name, true) else {
            let hint = did_you_mean(&name, functions::names(true).chain(MACROS));
            return Err(Fault::coded(at, "unknown-name", format!("unknown method `{name}`"), hint));
        };
        check_arity(at, &name, &(arity.start() - 1..=arity.end() - 1), args.len())?;
        let mut all = vec![self.expr(target)?];
        all.extend(self.list(args)?);
        Ok(Expr::Call(at, function, all))
    }

    fn has(&mut self, at: u32, args: Vec<Ast>) -> Lowers {
        let mut args = args.into_iter();
        match (args.next(), args.next()) {
            (Some(Ast { kind: Kind::Select(base, field), .. }), None) => {
                Ok(Expr::Has(at, self.base(*base)?, field.into()))
            }
            _ => Err(Fault::new(at, "`has` takes one field such as `has(event.x)`")),
        }
    }

    fn in_state(&mut self, at: u32, args: Vec<Ast>) -> Lowers {
        let Some(states) = self.states else {
            return Err(Fault::coded(at, "unknown-name", "`inState` can be asked in guards only", None));
        };
        let mut args = args.into_iter();
        let (Some(Ast { kind: Kind::Text(name), .. }), None) = (args.next(), args.next()) else {
            return Err(Fault::new(at, "`inState` takes one text such as `inState('#id')`"));
        };
        let unknown = |hint| Fault::coded(at, "unknown-state", format!("unknown state `{name}` in `inState`"), hint);
        states(&name).map(Expr::InState).map_err(unknown)
    }

    fn comprehension(&mut self, at: u32, target: Ast, name: &str, args: Vec<Ast>) -> Lowers {
        if self.locals.len() >= self.vocabulary.limits.comprehension_nesting_max {
            let message =
                format!("`{name}` is nested more than {} deep", self.vocabulary.limits.comprehension_nesting_max);
            return Err(Fault::coded(at, "expression-limit", message, None));
        }
        let most = if name == "map" { 3 } else { 2 };
        check_arity(at, name, &(2..=most), args.len())?;
        let range = self.expr(target)?;
        let mut args = args.into_iter();
        let Some(Ast { kind: Kind::Ident(variable), .. }) = args.next() else {
            return Err(Fault::new(at, format!("the first argument of `{name}` is a name for the element")));
        };
        let local = self.locals.len();
        self.locals.push(variable);
        let mut bodies = self.list(args.collect())?.into_iter();
        self.locals.pop();
        let (Some(first), second) = (bodies.next(), bodies.next()) else {
            return Err(Fault::new(at, format!("`{name}` takes a condition")));
        };
        let kind = match (name, second) {
            ("all", _) => ComprehensionKind::All(first),
            ("exists", _) => ComprehensionKind::Exists(first),
            ("exists_one", _) => ComprehensionKind::ExistsOne(first),
            ("filter", _) => ComprehensionKind::Filter(first),
            (_, Some(second)) => ComprehensionKind::Map(Some(first), second),
            (_, None) => ComprehensionKind::Map(None, first),
        };
        Ok(Expr::Comprehension(at, Box::new(Comprehension { range, local, kind })))
    }

    fn note_path(&mut self, ast: &Ast) {
        if matches!(ast.kind, Kind::Select(..)) {
            self.paths.extend(path(ast, &self.locals));
        }
    }
}

/// `a.b.c` of a selection that starts at a variable.
fn path(ast: &Ast, locals: &[String]) -> Option<String> {
    match &ast.kind {
        Kind::Ident(name) if !locals.contains(name) => Some(name.clone()),
        Kind::Select(base, field) => path(base, locals).map(|base| format!("{base}.{field}")),
        _ => None,
    }
}

fn check_arity(at: u32, name: &str, arity: &RangeInclusive<usize>, given: usize) -> Lowers<()> {
    if arity.contains(&given) {
        return Ok(());
    }
    let wanted = if arity.start() == arity.end() {
        arity.start().to_string()
    } else {
        format!("{} to {}", arity.start(), arity.end())
    };
    Err(Fault::coded(at, "arity", format!("`{name}` takes {wanted} arguments, not {given}"), None))
}
