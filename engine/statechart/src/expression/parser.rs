//! Tokens to a tree, by precedence. The tree is bounded while it grows: its nodes, its height (a
//! chain of 5,000 `+` is a tree of that height) and the parser's own recursion.

use super::Fault;
use super::lexer::{Token, tokens};
use crate::vocabulary::Limits;

#[derive(Clone, Debug)]
pub struct Ast {
    pub at: u32,
    pub height: u32,
    pub kind: ExprKind,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(String),
    Ident(String),
    Select(Box<Ast>, String),
    Index(Box<Ast>, Box<Ast>),
    /// `a.?b`
    OptionalSelect(Box<Ast>, String),
    /// `a[?b]`
    OptionalIndex(Box<Ast>, Box<Ast>),
    Call(String, Vec<Ast>),
    Method(Box<Ast>, String, Vec<Ast>),
    List(Vec<Ast>),
    Map(Vec<(Ast, Ast)>),
    Not(Box<Ast>),
    Negate(Box<Ast>),
    Binary(Operator, Box<Ast>, Box<Ast>),
    /// Chains are one node each.
    And(Vec<Ast>),
    Or(Vec<Ast>),
    Conditional(Box<[Ast; 3]>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
}

/// Every operator, as it is written, with its precedence: relations, sums, products.
const OPERATORS: [(&str, Operator, usize); 12] = [
    ("==", Operator::Equal, 0),
    ("!=", Operator::NotEqual, 0),
    ("<", Operator::Less, 0),
    ("<=", Operator::LessOrEqual, 0),
    (">", Operator::Greater, 0),
    (">=", Operator::GreaterOrEqual, 0),
    ("in", Operator::In, 0),
    ("+", Operator::Add, 1),
    ("-", Operator::Subtract, 1),
    ("*", Operator::Multiply, 2),
    ("/", Operator::Divide, 2),
    ("%", Operator::Remainder, 2),
];

impl Operator {
    pub fn sign(self) -> &'static str {
        OPERATORS.iter().find(|(_, operator, _)| *operator == self).map_or("", |(sign, _, _)| sign)
    }
}

pub fn parse(text: &str, limits: &Limits) -> Result<Ast, Box<Fault>> {
    let too_long = |_| {
        let message = format!("expression is longer than {} characters", limits.expression_chars_max);
        Fault::with_code(0, "expression-limit", message, Some("split it with named conditions".into()))
    };
    if text.len() > limits.expression_chars_max && text.chars().count() > limits.expression_chars_max {
        return Err(too_long(()));
    }
    let mut parser = Parser { tokens: tokens(text)?, next: 0, nodes: 0, depth: 0, limits };
    let ast = parser.expression()?;
    match parser.peek() {
        Token::End => Ok(ast),
        _ => Err(parser.unexpected("the end")),
    }
}

struct Parser<'a> {
    tokens: Vec<(u32, Token)>,
    next: usize,
    nodes: usize,
    depth: usize,
    limits: &'a Limits,
}

type Parsed = Result<Ast, Box<Fault>>;

