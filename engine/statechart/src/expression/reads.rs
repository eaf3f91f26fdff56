//! What an expression takes from the context: which paths it needs, which it only asks for, and what
//! it compares them with. For checks of definitions; evaluation does not use it.
//!
//! `has(a.b)`, `'b' in a`, `a.?b` and `get(a, 'b', …)` (a function of the host, by its name) ask. A branch that
//! is only taken when a path is there may read it: `has(a.b) && a.b > 1`, `a.?b.orValue('') != '' ? a.b : …`.
//! Values are looked through, with their arguments.

use super::functions::Function;
use super::parser::Operator;
use super::tree::{ComprehensionKind, Expr};
use super::{Expression, Names};
use crate::source::Span;
use serde_json::Value;
use std::rc::Rc;

/// Segments below `context`; [`ANY_KEY`] stands for a computed one.
pub type Path<'e> = Vec<&'e str>;

const CONTEXT: &str = "context";

/// A key that only the evaluation knows.
pub const ANY_KEY: &str = "*";

/// A path that is read: segments beyond `known` and up to `needed` must be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read<'e> {
    pub path: Path<'e>,
    pub known: usize,
    pub needed: usize,
    /// Texts that other paths equal wherever this one is read.
    pub when: Vec<Equal<'e>>,
    pub asked: Asked<'e>,
}

/// Who reads: a string of a tree, perhaps one of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked<'e> {
    /// Where it is read. `None`: the whole expression is one string.
    pub span: Option<&'e Span>,
    /// The value that reads it, and where that is asked for.
    pub value: Option<&'e str>,
    pub by: Option<&'e Span>,
}

/// A path that equals a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equal<'e> {
    pub path: Path<'e>,
    pub text: &'e str,
}

/// Kind of a JSON value; integers and floats are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Null,
    Bool,
    Number,
    Text,
    List,
    Map,
}

impl Kind {
    pub fn of(value: &Value) -> Kind {
        match value {
            Value::Null => Kind::Null,
            Value::Bool(_) => Kind::Bool,
            Value::Number(_) => Kind::Number,
            Value::String(_) => Kind::Text,
            Value::Array(_) => Kind::List,
            Value::Object(_) => Kind::Map,
        }
    }
}

/// A path beside a literal: `context.a == 'x'`, `get(context.a, 'b', 0) < 3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison<'e> {
    pub path: Path<'e>,
    /// Kind of the default of `get`.
    pub default: Option<Kind>,
    pub literal: Kind,
    /// `<`, `<=`, `>`, `>=`
    pub is_order: bool,
    pub asked: Asked<'e>,
}

/// What is known of a value before it is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape<'e> {
    Unknown,
    Plain(Kind),
    /// Exactly these keys.
    Map(Vec<(&'e str, Shape<'e>)>),
    /// The value of a path of the context.
    Copy(Path<'e>),
    /// `merge(a, b)`
    Merge(Box<Shape<'e>>, Box<Shape<'e>>),
}

#[derive(Clone, Debug, Default)]
pub struct Reads<'e> {
    pub reads: Vec<Read<'e>>,
    pub comparisons: Vec<Comparison<'e>>,
}

impl Expression {
    /// `late`: what names mean when it was read without them.
    pub fn reads<'e>(&'e self, late: Option<&'e Names>) -> Reads<'e> {
        self.reads_of(CONTEXT, late)
    }

    /// The same for another variable than `context`: `event`, `input`.
    pub fn reads_of<'e>(&'e self, root: &'static str, late: Option<&'e Names>) -> Reads<'e> {
        let mut walk = Walk::default();
        walk.expr(&self.compiled.root, &Env { root, ..self.env(late) });
        walk.found
    }

    /// Paths that are there whenever this condition is `value`.
    pub fn implies(&self, value: bool) -> Vec<Path<'_>> {
        implied(&self.compiled.root, &self.env(None), value)
    }

    /// Paths that equal a text whenever this condition is true.
    pub fn equalities(&self) -> Vec<Equal<'_>> {
        equalities(&self.compiled.root, &self.env(None), true)
    }

    pub fn shape(&self) -> Shape<'_> {
        shape(&self.compiled.root, &self.env(None))
    }

    fn env<'e>(&'e self, late: Option<&'e Names>) -> Env<'e> {
        Env { root: CONTEXT, names: self.compiled.names.as_deref().or(late), arguments: &[], outer: None }
    }
}

