//! Rules for publishing a form: everything bounded, patterns that no browser chokes on, personal data
//! marked (security rules 22 and 28).

use crate::source::{Node, Value as Source};
use engine_statechart::{Problem, did_you_mean};
use regex_syntax::hir::{Hir, HirKind};

/// Schema keywords that forms may use.
const KEYWORDS: [&str; 50] = [
    "type",
    "title",
    "description",
    "default",
    "examples",
    "const",
    "enum",
    "oneOf",
    "anyOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "properties",
    "required",
    "items",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "additionalProperties",
    "unevaluatedProperties",
    "minProperties",
    "maxProperties",
    "propertyNames",
    "contains",
    "prefixItems",
    "dependentRequired",
    "dependentSchemas",
    "readOnly",
    "writeOnly",
    "deprecated",
    "x-normalise",
    "x-date",
    "x-secret",
    "x-pii",
    "x-consent",
    "x-messages",
    "x-sample",
    "optional",
    "$comment",
];

/// Names that hold personal data whatever the author thinks.
const PERSONAL: [(&str, &str); 9] = [
    ("mobile", "mobile"),
    ("phone", "mobile"),
    ("email", "email"),
    ("pan", "pan"),
    ("pan_number", "pan"),
    ("aadhaar", "aadhaar"),
    ("aadhar", "aadhaar"),
    ("dob", "dob"),
    ("date_of_birth", "dob"),
];
const PATTERN_CHARS_MAX: usize = 500;

/// A whole schema: bounds and patterns of every part of it.
pub fn schema(node: &Node, problems: &mut Vec<Problem>) {
    keywords(node, problems);
    let Some(properties) = node.get("properties") else { return };
    for (key, rule) in properties.map() {
        bounded(rule, problems);
        let name = key.name.to_lowercase();
        let personal = PERSONAL.iter().find(|(n, _)| name == *n || name.ends_with(&format!("_{n}")));
        let is_marked = ["x-pii", "x-secret"].iter().any(|k| rule.get(k).is_some());
        if let (Some((_, kind)), false) = (personal, is_marked || rule.get("const").is_some()) {
            let problem = Problem::warning("personal", &key.span, format!("`{}` looks like personal data", key.name));
            problems.push(problem.hint(format!("\"x-pii\": \"{kind}\"")));
        }
    }
}

/// One field: its texts have a length, its lists a size, its patterns are harmless.
pub fn bounded(node: &Node, problems: &mut Vec<Problem>) {
    if !node.is_map() {
        problems.push(Problem::error(
            "shape",
            &node.span,
            format!("a field is described by a map, not {}", node.kind()),
        ));
        return;
    }
    if node.get("$cel").is_some() {
        return;
    }
    keywords(node, problems);
    let has = |k: &str| node.get(k).is_some();
    let is = |t: &str| node.get("type").is_some_and(|n| n.items().iter().any(|i| i.as_str() == Some(t)));
    let is_listed = ["enum", "const", "oneOf"].iter().any(|k| has(k))
        || node.get("anyOf").is_some_and(|l| l.list().iter().all(|o| o.get("const").is_some()));
    if is("string") && !is_listed && !has("maxLength") {
        problems.push(
            Problem::error("unbounded", &node.span, "a text needs `maxLength`").hint("or a list of allowed values"),
        );
    }
    if is("array") {
        if !has("maxItems") {
            problems.push(Problem::error("unbounded", &node.span, "a list needs `maxItems`"));
        }
        match node.get("items") {
            Some(items) => bounded(items, problems),
            None => problems.push(Problem::error("unbounded", &node.span, "a list needs `items`")),
        }
    }
    if is("object") && !has("properties") {
        problems.push(Problem::error("unbounded", &node.span, "an object needs `properties`"));
    }
    if !has("type") && !is_listed {
        problems.push(Problem::error("unbounded", &node.span, "a field needs `type` or a list of allowed values"));
    }
    if let Some(pattern) = node.get("pattern") {
        self::pattern(pattern, problems);
    }
    if has("properties") {
        schema(node, problems);
    }
}

fn keywords(node: &Node, problems: &mut Vec<Problem>) {
    for (key, _) in node.map() {
        let name = key.name.as_str();
        if matches!(name, "$dynamicRef" | "$ref" | "$id" | "$schema" | "$anchor" | "$dynamicAnchor" | "$vocabulary") {
            problems.push(
                Problem::error("ref", &key.span, format!("`{name}` is not supported here"))
                    .hint("a field may be {\"$ref\": \"shared/fields#/$defs/name\"}"),
            );
        } else if !KEYWORDS.contains(&name) && !name.starts_with("$defs") {
            problems.push(
                Problem::error("unknown-key", &key.span, format!("unknown keyword `{name}`"))
                    .maybe_hint(did_you_mean(name, KEYWORDS)),
            );
        }
    }
}

fn pattern(node: &Node, problems: &mut Vec<Problem>) {
    let Some(text) = node.as_str() else {
        if !matches!(node.value, Source::Map(_)) {
            problems.push(Problem::error("shape", &node.span, format!("`pattern` is a text, not {}", node.kind())));
        }
        return;
    };
    if text.chars().count() > PATTERN_CHARS_MAX {
        problems.push(Problem::error(
            "pattern",
            &node.span,
            format!("a pattern has at most {PATTERN_CHARS_MAX} characters"),
        ));
        return;
    }
    match regex_syntax::parse(text) {
        Ok(hir) => {
            if nested(&hir, false) {
                let problem = Problem::error(
                    "pattern",
                    &node.span,
                    "the pattern repeats what already repeats: a browser may hang on it",
                );
                problems.push(problem.hint("write `(a+)+` as `a+`"));
            }
        }
        Err(_) => problems.push(Problem::error(
            "pattern",
            &node.span,
            "the pattern cannot be read, or uses look-around or back-references",
        )),
    }
}

/// A repetition without a small bound inside another one.
fn nested(hir: &Hir, inside: bool) -> bool {
    match hir.kind() {
        HirKind::Repetition(r) => {
            let is_long = r.max.is_none_or(|max| max > 20);
            if is_long && inside && r.min != r.max.unwrap_or(u32::MAX) {
                return true;
            }
            nested(&r.sub, inside || is_long && r.max != Some(r.min))
        }
        HirKind::Capture(c) => nested(&c.sub, inside),
        HirKind::Concat(list) | HirKind::Alternation(list) => list.iter().any(|h| nested(h, inside)),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => false,
    }
}
