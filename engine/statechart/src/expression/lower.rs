//! The parsed tree to the tree that is evaluated: every name is checked, macros are recognised,
//! comprehensions bounded.

use super::functions;
use super::names::Signatures;
use super::parser::{Ast, ExprKind, parse};
use super::tree::{Comprehension, ComprehensionKind, Expr};
use super::{Fault, StateResolver};
use crate::source::Span;
use crate::suggest::did_you_mean;
use crate::vocabulary::{Dialect, Vocabulary};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// What an expression names.
#[derive(Debug, Default)]
pub struct Named {
    /// Variables and functions of the host; `context` and `event` too.
    pub names: BTreeSet<String>,
    /// The longest dotted paths that it reads.
    pub paths: BTreeSet<String>,
    /// Calls of functions that take the name of something.
    pub things: Vec<Thing>,
    /// Values with the number of their arguments.
    pub values: BTreeSet<(Box<str>, usize)>,
}

/// What a compiled expression names; there are a hundred thousand of them, so none takes more room than it needs.
#[derive(Debug, Default)]
pub struct NamedLists {
    pub names: Box<[Box<str>]>,
    pub paths: Box<[Box<str>]>,
    pub things: Box<[Thing]>,
    pub values: Box<[(Box<str>, usize)]>,
}

impl From<Named> for NamedLists {
    fn from(named: Named) -> NamedLists {
        NamedLists {
            names: named.names.into_iter().map(String::into_boxed_str).collect(),
            paths: named.paths.into_iter().map(String::into_boxed_str).collect(),
            things: named.things.into(),
            values: named.values.into_iter().collect(),
        }
    }
}

/// A call of a function that takes the name of something.
#[derive(Clone, Debug)]
pub struct Thing {
    pub function: Box<str>,
    /// Name that is called, when it is literal.
    pub name: Option<Box<str>>,
    /// What is asked of it: the argument behind the name, when it is a literal text.
    pub key: Option<Box<str>>,
    /// Place of the text in which the call stands.
    pub span: Option<Span>,
}

impl Thing {
    /// `of`: where the whole stands.
    pub fn at<'t>(&'t self, of: &'t Span) -> NamingCall<'t> {
        let span = self.span.as_ref().unwrap_or(of);
        NamingCall { span, function: &self.function, name: self.name.as_deref(), key: self.key.as_deref() }
    }
}

/// A call of a function that takes the name of something: `lookup('countries', 'in')`.
#[derive(Clone, Copy, Debug)]
pub struct NamingCall<'t> {
    pub span: &'t Span,
    pub function: &'t str,
    /// The name, when it is literal.
    pub name: Option<&'t str>,
    /// The argument behind the name, when it is a literal text.
    pub key: Option<&'t str>,
}

/// Reads texts, one after another, that stand in one scope.
pub struct Lowering<'a> {
    pub vocabulary: &'a Vocabulary,
    pub extra: &'a [&'a str],
    pub states: Option<StateResolver<'a>>,
    /// What the file says that names mean.
    pub known: Option<&'a Signatures>,
    /// Arguments of the value that is read, and variables of enclosing lists.
    pub locals: Vec<String>,
    pub named: Named,
    nesting: usize,
}

type Lowers<T = Expr> = Result<T, Box<Fault>>;

const MACROS: [&str; 6] = ["all", "exists", "exists_one", "map", "filter", "fold"];
const OPTIONALS: [&str; 3] = ["or", "orValue", "hasValue"];

