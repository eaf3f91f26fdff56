//! What names mean in one file beside the vocabulary: its values, and short names for places of the context.
//!
//! A value is a function of the state of the context. It is worked out when something asks for it, at most once
//! for each state of the context ([`super::Memory`]); what nobody asks for costs nothing.

use super::lower::{Lowering, NamingCall, Thing};
use super::read::ExpressionReader;
use super::tree::Expr;
use crate::problem::Problem;
use crate::source::{Key, Node, Span, digest_of};
use crate::suggest::did_you_mean;
use crate::vocabulary::Vocabulary;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};

/// Values that lead to one another, with what they are made of: what one evaluation may have to descend.
const DESCENT_MAX: u32 = 400;
const VALUES_MAX: usize = 1_000;

#[derive(Debug)]
pub struct Names {
    /// Tells the values of one file from those of another in a [`super::Memory`].
    pub(super) id: u32,
    pub(super) signatures: Signatures,
    pub(super) values: Vec<Definition>,
    digest: u64,
}

/// What can be written: enough to read expressions.
#[derive(Debug, Default)]
pub struct Signatures {
    /// Values by name: number and arity.
    values: BTreeMap<Box<str>, (usize, usize)>,
    places: Vec<(Box<str>, Vec<Box<str>>)>,
    /// Whether what is read stands within a value.
    is_value: bool,
}

#[derive(Debug)]
pub(super) struct Definition {
    pub name: Box<str>,
    pub parameters: Vec<Box<str>>,
    pub span: Span,
    pub body: Expr,
    /// Definition as it was written.
    pub node: Node,
    /// Whether it is nothing but a path: cheaper to follow again than to keep.
    pub is_path: bool,
    /// Whether nothing of it depends on a journey.
    pub is_constant: bool,
    /// Tables and the like that it names.
    pub things: Vec<Thing>,
}

/// Why a name must not be used here.
pub(super) struct Hidden {
    pub code: &'static str,
    pub message: &'static str,
    pub hint: &'static str,
}

impl Signatures {
    pub fn arity(&self, name: &str) -> Option<usize> {
        self.values.get(name).map(|(_, arity)| *arity)
    }

    pub fn is_place(&self, name: &str) -> bool {
        self.place(name).is_some()
    }

    pub fn is_name(&self, name: &str) -> bool {
        self.values.contains_key(name) || self.is_place(name)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(|k| &**k).chain(self.places.iter().map(|(k, _)| &**k))
    }

    pub(super) fn hidden(&self, name: &str) -> Option<Hidden> {
        match name {
            "event" if self.is_value => Some(Hidden {
                code: "value",
                message: "a value does not read `event`",
                hint: "give it an argument: `offered(choice)`, asked for as `offered(event.data)`",
            }),
            "context" if !self.places.is_empty() => Some(Hidden {
                code: "part-border",
                message: "a part sees `my` and `input`, not `context`",
                hint: "hand the value in with `with`",
            }),
            _ => None,
        }
    }

    pub(super) fn place(&self, name: &str) -> Option<&[Box<str>]> {
        self.places.iter().find(|(known, _)| &**known == name).map(|(_, path)| path.as_slice())
    }

    pub(super) fn slot(&self, name: &str) -> Option<usize> {
        self.values.get(name).map(|(slot, _)| *slot)
    }
}

impl Names {
    /// Reads a map of values, `name` or `name(argument, …)` → a tree of expressions. Each mistake is a problem;
    /// what is broken stays known, so that nothing follows from it.
    pub fn compile(
        values: &[(Key, Node)],
        places: &[(&str, &[&str])],
        vocabulary: &Vocabulary,
        extra: &[&str],
        problems: &mut Vec<Problem>,
    ) -> Names {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let boxed = |path: &[&str]| path.iter().map(|key| (*key).into()).collect();
        let places = places.iter().map(|(name, path)| ((*name).into(), boxed(path))).collect();
        let mut signatures = Signatures { values: BTreeMap::new(), places, is_value: true };
        let mut heads = Vec::new();
        if values.len() > VALUES_MAX {
            let message = format!("more than {VALUES_MAX} values");
            problems.push(Problem::error("size", &values[VALUES_MAX].0.span, message));
        }
        for (key, node) in values.iter().take(VALUES_MAX) {
            match head(key, &signatures, vocabulary, extra) {
                Ok((name, parameters)) => {
                    signatures.values.insert(name.into(), (heads.len(), parameters.len()));
                    heads.push((key, name, parameters, node));
                }
                Err(problem) => problems.push(problem),
            }
        }
        let said: Vec<(&str, &Node)> = values.iter().map(|(key, node)| (key.name.as_str(), node)).collect();
        let (id, digest) = (NEXT.fetch_add(1, Ordering::Relaxed), digest_of(&said));
        let mut names = Names { id, signatures, values: Vec::new(), digest };
        let mut calls = Vec::with_capacity(heads.len());
        for (key, name, parameters, node) in heads {
            let (definition, called) = names.definition(key, name, &parameters, node, vocabulary, extra, problems);
            names.values.push(definition);
            calls.push(called);
        }
        names.circles(&calls, problems);
        names.signatures.is_value = false;
        names
    }

