//! Reading a map with a closed set of keys, collecting every mistake.

use crate::source::{Node, Value};
use engine_statechart::{Problem, did_you_mean, parse_duration_ms};

/// A map being read. `what` names it in messages: `a step`, `an operation` …
pub struct MapReader<'n, 'p> {
    pub node: &'n Node,
    pub problems: &'p mut Vec<Problem>,
    pub what: &'static str,
}

impl<'n, 'p> MapReader<'n, 'p> {
    /// `None`, with a problem, when `node` is not a map. Unknown keys are problems.
    pub fn open(node: &'n Node, what: &'static str, keys: &[&str], problems: &'p mut Vec<Problem>) -> Option<Self> {
        if !node.is_map() {
            problems.push(Problem::error("shape", &node.span, format!("{what} is a map, not {}", node.kind())));
            return None;
        }
        unknown_keys(node, what, keys, problems);
        Some(MapReader { node, problems, what })
    }

    /// The value, unless absent or null.
    pub fn get(&self, key: &str) -> Option<&'n Node> {
        self.node.get(key).filter(|n| !n.is_null())
    }

    pub fn need(&mut self, key: &str) -> Option<&'n Node> {
        let found = self.get(key);
        if found.is_none() {
            self.problems.push(Problem::error("missing", &self.node.span, format!("{} needs `{key}`", self.what)));
        }
        found
    }

    pub fn text(&mut self, key: &str) -> Option<String> {
        let node = self.get(key)?;
        match node.as_str() {
            Some(text) => Some(text.to_owned()),
            None => {
                self.wrong(node, key, "a text");
                None
            }
        }
    }

    pub fn need_text(&mut self, key: &str) -> String {
        match self.need(key) {
            Some(_) => self.text(key).unwrap_or_default(),
            None => String::new(),
        }
    }

    pub fn bool(&mut self, key: &str) -> bool {
        let Some(node) = self.get(key) else { return false };
        node.as_bool().unwrap_or_else(|| {
            self.wrong(node, key, "true or false");
            false
        })
    }

    pub fn int(&mut self, key: &str) -> Option<i64> {
        let node = self.get(key)?;
        if node.as_int().is_none() {
            self.wrong(node, key, "an integer");
        }
        node.as_int()
    }

    /// Milliseconds of a duration (`90s`, `30d`, or an integer of ms).
    pub fn duration(&mut self, key: &str) -> Option<i64> {
        let node = self.get(key)?;
        match duration_ms(node) {
            Ok(ms) => Some(ms),
            Err(problem) => {
                self.problems.push(problem);
                None
            }
        }
    }

    /// One word of a closed list.
    pub fn word(&mut self, key: &str, words: &[&'static str]) -> Option<&'static str> {
        let node = self.get(key)?;
        let given = node.as_str().unwrap_or_default();
        let found = words.iter().copied().find(|w| *w == given);
        if found.is_none() {
            let message =
                format!("`{key}` is one of {}", words.iter().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", "));
            self.problems.push(
                Problem::error("value", &node.span, message).maybe_hint(did_you_mean(given, words.iter().copied())),
            );
        }
        found
    }

    /// One text or a list of texts.
    pub fn texts(&mut self, key: &str) -> Vec<String> {
        let Some(node) = self.get(key) else { return Vec::new() };
        let mut list = Vec::new();
        for item in node.items() {
            match item.as_str() {
                Some(text) => list.push(text.to_owned()),
                None => self.wrong(item, key, "a text or a list of texts"),
            }
        }
        list
    }

    /// The entries of a map under `key`.
    pub fn entries(&mut self, key: &str) -> &'n [(crate::source::Key, Node)] {
        let Some(node) = self.get(key) else { return &[] };
        if !node.is_map() {
            self.wrong(node, key, "a map");
        }
        node.map()
    }

    /// The items of a list under `key`.
    pub fn list(&mut self, key: &str) -> &'n [Node] {
        let Some(node) = self.get(key) else { return &[] };
        if !node.is_list() {
            self.wrong(node, key, "a list");
        }
        node.list()
    }

    pub fn wrong(&mut self, node: &Node, key: &str, expected: &str) {
        self.problems.push(Problem::error("shape", &node.span, format!("`{key}` is {expected}, not {}", node.kind())));
    }
}

/// Problems for the keys of `node` that are not in `keys`.
pub fn unknown_keys(node: &Node, what: &str, keys: &[&str], problems: &mut Vec<Problem>) {
    for (key, _) in node.map() {
        if !keys.contains(&key.name.as_str()) {
            let problem = Problem::error("unknown-key", &key.span, format!("unknown key `{}` in {what}", key.name));
            let hint = did_you_mean(&key.name, keys.iter().copied()).unwrap_or_else(|| {
                format!("it takes {}", keys.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", "))
            });
            problems.push(problem.hint(hint));
        }
    }
}

/// Milliseconds of a node: a duration text or an integer of ms.
pub fn duration_ms(node: &Node) -> Result<i64, Problem> {
    match &node.value {
        Value::Int(ms) if *ms >= 0 => Ok(*ms),
        Value::String(text) => parse_duration_ms(text)
            .map_err(|e| Problem::error("duration", &node.span, e).hint("a number and ms, s, m, h or d: `90s`")),
        _ => {
            Err(Problem::error("duration", &node.span, format!("a duration is a text like `90s`, not {}", node.kind())))
        }
    }
}

/// Most names that are listed when none is near.
const FEW: usize = 9;

/// A reference to something that does not exist, with the nearest name.
pub fn unknown<'a>(what: &str, node: &Node, name: &str, known: impl IntoIterator<Item = &'a str>) -> Problem {
    let known: Vec<&str> = known.into_iter().collect();
    let hint = did_you_mean(name, known.iter().copied()).or_else(|| {
        let few = (1..=FEW).contains(&known.len()) && known.iter().all(|name| !name.is_empty());
        few.then(|| format!("there is {}", known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")))
    });
    Problem::error("unknown-name", &node.span, format!("unknown {what} `{name}`")).maybe_hint(hint)
}