impl<'a> Lowering<'a> {
    pub fn new(vocabulary: &'a Vocabulary, extra: &'a [&'a str], known: Option<&'a Signatures>) -> Self {
        Lowering { vocabulary, extra, states: None, known, locals: Vec::new(), named: Named::default(), nesting: 0 }
    }

    pub fn text(&mut self, text: &str) -> Lowers {
        let ast = parse(text, &self.vocabulary.limits)?;
        self.any(ast)
    }

    fn expr(&mut self, ast: Ast) -> Lowers {
        let at = ast.at;
        let expr = self.any(ast)?;
        if expr.is_optional() {
            let hint = "say what it is then: `a.?b.orValue('')`";
            return Err(Fault::with_code(
                at,
                "optional",
                "this may be absent, so nothing can be done with it yet",
                Some(hint.into()),
            ));
        }
        Ok(expr)
    }

    /// Lowers an expression that may give an optional too.
    fn any(&mut self, ast: Ast) -> Lowers {
        let at = ast.at;
        self.note_path(&ast);
        Ok(match ast.kind {
            ExprKind::Null => Expr::Null,
            ExprKind::Bool(b) => Expr::Bool(b),
            ExprKind::Int(i) => Expr::Int(i),
            ExprKind::Double(d) => Expr::Double(d),
            ExprKind::Text(s) => Expr::Text(s.into()),
            ExprKind::Ident(name) => self.variable(at, name)?,
            ExprKind::Select(base, field) => self.select(at, *base, field)?,
            ExprKind::OptionalSelect(base, field) => {
                self.rich(at)?;
                Expr::OptionalSelect(at, self.any(*base).map(Box::new)?, field.into())
            }
            ExprKind::Index(base, index) => {
                let base = self.any(*base).map(Box::new)?;
                let kind = if base.is_optional() { Expr::OptionalIndex } else { Expr::Index };
                kind(at, base, self.boxed(*index)?)
            }
            ExprKind::OptionalIndex(base, index) => {
                self.rich(at)?;
                Expr::OptionalIndex(at, self.any(*base).map(Box::new)?, self.boxed(*index)?)
            }
            ExprKind::List(items) => Expr::List(self.list(items)?),
            ExprKind::Map(entries) => {
                let mut all = Vec::with_capacity(entries.len());
                for (key, value) in entries {
                    all.push((key.at, self.expr(key)?, self.expr(value)?));
                }
                Expr::Map(all)
            }
            ExprKind::Not(inner) => Expr::Not(at, self.boxed(*inner)?),
            ExprKind::Negate(inner) => Expr::Negate(at, self.boxed(*inner)?),
            ExprKind::Binary(operator, left, right) => {
                Expr::Binary(at, operator, self.boxed(*left)?, self.boxed(*right)?)
            }
            ExprKind::And(terms) => Expr::And(at, self.list(terms)?),
            ExprKind::Or(terms) => Expr::Or(at, self.list(terms)?),
            ExprKind::Conditional(parts) => {
                let [a, b, c] = *parts;
                Expr::Conditional(at, Box::new([self.expr(a)?, self.expr(b)?, self.expr(c)?]))
            }
            ExprKind::Call(name, args) => self.call(at, name, args)?,
            ExprKind::Method(target, name, args) => self.method(at, *target, name, args)?,
        })
    }

    fn boxed(&mut self, ast: Ast) -> Lowers<Box<Expr>> {
        self.expr(ast).map(Box::new)
    }

    fn rich(&self, at: u32) -> Lowers<()> {
        match self.vocabulary.dialect {
            Dialect::Rich => Ok(()),
            Dialect::Plain => Err(Fault::new(at, "`.?` and `[?` do not belong to the plain dialect")),
        }
    }

    fn select(&mut self, at: u32, base: Ast, field: String) -> Lowers {
        let base = self.base(base)?;
        Ok(if base.is_optional() {
            Expr::OptionalSelect(at, base, field.into())
        } else {
            Expr::Select(at, base, field.into())
        })
    }

    /// The base of a selection: its own path is a prefix, not worth noting.
    fn base(&mut self, ast: Ast) -> Lowers<Box<Expr>> {
        match ast.kind {
            ExprKind::Select(base, field) => self.select(ast.at, *base, field).map(Box::new),
            ExprKind::Ident(name) => self.variable(ast.at, name).map(Box::new),
            _ => self.any(ast).map(Box::new),
        }
    }

    /// Without room for more: a third of what all expressions took was such room.
    fn list(&mut self, items: Vec<Ast>) -> Lowers<Vec<Expr>> {
        let mut list = Vec::with_capacity(items.len());
        for item in items {
            list.push(self.expr(item)?);
        }
        Ok(list)
    }

    fn variable(&mut self, at: u32, name: String) -> Lowers {
        if let Some(local) = self.locals.iter().rposition(|l| *l == name) {
            return Ok(Expr::Local(local));
        }
        if let Some(why) = self.known.and_then(|k| k.hidden(&name)) {
            return Err(Fault::with_code(at, why.code, why.message, Some(why.hint.into())));
        }
        let shadowed = self.extra.contains(&name.as_str());
        let variable = match name.as_str() {
            "context" if !shadowed => Expr::Context,
            "event" if !shadowed => Expr::Event,
            _ if shadowed || self.vocabulary.variables.contains(&name) => Expr::Variable(at, name.as_str().into()),
            _ => return self.lower_name(at, name),
        };
        self.named.names.insert(name);
        Ok(variable)
    }

    /// A name of the file: a place, or a value without arguments.
    fn lower_name(&mut self, at: u32, name: String) -> Lowers {
        if self.known.is_some_and(|k| k.is_place(&name)) {
            return Ok(Expr::Place(at, name.into()));
        }
        match self.known.and_then(|k| k.arity(&name)) {
            Some(0) => return Ok(self.value(at, &name, Vec::new())),
            Some(arity) => {
                return Err(Fault::with_code(at, "arity", format!("`{name}` takes {arity} arguments"), None));
            }
            None if self.vocabulary.late_values => return Ok(self.value(at, &name, Vec::new())),
            None => {}
        }
        let names = ["context", "event"].into_iter().chain(self.extra.iter().copied());
        let names = names.chain(self.locals.iter().map(String::as_str));
        let names = names.chain(self.known.into_iter().flat_map(Signatures::names));
        let hint = did_you_mean(&name, names.chain(self.vocabulary.variables.iter().map(String::as_str)));
        let hint = hint.or_else(|| Some(format!("a text is written in quotes: `'{name}'`")));
        Err(Fault::with_code(at, "unknown-name", format!("unknown name `{name}`"), hint))
    }

    fn value(&mut self, at: u32, name: &str, arguments: Vec<Expr>) -> Expr {
        self.named.values.insert((name.into(), arguments.len()));
        Expr::Value(at, name.into(), arguments)
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
            match self.known.and_then(|k| k.arity(&name)) {
                Some(arity) => check_arity(at, &name, &(arity..=arity), args.len())?,
                None if self.vocabulary.late_values => {}
                None => {
                    let mut own: Vec<&str> = functions::names(false).chain(["has", "inState"]).collect();
                    own.extend(self.known.into_iter().flat_map(Signatures::names));
                    let hint = did_you_mean(&name, self.vocabulary.functions.keys().map(String::as_str).chain(own));
                    return Err(Fault::with_code(at, "unknown-name", format!("unknown function `{name}`"), hint));
                }
            }
            let args = self.list(args)?;
            return Ok(self.value(at, &name, args));
        };
        check_arity(at, &name, arity, args.len())?;
        if let Some(position) = self.vocabulary.naming.get(&name) {
            let function = name.as_str();
            let literal = |at: usize| match args.get(at) {
                Some(Ast { kind: ExprKind::Text(text), .. }) => Some(text.as_str().into()),
                _ => None,
            };
            let (name, key) = (literal(*position), literal(*position + 1));
            self.named.things.push(Thing { function: function.into(), name, key, span: None });
        }
        self.named.names.insert(name.clone());
        Ok(Expr::Host(at, name.into(), self.list(args)?))
    }

