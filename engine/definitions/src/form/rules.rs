//! Rules for publishing a form: closed, bounded, and of the keywords that browser and server read alike; personal data
//! marked.

use super::pattern;
use crate::policy::FLOOR;
use crate::source::{Key, Node, Value as Source};
use engine_statechart::{Problem, did_you_mean};

/// Schema keywords that a value may have.
const KEYWORDS: [&str; 33] = [
    "type",
    "title",
    "description",
    "default",
    "examples",
    "const",
    "enum",
    "oneOf",
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
    "multipleOf",
    "properties",
    "required",
    "x-normalise",
    "x-refuse",
    "x-date",
    "x-secret",
    "x-pii",
    "x-consent",
    "x-again",
    "x-roles",
    "x-messages",
    "x-sample",
    "optional",
    "$comment",
];
/// Keywords that only fields of forms have.
const FORM_KEYWORDS: [&str; 6] = ["x-ui", "x-required", "groups", "x-each", "x-key", "x-title"];
const FORMATS: [&str; 2] = ["date", "email"];
const TYPES: [&str; 6] = ["string", "integer", "number", "boolean", "array", "object"];

/// Parts of names that say which personal data is held, whatever the author thinks: a name has all words of one line, each
/// the beginning of one of its parts (`mobile` is in `father_mobile2`), or with `$` the whole part (`pan$` is not in `plan`
/// or `panel`).
const PERSONAL: [(&str, &str); 55] = [
    ("mobile", "mobile"),
    ("phone", "mobile"),
    ("telephone", "mobile"),
    ("whatsapp", "mobile"),
    ("msisdn", "mobile"),
    ("email", "email"),
    ("e$ mail", "email"),
    ("pan$", "pan"),
    ("aadhaar", "aadhaar"),
    ("aadhar", "aadhaar"),
    ("adhaar", "aadhaar"),
    ("adhar$", "aadhaar"),
    ("uidai", "aadhaar"),
    ("uid$ no$", "aadhaar"),
    ("uid$ num", "aadhaar"),
    ("vid$", "aadhaar"),
    ("contact$ no$", "mobile"),
    ("contact$ num", "mobile"),
    ("house$ no$", "address"),
    ("house$ num", "address"),
    ("card$ num", "card"),
    ("bank$ ac$", "account"),
    ("illness", HEALTH),
    ("diagnos", HEALTH),
    ("disease", HEALTH),
    ("ailment", HEALTH),
    ("hiv", HEALTH),
    ("blood", HEALTH),
    ("medicine", HEALTH),
    ("medication", HEALTH),
    ("hospitali", HEALTH),
    ("surger", HEALTH),
    ("symptom", HEALTH),
    ("pregnan", HEALTH),
    ("disab", HEALTH),
    ("insulin", HEALTH),
    ("sugar$", HEALTH),
    ("weight$ kg$", HEALTH),
    ("dob$", "dob"),
    ("birth", "dob"),
    ("passport", "passport"),
    ("dl$ no$", "driving_licence"),
    ("dl$ num", "driving_licence"),
    ("driving licen", "driving_licence"),
    ("driver licen", "driving_licence"),
    ("voter", "voter_id"),
    ("epic$ no$", "voter_id"),
    ("epic$ num", "voter_id"),
    ("account$ no$", "account"),
    ("account$ num", "account"),
    ("iban$", "account"),
    ("upi$", "account"),
    ("ckyc", "ckyc"),
    ("nrega", "job_card"),
    ("gstin$", "gstin"),
];
/// The kind of what says something of an illness.
pub(super) const HEALTH: &str = "health";
/// Parts of names, read alike, of what nobody reads again, not even its owner.
const SECRET: [&str; 8] = ["password", "passwd$", "pwd$", "otp$", "cvv$", "cvc$", "mpin$", "pin$ upi$"];
/// A number of so few digits is not the whole of one.
const PIECE_CHARS_MAX: i64 = 4;
/// Beginning of names for what a flow has found out, such as a verified number: no form and no event may bring it.
const FACT: &str = "verified_";
const NAME_CHARS_MAX: usize = 64;
/// Fields of one object or row, in definitions and in answers.
pub const FIELDS_MAX: usize = 200;

