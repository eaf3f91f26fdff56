//! What an expression takes from the context: which paths it needs, which it only asks for, and what
//! it compares them with. For checks of definitions; evaluation does not use it.
//!
//! `has(a.b)`, `'b' in a` and `get(a, 'b', …)` (a function of the host, by its name) ask. A branch that
//! is only taken when a path is there may read it: `has(a.b) && a.b > 1`, `get(a, 'b', '') != '' ? a.b : …`.

use super::Expression;
use super::parser::Operator;
use super::tree::{ComprehensionKind, Expr};

/// Segments below `context`; [`ANY_KEY`] stands for a computed one.
pub type Path<'e> = Vec<&'e str>;

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

/// A path beside a literal: `context.a == 'x'`, `get(context.a, 'b', 0) < 3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison<'e> {
    pub path: Path<'e>,
    /// Kind of the default of `get`.
    pub default: Option<Kind>,
    pub literal: Kind,
    /// `<`, `<=`, `>`, `>=`
    pub is_order: bool,
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
    pub fn reads(&self) -> Reads<'_> {
        let mut walk = Walk { found: Reads::default(), facts: Vec::new(), equal: Vec::new() };
        walk.expr(&self.compiled.root);
        walk.found
    }

    /// Paths that are there whenever this condition is `value`.
    pub fn implies(&self, value: bool) -> Vec<Path<'_>> {
        implied(&self.compiled.root, value)
    }

    /// Paths that equal a text whenever this condition is true.
    pub fn equalities(&self) -> Vec<Equal<'_>> {
        equalities(&self.compiled.root, true)
    }

    pub fn shape(&self) -> Shape<'_> {
        shape(&self.compiled.root)
    }
}

struct Walk<'e> {
    found: Reads<'e>,
    /// Paths that are there on this branch.
    facts: Vec<Path<'e>>,
    equal: Vec<Equal<'e>>,
}

impl<'e> Walk<'e> {
    fn expr(&mut self, expr: &'e Expr) {
        if let Some(place) = place(expr) {
            self.place(expr, place);
            return;
        }
        match expr {
            Expr::Null
            | Expr::Bool(_)
            | Expr::Int(_)
            | Expr::Double(_)
            | Expr::Text(_)
            | Expr::Local(_)
            | Expr::Context
            | Expr::Event => {}
            Expr::Variable(..) | Expr::InState(_) => {}
            Expr::Select(_, base, _) => self.expr(base),
            Expr::Has(_, base, field) => match place(base) {
                Some(at) => {
                    let needed = at.path.len();
                    let mut path = at.path;
                    path.push(field);
                    self.note(path, at.needed.min(needed));
                }
                None => self.expr(base),
            },
            Expr::Index(_, base, index) => {
                self.expr(base);
                self.expr(index);
            }
            Expr::List(items) => items.iter().for_each(|i| self.expr(i)),
            Expr::Map(entries) => entries.iter().for_each(|(_, k, v)| {
                self.expr(k);
                self.expr(v);
            }),
            Expr::Not(_, inner) | Expr::Negate(_, inner) => self.expr(inner),
            Expr::Binary(_, operator, left, right) => {
                self.compare(*operator, left, right);
                self.expr(left);
                self.expr(right);
            }
            Expr::And(_, terms) => self.terms(terms, true),
            Expr::Or(_, terms) => self.terms(terms, false),
            Expr::Conditional(_, parts) => {
                let [condition, then, otherwise] = &**parts;
                self.expr(condition);
                self.given([(condition, true)], then);
                self.given([(condition, false)], otherwise);
            }
            Expr::Call(_, _, args) | Expr::Host(_, _, args) => args.iter().for_each(|a| self.expr(a)),
            Expr::Comprehension(_, comprehension) => {
                self.expr(&comprehension.range);
                match &comprehension.kind {
                    ComprehensionKind::All(e)
                    | ComprehensionKind::Exists(e)
                    | ComprehensionKind::ExistsOne(e)
                    | ComprehensionKind::Filter(e) => self.expr(e),
                    ComprehensionKind::Map(condition, value) => {
                        condition.iter().for_each(|c| self.expr(c));
                        self.given(condition.iter().map(|c| (c, true)), value);
                    }
                }
            }
        }
    }