    /// What the values say, as a number; places of a file apart.
    pub(crate) fn digest(&self) -> u64 {
        self.digest
    }

    #[allow(clippy::too_many_arguments)]
    fn definition(
        &self,
        key: &Key,
        name: &str,
        parameters: &[&str],
        node: &Node,
        vocabulary: &Vocabulary,
        extra: &[&str],
        problems: &mut Vec<Problem>,
    ) -> (Definition, Vec<usize>) {
        if let Some(taken) = parameters.iter().find(|p| self.signatures.is_name(p)) {
            let message = format!("`{taken}` is a value and cannot be an argument");
            problems.push(Problem::error("shadowed", &key.span, message));
        }
        let mut lowering = Lowering::new(vocabulary, extra, Some(&self.signatures));
        lowering.locals = parameters.iter().map(|p| (*p).to_owned()).collect();
        let body = ExpressionReader { lowering: &mut lowering, problems }.node(node);
        let named = std::mem::take(&mut lowering.named);
        // A value of another file by the same name.
        let other = node.names.as_ref().and_then(|names| names.find(name));
        let called = match other {
            Some(_) => Vec::new(),
            None => named.values.iter().filter_map(|(name, _)| self.signatures.slot(name)).collect(),
        };
        let of_journey = |name: &String| name != "params" && !vocabulary.functions.contains_key(name);
        let definition = Definition {
            name: name.into(),
            parameters: parameters.iter().map(|p| (*p).into()).collect(),
            span: key.span.clone(),
            is_path: is_path(&body),
            is_constant: match other {
                Some((_, value)) => value.is_constant,
                None => !named.names.iter().any(of_journey) && !has_place(&body),
            },
            body,
            node: node.clone(),
            things: named.things,
        };
        (definition, called)
    }

    /// Circles are refused, and so is what is nested too deep to be worked out safely. Values that ask for one
    /// that depends on a journey depend on it too.
    fn circles(&mut self, calls: &[Vec<usize>], problems: &mut Vec<Problem>) {
        let mut heights: Vec<Option<u32>> = vec![None; self.values.len()];
        for at in 0..self.values.len() {
            self.descend(at, calls, &mut heights, &mut Vec::new(), problems);
        }
    }

    fn descend(
        &mut self,
        at: usize,
        calls: &[Vec<usize>],
        heights: &mut [Option<u32>],
        path: &mut Vec<usize>,
        problems: &mut Vec<Problem>,
    ) -> u32 {
        if let Some(height) = heights[at] {
            return height;
        }
        if let Some(start) = path.iter().position(|p| *p == at) {
            let circle: Vec<&str> = path[start..].iter().chain([&at]).map(|p| &*self.values[*p].name).collect();
            let message = format!("values go round in a circle: {}", circle.join(" → "));
            problems.push(Problem::error("value-circle", &self.values[at].span, message));
            heights[at] = Some(0);
            self.values[at].body = Expr::Null;
            return 0;
        }
        path.push(at);
        let mut below = 0;
        for called in &calls[at] {
            below = below.max(self.descend(*called, calls, heights, path, problems));
            if !self.values[*called].is_constant {
                self.values[at].is_constant = false;
            }
        }
        path.pop();
        let height = below + height_of(&self.values[at].body);
        if height > DESCENT_MAX && heights[at].is_none() {
            let message = format!("`{}` leads through too many values one inside another", self.values[at].name);
            problems.push(Problem::error("size", &self.values[at].span, message));
            self.values[at].body = Expr::Null;
        }
        *heights[at].get_or_insert(height.min(DESCENT_MAX))
    }

    pub(super) fn find(&self, name: &str) -> Option<(usize, &Definition)> {
        let slot = self.signatures.slot(name)?;
        Some((slot, self.values.get(slot)?))
    }

    /// How many arguments the value of this name takes.
    pub fn arity(&self, name: &str) -> Option<usize> {
        self.signatures.arity(name)
    }