impl Expr {
    /// Paths of the context that the body of a value takes, through all values that it asks for.
    pub(super) fn paths<'e>(&'e self, names: &'e Names) -> impl Iterator<Item = Path<'e>> {
        let mut walk = Walk::default();
        walk.expr(self, &Env { root: CONTEXT, names: Some(names), arguments: &[], outer: None });
        walk.found.reads.into_iter().map(|read| read.path)
    }
}

/// What names and arguments mean where an expression stands.
#[derive(Clone)]
struct Env<'e> {
    /// The variable whose paths are looked for.
    root: &'static str,
    names: Option<&'e Names>,
    /// Of the value whose body this is; they stand in `outer`.
    arguments: &'e [Expr],
    outer: Option<Rc<Env<'e>>>,
}

/// An expression through the names that lead to it: the body of a value, an argument of one.
fn resolve<'e>(expr: &'e Expr, env: &Env<'e>) -> Option<(&'e Expr, Env<'e>)> {
    match expr {
        Expr::Written(written) => {
            Some((&written.expr, Env { names: written.names.as_deref().or(env.names), ..env.clone() }))
        }
        Expr::Local(i) => Some((env.arguments.get(*i)?, (**env.outer.as_ref()?).clone())),
        Expr::Value(_, name, arguments) => {
            let (_, definition) = env.names?.find(name)?;
            let inner = Env { root: env.root, names: env.names, arguments, outer: Some(Rc::new(env.clone())) };
            Some((&definition.body, inner))
        }
        _ => None,
    }
}

/// Parts of one expression that are looked at, its values included.
const PARTS_MAX: usize = 50_000;

#[derive(Default)]
struct Walk<'e> {
    found: Reads<'e>,
    /// Paths that are there on this branch.
    facts: Vec<Path<'e>>,
    equal: Vec<Equal<'e>>,
    asked: Asked<'e>,
    parts: usize,
}

impl<'e> Walk<'e> {
    fn expr(&mut self, expr: &'e Expr, env: &Env<'e>) {
        self.parts += 1;
        if self.parts > PARTS_MAX {
            return;
        }
        if let Expr::Written(written) = expr {
            let before = self.asked;
            if before.value.is_none() {
                self.asked.by = Some(&written.span);
            }
            self.asked.span = Some(&written.span);
            if let Some((inner, env)) = resolve(expr, env) {
                self.expr(inner, &env);
            }
            self.asked = before;
            return;
        }
        if let Some(place) = place(expr, env) {
            self.note(place.path, place.needed);
            self.inner(expr, env);
            return;
        }
        match expr {
            Expr::Value(_, name, arguments) => {
                arguments.iter().for_each(|a| self.expr(a, env));
                let before = self.asked;
                self.asked.value = before.value.or(Some(name));
                if let Some((body, env)) = resolve(expr, env) {
                    self.expr(body, &env);
                }
                self.asked = before;
            }
            Expr::Has(_, base, field) => match place(base, env) {
                Some(at) => {
                    let needed = at.path.len();
                    let mut path = at.path;
                    path.push(field);
                    self.note(path, needed);
                    self.inner(base, env);
                }
                None => self.expr(base, env),
            },
            Expr::Binary(_, operator, left, right) => {
                self.compare(*operator, left, right, env);
                self.expr(left, env);
                self.expr(right, env);
            }
            Expr::And(_, terms) => self.terms(terms, env, true),
            Expr::Or(_, terms) => self.terms(terms, env, false),
            Expr::Conditional(_, parts) => {
                let [condition, then, otherwise] = &**parts;
                self.expr(condition, env);
                self.given([(condition, true)], then, env);
                self.given([(condition, false)], otherwise, env);
            }
            Expr::Comprehension(_, comprehension) => {
                self.expr(&comprehension.range, env);
                match &comprehension.kind {
                    ComprehensionKind::All(e)
                    | ComprehensionKind::Exists(e)
                    | ComprehensionKind::ExistsOne(e)
                    | ComprehensionKind::Filter(e) => self.expr(e, env),
                    ComprehensionKind::Map(condition, value) => {
                        condition.iter().for_each(|c| self.expr(c, env));
                        self.given(condition.iter().map(|c| (c, true)), value, env);
                    }
                }
            }
            Expr::Items(items) => {
                for item in items {
                    item.each.iter().for_each(|(each, _)| self.expr(each, env));
                    item.when.iter().for_each(|when| self.expr(when, env));
                    self.given(item.when.iter().map(|when| (when, true)), &item.value, env);
                }
            }
            other => other.children(&mut |child| self.expr(child, env)),
        }
    }

