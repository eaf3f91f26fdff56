//! The tree that is evaluated: names resolved, macros recognised.

use super::functions::Function;
use super::parser::Operator;

#[derive(Debug)]
pub enum Expr {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(Box<str>),
    /// Variable of an enclosing comprehension, counted from the outermost.
    Local(usize),
    Context,
    Event,
    Variable(u32, Box<str>),
    Select(u32, Box<Expr>, Box<str>),
    /// `has(a.b)`
    Has(u32, Box<Expr>, Box<str>),
    Index(u32, Box<Expr>, Box<Expr>),
    List(Vec<Expr>),
    Map(Vec<(u32, Expr, Expr)>),
    Not(u32, Box<Expr>),
    Negate(u32, Box<Expr>),
    Binary(u32, Operator, Box<Expr>, Box<Expr>),
    And(u32, Vec<Expr>),
    Or(u32, Vec<Expr>),
    Conditional(u32, Box<[Expr; 3]>),
    /// A function of the dialect; a method's target is its first argument.
    Call(u32, Function, Vec<Expr>),
    Host(u32, Box<str>, Vec<Expr>),
    /// `inState('…')`, resolved to a node's index.
    InState(u32),
    Comprehension(u32, Box<Comprehension>),
}

#[derive(Debug)]
pub struct Comprehension {
    pub range: Expr,
    pub local: usize,
    pub kind: ComprehensionKind,
}

#[derive(Debug)]
pub enum ComprehensionKind {
    All(Expr),
    Exists(Expr),
    ExistsOne(Expr),
    Filter(Expr),
    /// Optional condition, then the value.
    Map(Option<Expr>, Expr),
}