    /// Path to which a short name leads.
    pub fn place(&self, name: &str) -> Option<impl Iterator<Item = &str>> {
        self.signatures.place(name).map(|path| path.iter().map(|key| &**key))
    }

    /// The names of the values.
    pub fn values(&self) -> impl Iterator<Item = (&str, &Span)> {
        self.values.iter().map(|d| (&*d.name, &d.span))
    }

    /// The value of this name as it was written.
    pub fn written(&self, name: &str) -> Option<&Node> {
        self.find(name).map(|(_, definition)| &definition.node)
    }

    /// Calls of functions that take the name of something, by place.
    pub fn things(&self) -> impl Iterator<Item = NamingCall<'_>> {
        let all = self.values.iter().flat_map(|d| d.things.iter().map(move |thing| (d, thing)));
        all.map(|(d, thing)| thing.at(&d.node.span))
    }

    /// What an expression that was read without these names asks of them in vain; `constant`: only values that
    /// depend on no journey may be asked.
    pub fn check(&self, expression: &super::Expression, span: &Span, constant: bool) -> Vec<Problem> {
        let mut problems = Vec::new();
        for (name, given) in expression.late_values() {
            let problem = match self.find(name) {
                None if given == 0 && self.signatures.is_place(name) => continue,
                None => {
                    let hint = did_you_mean(name, self.signatures.names());
                    let hint = hint.or_else(|| Some(format!("a text is written in quotes: `'{name}'`")));
                    Problem::error("unknown-name", span, format!("unknown name `{name}`")).maybe_hint(hint)
                }
                Some((_, d)) if d.parameters.len() != given => {
                    let message = format!("`{name}` takes {} arguments, not {given}", d.parameters.len());
                    Problem::error("arity", span, message)
                }
                Some((_, d)) if constant && !d.is_constant => {
                    let message = format!("`{name}` depends on the journey: put it into the step's data");
                    Problem::error("value", span, message)
                }
                Some(_) => continue,
            };
            problems.push(problem);
        }
        problems
    }
}

/// `name` or `name(a, b)` of a key.
fn head<'k>(
    key: &'k Key,
    known: &Signatures,
    vocabulary: &Vocabulary,
    extra: &[&str],
) -> Result<(&'k str, Vec<&'k str>), Problem> {
    let error = |code, message: String| Problem::error(code, &key.span, message);
    let (name, rest) = key.name.split_once('(').map_or((key.name.as_str(), None), |(n, r)| (n.trim(), Some(r)));
    let parameters: Vec<&str> = match rest.map(|r| r.trim_end().strip_suffix(')')) {
        None => Vec::new(),
        Some(Some(list)) => list.split(',').map(str::trim).collect(),
        Some(None) => return Err(error("bad-key", format!("`{}` is never closed", key.name))),
    };
    let word = |w: &str| {
        w.starts_with(|c: char| c.is_ascii_lowercase())
            && w.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    if let Some(bad) = [name].iter().chain(&parameters).find(|w| !word(w)) {
        return Err(error("bad-key", format!("`{bad}` is not a name: small letters, digits, `_`"))
            .hint("a value is `name` or `name(argument, …)`"));
    }
    let means = |w: &str| {
        matches!(w, "context" | "event" | "item" | "data" | "true" | "false" | "null" | "in" | "has")
            || vocabulary.variables.contains(w)
            || vocabulary.functions.contains_key(w)
            || super::functions::find(w, false).is_some()
            || extra.contains(&w)
            || known.is_place(w)
    };
    if let Some(taken) = [name].iter().chain(&parameters).find(|w| means(w)) {
        return Err(error("bad-key", format!("`{taken}` already means something")));
    }
    if known.arity(name).is_some() {
        return Err(error("duplicate-key", format!("`{name}` is said twice")));
    }
    let twice: BTreeSet<&&str> = parameters.iter().collect();
    if twice.len() != parameters.len() {
        return Err(error("duplicate-key", format!("`{name}` has an argument twice")));
    }
    Ok((name, parameters))
}

fn is_path(body: &Expr) -> bool {
    match body {
        Expr::Context | Expr::Place(..) | Expr::Local(_) | Expr::Variable(..) => true,
        Expr::Select(_, base, _) | Expr::OptionalSelect(_, base, _) => is_path(base),
        Expr::Written(written) => is_path(&written.expr),
        _ => false,
    }
}

fn has_place(body: &Expr) -> bool {
    let mut found = false;
    body.each(&mut |expr| found |= matches!(expr, Expr::Place(..)));
    found
}

fn height_of(body: &Expr) -> u32 {
    let mut highest = 0;
    body.children(&mut |child| highest = highest.max(height_of(child)));
    highest + 1
}