    /// What computed keys and defaults of a path read.
    fn inner(&mut self, expr: &'e Expr, env: &Env<'e>) {
        match expr {
            Expr::Select(_, base, _) | Expr::OptionalSelect(_, base, _) => self.inner(base, env),
            Expr::Index(_, base, index) | Expr::OptionalIndex(_, base, index) => {
                self.inner(base, env);
                self.expr(index, env);
            }
            Expr::OrValue(optional, default) => {
                self.inner(optional, env);
                self.expr(default, env);
            }
            Expr::Host(_, _, args) => {
                args.first().iter().for_each(|a| self.inner(a, env));
                args.iter().skip(1).for_each(|a| self.expr(a, env));
            }
            Expr::Value(_, _, arguments) => arguments.iter().for_each(|a| self.expr(a, env)),
            _ => {}
        }
    }

    /// Each term is decided by the others: an error in one that another decides has no effect.
    fn terms(&mut self, terms: &'e [Expr], env: &Env<'e>, value: bool) {
        for (i, term) in terms.iter().enumerate() {
            let others = terms.iter().enumerate().filter(|(j, _)| *j != i);
            self.given(others.map(|(_, t)| (t, value)), term, env);
        }
    }

    /// An expression that only counts when these conditions have these values.
    fn given(&mut self, conditions: impl IntoIterator<Item = (&'e Expr, bool)>, expr: &'e Expr, env: &Env<'e>) {
        let before = (self.facts.len(), self.equal.len());
        for (condition, value) in conditions {
            self.facts.extend(implied(condition, env, value));
            self.equal.extend(equalities(condition, env, value));
        }
        self.expr(expr, env);
        self.facts.truncate(before.0);
        self.equal.truncate(before.1);
    }

    fn note(&mut self, path: Path<'e>, needed: usize) {
        let common = |fact: &Path<'e>| fact.iter().zip(&path).take_while(|(a, b)| a == b).count();
        let known = self.facts.iter().map(common).max().unwrap_or(0);
        let when = self.equal.clone();
        let read = Read { path, known, needed, when, asked: self.asked };
        if !read.path.is_empty() && !self.found.reads.contains(&read) {
            self.found.reads.push(read);
        }
    }

    fn compare(&mut self, operator: Operator, left: &'e Expr, right: &'e Expr, env: &Env<'e>) {
        let is_order = match operator {
            Operator::Equal | Operator::NotEqual => false,
            Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual => true,
            _ => return,
        };
        let asked = self.asked;
        for (side, other) in [(left, right), (right, left)] {
            if let (Some(at), Some(literal)) = (place(side, env), kind(other)) {
                let default = at.default.and_then(kind);
                if at.default.is_some() && default.is_none() {
                    continue;
                }
                self.found.comparisons.push(Comparison { path: at.path, default, literal, is_order, asked });
            } else if let (None, Some(Kind::Null), true) = (place(side, env), kind(other), is_order) {
                let (path, literal) = (Vec::new(), Kind::Null);
                self.found.comparisons.push(Comparison { path, default: None, literal, is_order, asked });
            }
        }
    }
}

/// A path of the context, perhaps through `get`.
struct Place<'e> {
    path: Path<'e>,
    /// Leading segments that must be there.
    needed: usize,
    /// The default of the outermost `get`.
    default: Option<&'e Expr>,
}