    fn method(&mut self, at: u32, target: Ast, name: String, args: Vec<Ast>) -> Lowers {
        if name == "fold" && self.vocabulary.dialect == Dialect::Plain {
            return Err(Fault::new(at, "`fold` does not belong to the plain dialect"));
        }
        if MACROS.contains(&name.as_str()) {
            return self.comprehension(at, target, &name, args);
        }
        if OPTIONALS.contains(&name.as_str()) && self.vocabulary.dialect == Dialect::Rich {
            return self.of_optional(at, target, &name, args);
        }
        let Some((function, arity)) = functions::find(&name, true) else {
            let hint = did_you_mean(&name, functions::names(true).chain(MACROS).chain(OPTIONALS));
            return Err(Fault::with_code(at, "unknown-name", format!("unknown method `{name}`"), hint));
        };
        check_arity(at, &name, &(arity.start() - 1..=arity.end() - 1), args.len())?;
        let mut all = vec![self.expr(target)?];
        all.extend(self.list(args)?);
        Ok(Expr::Call(at, function, all))
    }

    fn of_optional(&mut self, at: u32, target: Ast, name: &str, args: Vec<Ast>) -> Lowers {
        let arity = usize::from(name != "hasValue");
        check_arity(at, name, &(arity..=arity), args.len())?;
        let target = self.any(target)?;
        if !target.is_optional() {
            let message = format!("`{name}` belongs to something that may be absent, such as `a.?b`");
            return Err(Fault::with_code(at, "optional", message, None));
        }
        let target = Box::new(target);
        Ok(match (name, args.into_iter().next()) {
            ("orValue", Some(other)) => Expr::OrValue(target, self.boxed(other)?),
            ("or", Some(other)) => {
                let other = self.any(other)?;
                if !other.is_optional() {
                    let hint = "a value that is always there comes with `orValue`";
                    return Err(Fault::with_code(at, "optional", "`or` takes another optional", Some(hint.into())));
                }
                Expr::Either(target, Box::new(other))
            }
            _ => Expr::HasValue(target),
        })
    }

    fn has(&mut self, at: u32, args: Vec<Ast>) -> Lowers {
        let mut args = args.into_iter();
        match (args.next(), args.next()) {
            (Some(Ast { kind: ExprKind::Select(base, field), .. }), None) => {
                let base = self.base(*base)?;
                if base.is_optional() {
                    let hint = "`a.?b.hasValue()` asks without an error".to_owned();
                    return Err(Fault::with_code(at, "optional", "`has` asks of what is there", Some(hint)));
                }
                Ok(Expr::Has(at, base, field.into()))
            }
            _ => Err(Fault::new(at, "`has` takes one field such as `has(event.x)`")),
        }
    }