    /// A path, then what its computed keys and its defaults read.
    fn place(&mut self, expr: &'e Expr, place: Place<'e>) {
        self.note(place.path, place.needed);
        self.inner(expr);
    }

    fn inner(&mut self, expr: &'e Expr) {
        match expr {
            Expr::Select(_, base, _) => self.inner(base),
            Expr::Index(_, base, index) => {
                self.inner(base);
                self.expr(index);
            }
            Expr::Host(_, _, args) => {
                args.first().iter().for_each(|a| self.inner(a));
                args.iter().skip(1).for_each(|a| self.expr(a));
            }
            _ => {}
        }
    }

    /// Each term is decided by the others: an error in one that another decides has no effect.
    fn terms(&mut self, terms: &'e [Expr], value: bool) {
        for (i, term) in terms.iter().enumerate() {
            let others = terms.iter().enumerate().filter(|(j, _)| *j != i);
            self.given(others.map(|(_, t)| (t, value)), term);
        }
    }

    /// An expression that only counts when these conditions have these values.
    fn given(&mut self, conditions: impl IntoIterator<Item = (&'e Expr, bool)>, expr: &'e Expr) {
        let before = (self.facts.len(), self.equal.len());
        for (condition, value) in conditions {
            self.facts.extend(implied(condition, value));
            self.equal.extend(equalities(condition, value));
        }
        self.expr(expr);
        self.facts.truncate(before.0);
        self.equal.truncate(before.1);
    }

    fn note(&mut self, path: Path<'e>, needed: usize) {
        let common = |fact: &Path<'e>| fact.iter().zip(&path).take_while(|(a, b)| a == b).count();
        let known = self.facts.iter().map(common).max().unwrap_or(0);
        let when = self.equal.clone();
        let read = Read { path, known, needed, when };
        if !read.path.is_empty() && !self.found.reads.contains(&read) {
            self.found.reads.push(read);
        }
    }

    fn compare(&mut self, operator: Operator, left: &'e Expr, right: &'e Expr) {
        let is_order = match operator {
            Operator::Equal | Operator::NotEqual => false,
            Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual => true,
            _ => return,
        };
        for (side, other) in [(left, right), (right, left)] {
            if let (Some(at), Some(literal)) = (place(side), kind(other)) {
                let default = at.default.and_then(kind);
                if at.default.is_some() && default.is_none() {
                    continue;
                }
                self.found.comparisons.push(Comparison { path: at.path, default, literal, is_order });
            } else if let (None, Some(Kind::Null), true) = (place(side), kind(other), is_order) {
                self.found.comparisons.push(Comparison {
                    path: Vec::new(),
                    default: None,
                    literal: Kind::Null,
                    is_order,
                });
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

fn place(expr: &Expr) -> Option<Place<'_>> {
    match expr {
        Expr::Context => Some(Place { path: Vec::new(), needed: 0, default: None }),
        Expr::Variable(_, name) if &**name == "context" => Some(Place { path: Vec::new(), needed: 0, default: None }),
        Expr::Select(_, base, field) => below(place(base)?, field),
        Expr::Index(_, base, index) => match &**index {
            Expr::Text(key) => below(place(base)?, key),
            Expr::Int(_) => None,
            _ => below(place(base)?, ANY_KEY),
        },
        Expr::Host(_, name, args) if &**name == "get" => {
            let [map, key, default] = args.as_slice() else { return None };
            let mut at = place(map)?;
            let Expr::Text(key) = key else { return None };
            at.path.push(key);
            at.default = Some(default);
            Some(at)
        }
        _ => None,
    }
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
        _ => return None,
    })
}

fn implied(expr: &Expr, value: bool) -> Vec<Path<'_>> {
    match expr {
        Expr::Has(_, base, field) if value => match place(base) {
            Some(mut at) => {
                at.path.push(field);
                vec![at.path]
            }
            None => Vec::new(),
        },
        Expr::Binary(_, Operator::In, left, right) if value && matches!(**left, Expr::Text(_)) => {
            match (&**left, place(right)) {
                (Expr::Text(key), Some(mut at)) => {
                    at.path.push(key);
                    vec![at.path]
                }
                _ => by_default(expr, value),
            }
        }
        Expr::Not(_, inner) => implied(inner, !value),
        Expr::And(_, terms) | Expr::Or(_, terms) => {
            let each = terms.iter().map(|t| implied(t, value));
            if matches!(expr, Expr::And(..)) == value {
                return each.flatten().collect();
            }
            each.reduce(|a, b| a.into_iter().filter(|p| b.contains(p)).collect()).unwrap_or_default()
        }
        Expr::Conditional(_, parts) => match (&**parts, value) {
            ([a, b, Expr::Bool(false)], true) => [implied(a, true), implied(b, true)].concat(),
            ([a, Expr::Bool(true), c], false) => [implied(a, false), implied(c, false)].concat(),
            _ => Vec::new(),
        },
        _ => by_default(expr, value),
    }
}

/// A condition on one `get` that its default does not meet: then the key is there.
fn by_default(expr: &Expr, value: bool) -> Vec<Path<'_>> {
    let (probe, outcome) = match expr {
        Expr::Binary(_, operator, left, right) => {
            match (place(left).filter(|p| p.default.is_some()), place(right).filter(|p| p.default.is_some())) {
                (Some(probe), None) => {
                    let outcome = probe.default.and_then(|d| compared(*operator, d, right));
                    (probe, outcome)
                }
                (None, Some(probe)) => {
                    let outcome = probe.default.and_then(|d| compared(*operator, left, d));
                    (probe, outcome)
                }
                _ => return Vec::new(),
            }
        }
        Expr::Host(..) => match place(expr) {
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

fn equalities(expr: &Expr, value: bool) -> Vec<Equal<'_>> {
    match expr {
        Expr::Binary(_, operator, left, right)
            if matches!((operator, value), (Operator::Equal, true) | (Operator::NotEqual, false)) =>
        {
            let sides = [(left, right), (right, left)];
            sides
                .into_iter()
                .filter_map(|(side, text)| {
                    if let Expr::Text(text) = &**text { Some(Equal { path: place(side)?.path, text }) } else { None }
                })
                .collect()
        }
        Expr::Not(_, inner) => equalities(inner, !value),
        Expr::And(_, terms) if value => terms.iter().flat_map(|t| equalities(t, true)).collect(),
        Expr::Or(_, terms) if !value => terms.iter().flat_map(|t| equalities(t, false)).collect(),
        _ => Vec::new(),
    }
}

fn shape(expr: &Expr) -> Shape<'_> {
    if let Some(at) = place(expr) {
        return if at.default.is_none() && !at.path.contains(&ANY_KEY) { Shape::Copy(at.path) } else { Shape::Unknown };
    }
    match expr {
        Expr::Map(entries) => {
            let key = |k: &'_ Expr| matches!(k, Expr::Text(_));
            if !entries.iter().all(|(_, k, _)| key(k)) {
                return Shape::Unknown;
            }
            Shape::Map(
                entries
                    .iter()
                    .filter_map(|(_, k, v)| if let Expr::Text(k) = k { Some((&**k, shape(v))) } else { None })
                    .collect(),
            )
        }
        Expr::Host(_, name, args) if &**name == "merge" => match args.as_slice() {
            [a, b] => Shape::Merge(Box::new(shape(a)), Box::new(shape(b))),
            _ => Shape::Unknown,
        },
        Expr::Not(..) | Expr::And(..) | Expr::Or(..) | Expr::Has(..) | Expr::InState(_) => Shape::Plain(Kind::Bool),
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
            let (then, otherwise) = (shape(&parts[1]), shape(&parts[2]));
            if then == otherwise { then } else { Shape::Unknown }
        }
        _ => kind(expr).map_or(Shape::Unknown, Shape::Plain),
    }
}
