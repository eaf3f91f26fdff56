//! `journey fmt`: one compact style for every definition. What fits on a line stands on it, comments and
//! the author's order stay, the meaning is compared before anything is given back.

mod json;
mod tree;
mod yaml;

use crate::source::{self, Node, Value};
use engine_statechart::Problem;
use engine_statechart::source::Span;
use std::sync::Arc;

/// Longest line, if it can be broken at all.
const WIDTH: usize = 160;

/// The text of a file in the one style; the problems of a file that cannot be read.
pub fn format(path: &str, bytes: &[u8]) -> Result<String, Vec<Problem>> {
    let before = source::read(path, bytes)?;
    let text = std::str::from_utf8(bytes).unwrap_or_default().trim_start_matches('\u{feff}');
    if path.ends_with(".md") {
        return Ok(format!("{}\n", text.trim_end()));
    }
    let is_json = path.ends_with(".json");
    let written = if is_json { json::write(path, &before) } else { yaml::write(&tree::read(text)) };
    let after = source::read(path, written.as_bytes());
    let keeps_comments = || is_json || tree::comments(text) == tree::comments(&written);
    if after.as_ref().is_ok_and(|after| is_same(&before, after)) && keeps_comments() {
        return Ok(written);
    }
    let span = Span::new(&Arc::from(path), 1, 1);
    Err(vec![Problem::error("fmt", &span, "cannot be formatted without changing what it says")])
}

/// Whether two trees are equal but for places; in JSON also but for the order of keys.
fn is_same(a: &Node, b: &Node) -> bool {
    match (&a.value, &b.value) {
        (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b)),
        (Value::Map(entries), Value::Map(others)) => {
            let has = |(key, value): &(source::Key, Node)| b.get(&key.name).is_some_and(|other| is_same(value, other));
            entries.len() == others.len() && entries.iter().all(has)
        }
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Null, Value::Null) => true,
        _ => false,
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// Words packed into lines of at most `room` characters, the first of at most `first`.
fn fill_lines(words: &[String], first: usize, rest: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        let room = if lines.len() == 1 { first } else { rest };
        match lines.last_mut().filter(|line| width(line) + 1 + width(word) <= room) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.clone()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::format;

    #[track_caller]
    fn check(path: &str, from: &str, to: &str) {
        let once = format(path, from.as_bytes()).expect("reads");
        assert_eq!(once, to);
        assert_eq!(format(path, once.as_bytes()).expect("reads again"), once, "stable");
    }

    #[test]
    fn what_fits_stands_on_one_line() {
        let from = r#"title:   'Parcel'
base: '/parcel'
context: {sender: {}, offers: {}}
states:
    sender:
        step:
            form: sender
            into: "sender"
        on: {submit: done}
    done: {type: final}
"#;
        let to = r#"title: Parcel
base: /parcel
context:
  sender: {}
  offers: {}
states:
  sender:
    step: {form: sender, into: sender}
    on: {submit: done}
  done: {type: final}
"#;
        check("workflows/parcel/cover/flow.yaml", from, to);
    }

    #[test]
    fn comments_and_single_blank_lines_stay() {
        let text = r#"# Head of the file

# of the title
title: Parcel          # beside it
track:                 # each change
  call: scribe/step
  # why
  input: {lead: journey.id}

sections:
  - {id: a, title: A}    # first
  # second
  - {id: b, title: B}
  # nothing more
# the end
"#;
        check("workflows/parcel/cover/flow.yaml", text, text);
        let from = "a: {b: 1, # one\n  c: 2}\n\n\n\nd: 3\n";
        check("workflows/parcel/cover/flow.yaml", from, "a:\n  b: 1    # one\n  c: 2\n\nd: 3\n");
    }

    #[test]
    fn quotes_only_where_a_reader_could_err() {
        let from = r#"a: 'plain'
b: 'yes'
c: '10:30'
d: "it's"
e: 'say "x"'
f: ''
g: '0123'
h: "a: b"
i: {x: 'a, b', y: 'context.?a', z: 'it''s'}
j: '2026-01-01'
k: '30d'
on: {submit: x}
l: {ask: Why?, Why?: so}
m: Why?
"#;
        let to = r#"a: plain
b: "yes"
c: "10:30"
d: it's
e: say "x"
f: ''
g: "0123"
h: "a: b"
i: {x: "a, b", y: "context.?a", z: it's}
j: "2026-01-01"
k: 30d
on: {submit: x}
l: {ask: "Why?", "Why?": so}
m: Why?
"#;
        check("x/texts.yaml", from, to);
    }

    #[test]
    fn long_texts_are_folded_and_lists_of_words_fill_lines() {
        let long = "word ".repeat(50);
        let half: String = "word ".repeat(31);
        let rest: String = "word ".repeat(19);
        check(
            "x/texts.yaml",
            &format!("a: {{text: {long}}}\n"),
            &format!("a:\n  text: >-\n    {}\n    {}\n", half.trim(), rest.trim()),
        );
        let words: Vec<String> = (0..40).map(|n| format!("word{n}")).collect();
        let formatted = format("x/texts.yaml", format!("a: [{}]\n", words.join(", ")).as_bytes()).expect("reads");
        assert!(formatted.lines().count() == 3 && formatted.lines().all(|line| line.len() <= 160), "{formatted}");
        check("x/texts.yaml", "a: |\n  one\n  two\n", "a: |\n  one\n  two\n");
    }

    #[test]
    fn texts_of_several_lines_keep_their_lines() {
        let text = "html: |-\n  <table>\n    <tr><td>{{name}}</td></tr>\n  </table>\n";
        check("workflows/parcel/messages/booked.yaml", text, text);
        let words = "word ".repeat(40);
        let (first, rest) = ("word ".repeat(31), "word ".repeat(9));
        check(
            "workflows/site/pages/a.yaml",
            &format!("text: |\n  {}\n\n  short\n", words.trim()),
            &format!("text: >\n  {}\n  {}\n\n\n  short\n", first.trim(), rest.trim()),
        );
    }

    #[test]
    fn anchors_aliases_and_merged_keys_stay() {
        let text = r#"states:
  a:
    step: &chosen
      view: checkout
      data: {plan: {of: {the: {deep: context.plan}}}}
  b:
    step:
      <<: *chosen
      path: b
"#;
        let written = format("x/flow.yaml", text.as_bytes()).expect("reads");
        assert!(written.contains("step: &chosen {view: checkout") || written.contains("step: &chosen\n"), "{written}");
        assert!(written.contains("{<<: *chosen, path: b}"), "{written}");
    }

    #[test]
    fn a_form_has_its_keys_in_one_order_and_its_fields_in_the_authors() {
        let from = r#"{"schema": {"properties":{"b":{"maxLength":3,"type":"string","title":"B","x-ui":{}},
            "a":{"type":"integer","title":"A"}}},
            "title":"Sender"}"#;
        let to = r#"{
  "schema": {"properties": {"b": {"title": "B", "type": "string", "maxLength": 3, "x-ui": {}}, "a": {"title": "A", "type": "integer"}}},
  "title": "Sender"
}
"#;
        check("forms/parcel/cover/sender.json", from, to);
    }
}