fn place<'e>(expr: &'e Expr, env: &Env<'e>) -> Option<Place<'e>> {
    match expr {
        Expr::Context if env.root == CONTEXT => Some(Place { path: Vec::new(), needed: 0, default: None }),
        Expr::Event if env.root == "event" => Some(Place { path: Vec::new(), needed: 0, default: None }),
        Expr::Variable(_, name) if &**name == env.root => Some(Place { path: Vec::new(), needed: 0, default: None }),
        Expr::Place(_, name) => short(name, env),
        Expr::Value(_, name, arguments)
            if arguments.is_empty() && env.names.is_some_and(|n| n.find(name).is_none()) =>
        {
            short(name, env)
        }
        Expr::Written(_) | Expr::Local(_) | Expr::Value(..) => {
            let (inner, env) = resolve(expr, env)?;
            place(inner, &env)
        }
        Expr::Select(_, base, field) => below(place(base, env)?, field),
        Expr::Index(_, base, index) => below(place(base, env)?, key(index, env)?),
        Expr::OptionalSelect(_, base, field) => Some(optional(place(base, env)?, field)),
        Expr::OptionalIndex(_, base, index) => Some(optional(place(base, env)?, key(index, env)?)),
        Expr::OrValue(optional, default) => {
            Some(Place { default: Some(literal(default, env)), ..place(optional, env)? })
        }
        Expr::Host(_, name, args) if &**name == "get" => {
            let [map, key, default] = args.as_slice() else { return None };
            let at = place(map, env)?;
            let (Expr::Text(key), default) = (literal(key, env), literal(default, env)) else { return None };
            Some(Place { default: Some(default), ..optional(at, key) })
        }
        _ => None,
    }
}

/// A place that has a name of its own; it is always there.
fn short<'e>(name: &str, env: &Env<'e>) -> Option<Place<'e>> {
    if env.root != CONTEXT {
        return None;
    }
    Some(Place { path: env.names?.place(name)?.collect(), needed: 0, default: None })
}

/// The key of an index; none for a position in a list.
fn key<'e>(index: &'e Expr, env: &Env<'e>) -> Option<&'e str> {
    match literal(index, env) {
        Expr::Text(key) => Some(key),
        Expr::Int(_) => None,
        _ => Some(ANY_KEY),
    }
}

/// An expression itself, not what leads to it.
fn literal<'e>(expr: &'e Expr, env: &Env<'e>) -> &'e Expr {
    match resolve(expr, env) {
        Some((inner, env)) => literal(inner, &env),
        None => expr,
    }
}

fn optional<'e>(mut at: Place<'e>, key: &'e str) -> Place<'e> {
    at.path.push(key);
    Place { default: Some(&Expr::Null), ..at }
}

fn below<'e>(mut at: Place<'e>, key: &'e str) -> Option<Place<'e>> {
    // What a default holds is another place.
    if at.default.is_some() {
        return None;
    }
    at.path.push(key);
    at.needed = at.path.len();
    Some(at)
}

fn kind(expr: &Expr) -> Option<Kind> {
    Some(match expr {
        Expr::Null => Kind::Null,
        Expr::Bool(_) => Kind::Bool,
        Expr::Int(_) | Expr::Double(_) => Kind::Number,
        Expr::Text(_) => Kind::Text,
        Expr::List(_) => Kind::List,
        Expr::Map(_) => Kind::Map,
        Expr::Negate(_, inner) => return kind(inner),
        Expr::Written(written) => return kind(&written.expr),
        Expr::Literal(value) => match value {
            serde_json::Value::Null => Kind::Null,
            serde_json::Value::Bool(_) => Kind::Bool,
            serde_json::Value::Number(_) => Kind::Number,
            serde_json::Value::String(_) => Kind::Text,
            serde_json::Value::Array(_) => Kind::List,
            serde_json::Value::Object(_) => Kind::Map,
        },
        Expr::Items(_) => Kind::List,
        _ => return None,
    })
}