/// The properties of an object: their names, and that personal data is marked.
pub fn names(properties: &Node, problems: &mut Vec<Problem>) {
    if properties.map().len() > FIELDS_MAX {
        let message = format!("an object has at most {FIELDS_MAX} fields");
        problems.push(Problem::error("size", &properties.span, message));
    }
    for (key, rule) in properties.map().iter().filter(|(_, rule)| !rule.is_null()) {
        let is_name = key.name.starts_with(|c: char| c.is_ascii_alphabetic())
            && key.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && key.name.len() <= NAME_CHARS_MAX;
        if !is_name {
            let problem = Problem::error("bad-key", &key.span, format!("`{}` is not a name of a field", key.name));
            problems.push(problem.hint("letters, digits and `_`, a letter first"));
        }
        if key.name.starts_with(FACT) {
            let message = format!("`{}` is a fact that nobody is asked for", key.name);
            problems.push(Problem::error("bad-key", &key.span, message).hint("only a flow assigns `verified_…`"));
        }
        personal(key, rule, problems);
    }
}

/// Whether a name says that it holds personal data.
pub fn is_personal_name(name: &str) -> bool {
    personal_kind(name).is_some()
}

/// Kind of personal data that a name says that it holds: `mobile`, `email`, `pan`, `aadhaar`, `dob` and so on.
pub fn personal_kind(name: &str) -> Option<&'static str> {
    let parts = parts(name);
    PERSONAL.iter().find(|(words, _)| has_words(&parts, words)).map(|(_, kind)| *kind)
}