    fn in_state(&mut self, at: u32, args: Vec<Ast>) -> Lowers {
        let Some(states) = self.states else {
            return Err(Fault::with_code(at, "unknown-name", "`inState` can be asked in guards only", None));
        };
        let mut args = args.into_iter();
        let (Some(Ast { kind: ExprKind::Text(name), .. }), None) = (args.next(), args.next()) else {
            return Err(Fault::new(at, "`inState` takes one text such as `inState('#id')`"));
        };
        let unknown =
            |hint| Fault::with_code(at, "unknown-state", format!("unknown state `{name}` in `inState`"), hint);
        states(&name).map(Expr::InState).map_err(unknown)
    }

    fn comprehension(&mut self, at: u32, target: Ast, name: &str, args: Vec<Ast>) -> Lowers {
        if self.nesting >= self.vocabulary.limits.comprehension_nesting_max {
            let message =
                format!("`{name}` is nested more than {} deep", self.vocabulary.limits.comprehension_nesting_max);
            return Err(Fault::with_code(at, "expression-limit", message, None));
        }
        let arity = match name {
            "map" => 2..=3,
            "fold" => 4..=4,
            _ => 2..=2,
        };
        check_arity(at, name, &arity, args.len())?;
        let range = self.expr(target)?;
        let mut args = args.into_iter();
        let variable = self.macro_variable(at, name, args.next())?;
        let local = self.locals.len();
        if name == "fold" {
            let so_far = self.macro_variable(at, name, args.next())?;
            let initial = args
                .next()
                .map_or_else(|| Err(Fault::new(at, "`fold` needs what it begins with")), |a| self.expr(a))?;
            let value = self.within([variable, so_far], args.collect())?.into_iter().next();
            let value = value.ok_or_else(|| Fault::new(at, "`fold` needs what the result becomes"))?;
            let kind = ComprehensionKind::Fold(initial, value);
            return Ok(Expr::Comprehension(at, Box::new(Comprehension { range, local, kind })));
        }
        let bodies = self.within([variable], args.collect());
        let mut bodies = bodies?.into_iter();
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

    /// The name that a macro gives to an element, or to its result so far.
    fn macro_variable(&self, at: u32, of: &str, ast: Option<Ast>) -> Lowers<String> {
        let Some(Ast { kind: ExprKind::Ident(variable), .. }) = ast else {
            let message = match of {
                "fold" => "`fold` begins with a name for the element and one for the result so far".to_owned(),
                _ => format!("the first argument of `{of}` is a name for the element"),
            };
            return Err(Fault::new(at, message));
        };
        if self.known.is_some_and(|k| k.is_name(&variable)) {
            let message = format!("`{variable}` is a value and cannot be a variable of `{of}`");
            return Err(Fault::with_code(at, "shadowed", message, None));
        }
        Ok(variable)
    }

    /// What is said with these variables in reach.
    fn within<const N: usize>(&mut self, variables: [String; N], bodies: Vec<Ast>) -> Lowers<Vec<Expr>> {
        let before = self.locals.len();
        self.locals.extend(variables);
        self.nesting += 1;
        let bodies = self.list(bodies);
        self.nesting -= 1;
        self.locals.truncate(before);
        bodies
    }

    fn note_path(&mut self, ast: &Ast) {
        if matches!(ast.kind, ExprKind::Select(..) | ExprKind::OptionalSelect(..)) {
            self.named.paths.extend(path(ast, &self.locals));
        }
    }
}

/// `a.b.c` of a selection that starts at a variable.
fn path(ast: &Ast, locals: &[String]) -> Option<String> {
    match &ast.kind {
        ExprKind::Ident(name) if !locals.contains(name) => Some(name.clone()),
        ExprKind::Select(base, field) | ExprKind::OptionalSelect(base, field) => {
            path(base, locals).map(|base| format!("{base}.{field}"))
        }
        _ => None,
    }
}

pub(super) fn check_arity(at: u32, name: &str, arity: &RangeInclusive<usize>, given: usize) -> Lowers<()> {
    if arity.contains(&given) {
        return Ok(());
    }
    let wanted = if arity.start() == arity.end() {
        arity.start().to_string()
    } else {
        format!("{} to {}", arity.start(), arity.end())
    };
    Err(Fault::with_code(at, "arity", format!("`{name}` takes {wanted} arguments, not {given}"), None))
}