fn implied<'e>(expr: &'e Expr, env: &Env<'e>, value: bool) -> Vec<Path<'e>> {
    match expr {
        Expr::Written(_) | Expr::Local(_) | Expr::Value(..) => match resolve(expr, env) {
            Some((inner, env)) => implied(inner, &env, value),
            None => Vec::new(),
        },
        Expr::HasValue(optional) if value => place(optional, env).map(|at| vec![at.path]).unwrap_or_default(),
        Expr::Has(_, base, field) if value => match place(base, env) {
            Some(mut at) => {
                at.path.push(field);
                vec![at.path]
            }
            None => Vec::new(),
        },
        Expr::Binary(_, Operator::In, left, right) if value && matches!(literal(left, env), Expr::Text(_)) => {
            match (literal(left, env), place(right, env)) {
                (Expr::Text(key), Some(mut at)) => {
                    at.path.push(key);
                    vec![at.path]
                }
                _ => by_default(expr, env, value),
            }
        }
        Expr::Not(_, inner) => implied(inner, env, !value),
        Expr::And(_, terms) | Expr::Or(_, terms) => {
            let each = terms.iter().map(|t| implied(t, env, value));
            if matches!(expr, Expr::And(..)) == value {
                return each.flatten().collect();
            }
            each.reduce(|a, b| a.into_iter().filter(|p| b.contains(p)).collect()).unwrap_or_default()
        }
        Expr::Conditional(_, parts) => match (&**parts, value) {
            ([a, b, Expr::Bool(false)], true) => [implied(a, env, true), implied(b, env, true)].concat(),
            ([a, Expr::Bool(true), c], false) => [implied(a, env, false), implied(c, env, false)].concat(),
            _ => Vec::new(),
        },
        _ => by_default(expr, env, value),
    }
}

/// `size` of what is empty when it is not there: nought is its default.
fn sized<'e>(expr: &'e Expr, env: &Env<'e>) -> Option<Place<'e>> {
    const NOUGHT: &Expr = &Expr::Int(0);
    let Expr::Call(_, Function::Size, arguments) = literal(expr, env) else { return None };
    let at = place(arguments.first()?, env)?;
    let is_empty = match at.default? {
        Expr::List(items) => items.is_empty(),
        Expr::Map(entries) => entries.is_empty(),
        Expr::Text(text) => text.is_empty(),
        Expr::Literal(value) => value.as_array().is_some_and(Vec::is_empty),
        _ => false,
    };
    is_empty.then_some(Place { default: Some(NOUGHT), ..at })
}

