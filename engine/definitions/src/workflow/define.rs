//! `define`: named conditions and values, put in where an expression names them; and the fragment's
//! `my` and `input`, which are places in the host's context.

use super::words;
use crate::host::{VARIABLES, shared_vocabulary};
use crate::source::{Node, Value as Source};
use engine_statechart::Problem;
use engine_statechart::expression::Expression;
use std::collections::{BTreeMap, BTreeSet};

/// Longest expansion, in bytes.
const EXPANDED_BYTES_MAX: usize = 12_000;
const DEFINES_MAX: usize = 500;

/// What names mean inside one file: its defines and, in a fragment, the place of its state.
#[derive(Clone, Debug, Default)]
pub struct Names {
    defines: BTreeMap<String, String>,
    broken: BTreeSet<String>,
    /// `kyc.otp`: path of the fragment's map in the context.
    pub place: Option<String>,
}

impl Names {
    /// Reads `define`, reports cycles, sizes and mistakes inside each definition.
    pub fn read(define: Option<&Node>, place: Option<String>, problems: &mut Vec<Problem>) -> Names {
        let mut names = Names { defines: BTreeMap::new(), broken: BTreeSet::new(), place };
        let Some(define) = define else { return names };
        if !define.is_map() {
            problems.push(Problem::error(
                "shape",
                &define.span,
                format!("`define` is a map from names to expressions, not {}", define.kind()),
            ));
            return names;
        }
        if define.map().len() > DEFINES_MAX {
            problems.push(Problem::error("size", &define.span, format!("more than {DEFINES_MAX} definitions")));
            return names;
        }
        let mut texts: BTreeMap<&str, (&Node, String)> = BTreeMap::new();
        for (key, value) in define.map() {
            let taken = VARIABLES.contains(&key.name.as_str())
                || matches!(key.name.as_str(), "context" | "event" | "my" | "input" | "item" | "data");
            let word = key.name.starts_with(|c: char| c.is_ascii_lowercase())
                && key.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            if taken || !word {
                let message = if taken {
                    format!("`{}` already means something", key.name)
                } else {
                    format!("`{}` is not a name: small letters, digits, `_`", key.name)
                };
                problems.push(Problem::error("bad-key", &key.span, message));
                continue;
            }
            let text = match &value.value {
                Source::String(text) => text.clone(),
                _ => literal(value),
            };
            texts.insert(&key.name, (value, text));
        }
        let keys: Vec<&str> = texts.keys().copied().collect();
        for name in keys {
            names.expand_define(name, &texts, &mut Vec::new(), problems);
        }
        names
    }

    fn expand_define(
        &mut self,
        name: &str,
        texts: &BTreeMap<&str, (&Node, String)>,
        path: &mut Vec<String>,
        problems: &mut Vec<Problem>,
    ) {
        if self.defines.contains_key(name) || self.broken.contains(name) {
            return;
        }
        let Some((node, text)) = texts.get(name) else { return };
        if path.iter().any(|p| p == name) {
            path.push(name.to_owned());
            problems.push(Problem::error(
                "define-cycle",
                &node.span,
                format!("definitions go round in a circle: {}", path.join(" → ")),
            ));
            path.pop();
            self.broken.insert(name.to_owned());
            return;
        }
        path.push(name.to_owned());
        let mut used = Vec::new();
        words::rewrite(text, |n| {
            used.extend(texts.contains_key(n).then(|| n.to_owned()));
            None
        });
        used.iter().for_each(|n| self.expand_define(n, texts, path, problems));
        path.pop();
        if self.broken.contains(name) {
            return;
        }
        if let Some(local) = words::locals(text).into_iter().find(|l| texts.contains_key(*l)) {
            problems.push(shadowed(local, node));
            self.broken.insert(name.to_owned());
            return;
        }
        let expanded = self.expand(text);
        if expanded.len() > EXPANDED_BYTES_MAX {
            let message =
                format!("`{name}` expands to {} characters, at most {EXPANDED_BYTES_MAX} are allowed", expanded.len());
            problems.push(Problem::error("size", &node.span, message));
            self.broken.insert(name.to_owned());
            return;
        }
        let inner_broken = used.iter().any(|n| self.broken.contains(n));
        if !inner_broken
            && let Err(mut problem) =
                Expression::compile(&expanded, &node.span, shared_vocabulary(), &["item", "return_url"])
        {
            problem.message = format!("in definition `{name}`: {}", problem.message);
            problems.push(problem);
            self.broken.insert(name.to_owned());
            return;
        }
        self.defines.insert(name.to_owned(), format!("({expanded})"));
    }

    /// The expression with every name put in. Broken definitions become `null`: they are reported once.
    pub fn expand(&self, text: &str) -> String {
        words::rewrite(text, |name| match (&self.place, name) {
            (Some(place), "my") => Some(format!("context.{place}")),
            (Some(place), "input") => Some(format!("context.{place}.input")),
            _ => match self.defines.get(name) {
                Some(text) => Some(text.clone()),
                None => self.broken.contains(name).then(|| "null".to_owned()),
            },
        })
    }

    /// As `expand`, reporting a comprehension variable that hides a definition.
    pub fn expand_node(&self, text: &str, node: &Node, problems: &mut Vec<Problem>) -> String {
        if self.defines.is_empty() && self.place.is_none() && self.broken.is_empty() {
            return text.to_owned();
        }
        let hides = |l: &&str| {
            self.defines.contains_key(*l)
                || self.broken.contains(*l)
                || self.place.is_some() && matches!(*l, "my" | "input")
        };
        if let Some(local) = words::locals(text).into_iter().find(hides) {
            problems.push(shadowed(local, node));
            return "null".to_owned();
        }
        if self.place.is_some() {
            let mut leaks = false;
            words::rewrite(text, |n| {
                leaks |= n == "context";
                None
            });
            if leaks {
                problems.push(
                    Problem::error("fragment-border", &node.span, "a fragment sees `my` and `input`, not `context`")
                        .hint("hand the value in with `with`"),
                );
            }
        }
        self.expand(text)
    }
}

fn shadowed(local: &str, node: &Node) -> Problem {
    Problem::error(
        "shadowed",
        &node.span,
        format!("`{local}` is a definition and cannot be a variable of `map`, `filter` or `exists`"),
    )
}

/// A literal value as an expression.
pub fn literal(node: &Node) -> String {
    tree(node, &|text| quote(text))
}

/// A tree whose strings are expressions, as one expression.
pub fn expression(node: &Node) -> String {
    tree(node, &|text| format!("({text})"))
}

fn tree(node: &Node, leaf: &dyn Fn(&str) -> String) -> String {
    match &node.value {
        Source::Null => "null".into(),
        Source::Bool(b) => b.to_string(),
        Source::Int(i) => i.to_string(),
        Source::Float(f) if f.fract() == 0.0 && f.abs() < 1e15 => format!("{f:.1}"),
        Source::Float(f) => f.to_string(),
        Source::String(text) => leaf(text),
        Source::List(items) => format!("[{}]", items.iter().map(|i| tree(i, leaf)).collect::<Vec<_>>().join(", ")),
        Source::Map(entries) => {
            let entries: Vec<String> =
                entries.iter().map(|(k, v)| format!("{}: {}", quote(&k.name), tree(v, leaf))).collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

/// A text as a literal of CEL.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
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
    out
}