/// The words that a name is made of: `fatherMobile2` and `father_mobile_2` are of `father` and `mobile`.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_small = false;
    for letter in name.chars() {
        if !letter.is_ascii_alphabetic() || letter.is_ascii_uppercase() && was_small {
            parts.push(String::new());
        }
        was_small = letter.is_ascii_lowercase();
        if let Some(part) = parts.last_mut().filter(|_| letter.is_ascii_alphabetic()) {
            part.push(letter.to_ascii_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn has_words(parts: &[String], words: &str) -> bool {
    words.split(' ').all(|word| match word.strip_suffix('$') {
        Some(whole) => parts.iter().any(|part| part == whole),
        None => parts.iter().any(|part| part.starts_with(word)),
    })
}

/// A field whose name says that it is personal or secret carries the mark; what is chosen of a list says nothing new.
pub fn personal(key: &Key, rule: &Node, problems: &mut Vec<Problem>) {
    let has = |key: &str| rule.get(key).is_some_and(|mark| !mark.is_null());
    let type_of = |rule: &Node| rule.get("type").and_then(Node::as_str).map(str::to_owned);
    let items = rule.get("items").filter(|_| type_of(rule).as_deref() == Some("array"));
    let kind = type_of(items.unwrap_or(rule));
    let is_typed = kind.as_deref().is_none_or(|kind| ["string", "integer", "number"].contains(&kind));
    let is_listed =
        ["const", "enum", "oneOf"].iter().any(|key| has(key) || items.is_some_and(|of| of.get(key).is_some()));
    let is_secret = rule.get("x-secret").is_some_and(|mark| mark.to_json() == serde_json::Value::Bool(true));
    // The id of a file says nothing of what is on it.
    let is_file = rule.get("x-ui").and_then(|ui| ui.get("widget")).and_then(Node::as_str)
        == Some(crate::uploads::WIDGET)
        || rule.get("format").and_then(Node::as_str) == Some("document");
    let found = personal_kind(&key.name);
    // of an illness also a yes and what was chosen of a list say something new
    let says_little = found != Some(HEALTH) && (is_listed || !is_typed) || kind.as_deref() == Some("object");
    if is_secret || is_file || says_little || !has("type") {
        return;
    }
    let is_whole = rule.get("maxLength").and_then(Node::as_int).is_none_or(|length| length > PIECE_CHARS_MAX);
    let parts = parts(&key.name);
    let needs_secret = SECRET.iter().any(|words| has_words(&parts, words)) || found == Some("aadhaar") && is_whole;
    let problem = |what: &str| Problem::error(FLOOR, &key.span, format!("`{}` looks like {what}", key.name));
    if needs_secret {
        problems.push(problem("something that nobody reads again").hint("\"x-secret\": true"));
    } else if let Some(kind) = found.filter(|_| !has("x-pii")) {
        problems.push(problem("personal data").hint(format!("\"x-pii\": \"{kind}\"")));
    }
}

/// A value of an event, with all that is in it.
pub fn check_event_value(node: &Node, problems: &mut Vec<Problem>) {
    keywords(node, &[], problems);
    value(node, problems);
    if let Some(properties) = node.get("properties") {
        names(properties, problems);
        properties.map().iter().for_each(|(_, rule)| check_event_value(rule, problems));
    }
    if let Some(items) = node.get("items") {
        check_event_value(items, problems);
    }
}

/// A field of a form, without what is in it.
pub fn field(node: &Node, problems: &mut Vec<Problem>) {
    keywords(node, &FORM_KEYWORDS, problems);
    value(node, problems);
}

/// What a variant changes of a field.
pub fn patch(node: &Node, problems: &mut Vec<Problem>) {
    keywords(node, &FORM_KEYWORDS, problems);
    if let Some(pattern) = node.get("pattern").filter(|pattern| !pattern.is_null()) {
        pattern::check(pattern, problems);
    }
}

/// One value: its texts have a length, its lists a size, its patterns are harmless.
fn value(node: &Node, problems: &mut Vec<Problem>) {
    let mut wrong = |code, at: &Node, message: String, hint: &str| {
        let problem = Problem::error(code, &at.span, message);
        problems.push(if hint.is_empty() { problem } else { problem.hint(hint) });
    };
    if !node.is_map() {
        return wrong("shape", node, format!("a field is described by a map, not {}", node.kind()), "");
    }
    let has = |k: &str| node.get(k).is_some();
    let kind = node.get("type").and_then(Node::as_str);
    if let Some(at) = node.get("type").filter(|_| !kind.is_some_and(|t| TYPES.contains(&t))) {
        wrong(
            "value",
            at,
            format!("`type` is one of {}", TYPES.join(", ")),
            "an optional field is one that is not in `required`",
        );
    }
    let is_listed = ["enum", "const", "oneOf"].iter().any(|k| has(k));
    if kind == Some("string") && !is_listed && !has("maxLength") {
        wrong("unbounded", node, "a text needs `maxLength`".into(), "or a list of allowed values");
    }
    if kind == Some("array") {
        if !has("maxItems") && !has("x-each") {
            wrong("unbounded", node, "a list needs `maxItems`".into(), "");
        }
        if !has("items") {
            wrong("unbounded", node, "a list needs `items`".into(), "");
        }
    }
    if kind == Some("object") && !has("properties") {
        wrong("unbounded", node, "an object needs `properties`".into(), "");
    }
    if !has("type") && !is_listed && !has("properties") {
        wrong("unbounded", node, "a field needs `type` or a list of allowed values".into(), "");
    }
    for option in node.get("oneOf").map_or(&[][..], Node::list) {
        if option.get("const").is_none() {
            wrong("shape", option, "a choice has `const`".into(), "{\"const\": \"air\", \"title\": \"By air\"}");
        }
    }
    if let Some(at) = node.get("format").filter(|f| !f.as_str().is_some_and(|f| FORMATS.contains(&f))) {
        wrong("value", at, format!("`format` is one of {}", FORMATS.join(", ")), "or write a `pattern`");
    }
    for (low, high) in [("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems")] {
        let bounds = node.get(low).and_then(Node::as_int).zip(node.get(high));
        if let Some((low_is, at)) = bounds.filter(|(low, high)| high.as_int().is_some_and(|high| high < *low)) {
            wrong("never", at, format!("nothing can fit: `{low}` is {low_is}, `{high}` less"), "");
        }
    }
    let step = node.get("multipleOf").filter(|n| n.get("$cel").is_none());
    if let Some(at) = step.filter(|n| n.as_int().is_none_or(|n| n <= 0)) {
        wrong("value", at, "`multipleOf` is a whole number".into(), "");
    }
    if let Some(pattern) = node.get("pattern") {
        pattern::check(pattern, problems);
    }
}

fn keywords(node: &Node, more: &[&str], problems: &mut Vec<Problem>) {
    for (key, value) in node.map() {
        let name = key.name.as_str();
        let known = KEYWORDS.iter().chain(more);
        if known.clone().any(|k| *k == name) || name == "$cel" && !matches!(value.value, Source::Map(_)) {
            continue;
        }
        let hint = match name {
            "additionalProperties" | "patternProperties" | "unevaluatedProperties" | "propertyNames" => {
                Some("nothing but `properties` is ever taken".to_owned())
            }
            "if" | "then" | "else" | "allOf" | "anyOf" | "not" | "dependentRequired" | "dependentSchemas" => {
                Some("`show` in `x-ui` and `x-required` say what depends on another answer".to_owned())
            }
            "$ref" | "$id" | "$schema" | "$anchor" | "$dynamicRef" | "$dynamicAnchor" | "$vocabulary" => {
                Some("a field may be {\"$ref\": \"shared/fields#/$defs/name\"}".to_owned())
            }
            name => did_you_mean(name, known.copied()),
        };
        let problem = Problem::error("unknown-key", &key.span, format!("unknown keyword `{name}`"));
        problems.push(problem.maybe_hint(hint));
    }
}