/// A condition on one `get` that its default does not meet: then the key is there.
fn by_default<'e>(expr: &'e Expr, env: &Env<'e>, value: bool) -> Vec<Path<'e>> {
    let probe = |side: &'e Expr| sized(side, env).or_else(|| place(side, env).filter(|p| p.default.is_some()));
    let (probe, outcome) = match expr {
        Expr::Binary(_, operator, left, right) => match (probe(left), probe(right)) {
            (Some(probe), None) => {
                let outcome = probe.default.and_then(|d| compared(*operator, d, literal(right, env)));
                (probe, outcome)
            }
            (None, Some(probe)) => {
                let outcome = probe.default.and_then(|d| compared(*operator, literal(left, env), d));
                (probe, outcome)
            }
            _ => return Vec::new(),
        },
        Expr::Host(..) | Expr::OrValue(..) => match place(expr, env) {
            Some(Place { path, needed, default: Some(Expr::Bool(b)) }) => {
                (Place { path, needed, default: None }, Some(*b))
            }
            _ => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    if outcome == Some(!value) { vec![probe.path] } else { Vec::new() }
}

/// The outcome of a comparison of literals, as far as it is plain to see.
fn compared(operator: Operator, left: &Expr, right: &Expr) -> Option<bool> {
    use Operator::{Equal, Greater, In, Less, NotEqual};
    let empty = |e: &Expr| match e {
        Expr::Text(t) => t.is_empty(),
        Expr::Map(m) => m.is_empty(),
        Expr::List(l) => l.is_empty(),
        _ => false,
    };
    match (operator, left, right) {
        (In, _, right) if empty(right) => Some(false),
        (In, left, Expr::List(items)) => {
            let each: Option<Vec<bool>> = items.iter().map(|i| compared(Equal, left, i)).collect();
            each.map(|found| found.contains(&true))
        }
        // Nothing sorts before the empty text.
        (Greater, Expr::Text(t), _) | (Less, _, Expr::Text(t)) if t.is_empty() => Some(false),
        (Equal | NotEqual, left, right) => {
            let same = match (left, right) {
                (Expr::Text(a), Expr::Text(b)) => a == b,
                (Expr::Int(a), Expr::Int(b)) => a == b,
                (Expr::Bool(a), Expr::Bool(b)) => a == b,
                (Expr::Null, Expr::Null) => true,
                (a, b) if empty(a) && empty(b) => kind(a) == kind(b),
                (a, b) if kind(a)? != kind(b)? => false,
                _ => return None,
            };
            Some(same == (operator == Equal))
        }
        (_, Expr::Int(a), Expr::Int(b)) => Some(match operator {
            Less => a < b,
            Operator::LessOrEqual => a <= b,
            Greater => a > b,
            Operator::GreaterOrEqual => a >= b,
            _ => return None,
        }),
        _ => None,
    }
}

fn equalities<'e>(expr: &'e Expr, env: &Env<'e>, value: bool) -> Vec<Equal<'e>> {
    match expr {
        Expr::Written(_) | Expr::Local(_) | Expr::Value(..) => match resolve(expr, env) {
            Some((inner, env)) => equalities(inner, &env, value),
            None => Vec::new(),
        },
        Expr::Binary(_, operator, left, right)
            if matches!((operator, value), (Operator::Equal, true) | (Operator::NotEqual, false)) =>
        {
            let sides = [(left, right), (right, left)];
            sides
                .into_iter()
                .filter_map(|(side, text)| match literal(text, env) {
                    Expr::Text(text) => Some(Equal { path: place(side, env)?.path, text }),
                    _ => None,
                })
                .collect()
        }
        Expr::Not(_, inner) => equalities(inner, env, !value),
        Expr::And(_, terms) if value => terms.iter().flat_map(|t| equalities(t, env, true)).collect(),
        Expr::Or(_, terms) if !value => terms.iter().flat_map(|t| equalities(t, env, false)).collect(),
        _ => Vec::new(),
    }
}

fn shape<'e>(expr: &'e Expr, env: &Env<'e>) -> Shape<'e> {
    if let Some(at) = place(expr, env) {
        return if at.default.is_none() && !at.path.contains(&ANY_KEY) { Shape::Copy(at.path) } else { Shape::Unknown };
    }
    match expr {
        Expr::Written(_) | Expr::Local(_) | Expr::Value(..) => match resolve(expr, env) {
            Some((inner, env)) => shape(inner, &env),
            None => Shape::Unknown,
        },
        Expr::Literal(value) => of_literal(value),
        Expr::Map(entries) => {
            let key = |k: &'_ Expr| matches!(k, Expr::Text(_));
            if !entries.iter().all(|(_, k, _)| key(k)) {
                return Shape::Unknown;
            }
            Shape::Map(
                entries
                    .iter()
                    .filter_map(|(_, k, v)| if let Expr::Text(k) = k { Some((&**k, shape(v, env))) } else { None })
                    .collect(),
            )
        }
        Expr::Host(_, name, args) if &**name == "merge" => match args.as_slice() {
            [a, b] => Shape::Merge(Box::new(shape(a, env)), Box::new(shape(b, env))),
            _ => Shape::Unknown,
        },
        Expr::Not(..) | Expr::And(..) | Expr::Or(..) | Expr::Has(..) | Expr::HasValue(_) | Expr::InState(_) => {
            Shape::Plain(Kind::Bool)
        }
        Expr::Binary(_, operator, _, right) => match operator {
            Operator::Equal
            | Operator::NotEqual
            | Operator::In
            | Operator::Less
            | Operator::LessOrEqual
            | Operator::Greater
            | Operator::GreaterOrEqual => Shape::Plain(Kind::Bool),
            Operator::Add => kind(right).map_or(Shape::Unknown, Shape::Plain),
            _ => Shape::Plain(Kind::Number),
        },
        Expr::Conditional(_, parts) => {
            let (then, otherwise) = (shape(&parts[1], env), shape(&parts[2], env));
            if then == otherwise { then } else { Shape::Unknown }
        }
        _ => kind(expr).map_or(Shape::Unknown, Shape::Plain),
    }
}

fn of_literal(value: &serde_json::Value) -> Shape<'_> {
    match value {
        serde_json::Value::Object(map) => Shape::Map(map.iter().map(|(k, v)| (k.as_str(), of_literal(v))).collect()),
        serde_json::Value::Null => Shape::Plain(Kind::Null),
        serde_json::Value::Bool(_) => Shape::Plain(Kind::Bool),
        serde_json::Value::Number(_) => Shape::Plain(Kind::Number),
        serde_json::Value::String(_) => Shape::Plain(Kind::Text),
        serde_json::Value::Array(_) => Shape::Plain(Kind::List),
    }
}