impl Parser<'_> {
    /// `a ? b : c`, right-associative.
    fn expression(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > self.limits.expression_depth_max {
            return Err(self.too_deep(self.at()));
        }
        let condition = self.or()?;
        let at = self.at();
        let ast = if self.accept("?") {
            let then = self.or()?;
            self.expect(":")?;
            let otherwise = self.expression()?;
            let height = condition.height.max(then.height).max(otherwise.height);
            self.node(at, height, ExprKind::Conditional(Box::new([condition, then, otherwise])))?
        } else {
            condition
        };
        self.depth -= 1;
        Ok(ast)
    }

    fn or(&mut self) -> Parsed {
        self.chain("||", Self::and, ExprKind::Or)
    }

    fn and(&mut self) -> Parsed {
        self.chain("&&", |p| p.binary(0), ExprKind::And)
    }

    fn chain(&mut self, sign: &str, operand: fn(&mut Self) -> Parsed, kind: fn(Vec<Ast>) -> ExprKind) -> Parsed {
        let first = operand(self)?;
        let at = self.at();
        if !self.is(sign) {
            return Ok(first);
        }
        let mut height = first.height;
        let mut terms = vec![first];
        while self.accept(sign) {
            let term = operand(self)?;
            height = height.max(term.height);
            terms.push(term);
        }
        self.node(at, height, kind(terms))
    }

    /// Parses left-associative operators: relations (0), sums (1), products (2).
    fn binary(&mut self, level: usize) -> Parsed {
        if level > 2 {
            return self.unary();
        }
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.operator(level) {
            let at = self.at();
            self.next += 1;
            let right = self.binary(level + 1)?;
            let height = left.height.max(right.height);
            left = self.node(at, height, ExprKind::Binary(operator, Box::new(left), Box::new(right)))?;
        }
        Ok(left)
    }

    fn operator(&self, level: usize) -> Option<Operator> {
        let sign = match self.peek() {
            Token::Sign(sign) => sign,
            Token::In => "in",
            _ => return None,
        };
        OPERATORS.iter().find(|(s, _, of)| *s == sign && *of == level).map(|(_, operator, _)| *operator)
    }

    fn unary(&mut self) -> Parsed {
        let at = self.at();
        let mut signs = Vec::new();
        while let Token::Sign(sign @ ("!" | "-")) = *self.peek() {
            signs.push(sign);
            self.next += 1;
            if signs.len() > self.limits.expression_depth_max {
                return Err(self.too_deep(at));
            }
        }
        let mut ast = match (signs.last(), self.peek()) {
            (Some(&"-"), Token::Int(magnitude)) => {
                let value =
                    0i64.checked_sub_unsigned(*magnitude).ok_or_else(|| Fault::new(at, "integer is out of range"))?;
                let at = self.at();
                self.next += 1;
                signs.pop();
                let literal = self.node(at, 0, ExprKind::Int(value))?;
                self.members(literal)?
            }
            _ => {
                let primary = self.primary()?;
                self.members(primary)?
            }
        };
        for sign in signs.into_iter().rev() {
            let height = ast.height;
            let kind = if sign == "!" { ExprKind::Not(Box::new(ast)) } else { ExprKind::Negate(Box::new(ast)) };
            ast = self.node(at, height, kind)?;
        }
        Ok(ast)
    }

    /// `.field`, `.?field`, `.method(…)`, `[index]`, `[?index]`
    fn members(&mut self, mut ast: Ast) -> Parsed {
        loop {
            let at = self.at();
            if self.accept(".") {
                let is_optional = self.accept("?");
                let at = self.at();
                let Token::Ident(name) = self.peek().clone() else {
                    return Err(self.unexpected("a field name"));
                };
                self.next += 1;
                if is_optional {
                    ast = self.node(at, ast.height, ExprKind::OptionalSelect(Box::new(ast), name))?;
                } else if self.accept("(") {
                    let arguments = self.list(")")?;
                    let height = arguments.iter().map(|a| a.height).fold(ast.height, u32::max);
                    ast = self.node(at, height, ExprKind::Method(Box::new(ast), name, arguments))?;
                } else {
                    ast = self.node(at, ast.height, ExprKind::Select(Box::new(ast), name))?;
                }
            } else if self.accept("[") {
                let kind = if self.accept("?") { ExprKind::OptionalIndex } else { ExprKind::Index };
                let index = self.expression()?;
                self.expect("]")?;
                let height = ast.height.max(index.height);
                ast = self.node(at, height, kind(Box::new(ast), Box::new(index)))?;
            } else {
                return Ok(ast);
            }
        }
    }

    fn primary(&mut self) -> Parsed {
        let at = self.at();
        let token = self.peek().clone();
        self.next += usize::from(token != Token::End);
        match token {
            Token::Null => self.node(at, 0, ExprKind::Null),
            Token::True => self.node(at, 0, ExprKind::Bool(true)),
            Token::False => self.node(at, 0, ExprKind::Bool(false)),
            Token::Double(d) => self.node(at, 0, ExprKind::Double(d)),
            Token::Text(text) => self.node(at, 0, ExprKind::Text(text)),
            Token::Int(i) => match i64::try_from(i) {
                Ok(i) => self.node(at, 0, ExprKind::Int(i)),
                Err(_) => Err(Fault::new(at, "integer is out of range")),
            },
            Token::Ident(name) => {
                if self.accept("(") {
                    let arguments = self.list(")")?;
                    let height = arguments.iter().map(|a| a.height).max().unwrap_or(0);
                    self.node(at, height, ExprKind::Call(name, arguments))
                } else {
                    self.node(at, 0, ExprKind::Ident(name))
                }
            }
            Token::Sign("(") => {
                let mut inner = self.expression()?;
                self.expect(")")?;
                inner.height += 1;
                Ok(inner)
            }
            Token::Sign("[") => {
                let items = self.list("]")?;
                let height = items.iter().map(|a| a.height).max().unwrap_or(0);
                self.node(at, height, ExprKind::List(items))
            }
            Token::Sign("{") => self.map(at),
            Token::In | Token::Sign(_) | Token::End => {
                self.next -= usize::from(token != Token::End);
                Err(self.unexpected("a value"))
            }
        }
    }

    fn list(&mut self, close: &'static str) -> Result<Vec<Ast>, Box<Fault>> {
        let mut items = Vec::new();
        while !self.accept(close) {
            items.push(self.expression()?);
            if !self.accept(",") {
                self.expect(close)?;
                break;
            }
        }
        Ok(items)
    }

    fn map(&mut self, at: u32) -> Parsed {
        let mut entries = Vec::new();
        let mut height = 0;
        while !self.accept("}") {
            let key = self.expression()?;
            self.expect(":")?;
            let value = self.expression()?;
            height = key.height.max(value.height).max(height);
            entries.push((key, value));
            if !self.accept(",") {
                self.expect("}")?;
                break;
            }
        }
        self.node(at, height, ExprKind::Map(entries))
    }

    fn node(&mut self, at: u32, height: u32, kind: ExprKind) -> Parsed {
        self.nodes += 1;
        if self.nodes > self.limits.expression_nodes_max {
            let message = format!("expression has more than {} parts", self.limits.expression_nodes_max);
            return Err(Fault::with_code(at, "expression-limit", message, None));
        }
        let ast = Ast { at, height: height + 1, kind };
        if ast.height as usize > self.limits.expression_depth_max { Err(self.too_deep(at)) } else { Ok(ast) }
    }

    fn too_deep(&self, at: u32) -> Box<Fault> {
        let message = format!("expression is nested or chained more than {} deep", self.limits.expression_depth_max);
        Fault::with_code(at, "expression-limit", message, None)
    }

    fn peek(&self) -> &Token {
        self.tokens.get(self.next).map_or(&Token::End, |(_, token)| token)
    }

    fn at(&self) -> u32 {
        self.tokens.get(self.next).or(self.tokens.last()).map_or(0, |(at, _)| *at)
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(s) if *s == sign)
    }

    fn accept(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &'static str) -> Result<(), Box<Fault>> {
        if self.accept(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    fn unexpected(&self, wanted: &str) -> Box<Fault> {
        let found = match self.peek() {
            Token::End => "the end".to_owned(),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::Ident(name) => format!("`{name}`"),
            Token::In => "`in`".to_owned(),
            Token::True | Token::False | Token::Null => "a constant".to_owned(),
            Token::Int(_) | Token::Double(_) => "a number".to_owned(),
            Token::Text(_) => "a string".to_owned(),
        };
        Fault::new(self.at(), format!("expected {wanted}, found {found}"))
    }
}
