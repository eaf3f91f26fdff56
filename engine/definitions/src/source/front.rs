//! A text with front matter: YAML between two lines `---`, and Markdown after them. It reads as the map that stands
//! there, with the Markdown under [`BODY`].

use super::{Key, Node, Span, Value, yaml};
use engine_statechart::Problem;
use std::sync::Arc;

/// The key of what stands after the front matter.
pub const BODY: &str = "body";
const FENCE: &str = "---";

pub(super) fn read(file: &Arc<str>, text: &str) -> (Option<Node>, Vec<Problem>) {
    let mut lines = text.split_inclusive('\n');
    let is_fence = |line: &str| line.trim_end() == FENCE;
    let wrong = |message: &str| {
        let problem = Problem::error("shape", &Span::new(file, 1, 1), message);
        (None, vec![problem.hint("---, one `key: value` a line, --- and then the text")])
    };
    let Some(first) = lines.next().filter(|line| is_fence(line)) else {
        return wrong("a text begins with its front matter");
    };
    let (mut front, mut rest, mut line) = (String::from("\n"), first.len(), 1);
    loop {
        let Some(next) = lines.next() else { return wrong("the front matter is never closed") };
        (rest, line) = (rest + next.len(), line + 1);
        if is_fence(next) {
            break;
        }
        front.push_str(next);
    }
    let is_blank = front.trim().is_empty();
    let (node, problems) = if is_blank { (None, Vec::new()) } else { yaml::read(file, &front) };
    let mut entries = match node.map(|node| node.value) {
        None if is_blank => Vec::new(),
        Some(Value::Map(entries)) => entries,
        Some(Value::Null) => Vec::new(),
        None => return (None, problems),
        Some(_) => return wrong("the front matter is a map"),
    };
    let (body, blank) = (text[rest..].trim(), text[rest..].len() - text[rest..].trim_start().len());
    if !body.is_empty() {
        let begin = line + 1 + text[rest..rest + blank].matches('\n').count() as u32;
        let span = Span::new(file, begin, 1);
        let key = Key { name: BODY.to_owned(), span: span.clone() };
        entries.push((key, Node::new(span, Value::String(body.to_owned()))));
    }
    (Some(Node::new(Span::new(file, 1, 1), Value::Map(entries))), problems)
}

#[cfg(test)]
mod tests {
    use super::super::read;

    #[test]
    fn a_text_has_its_front_matter_and_its_lines() {
        let node = read("a/tables/b/c.md", b"---\ntitle: One\nday: 2026-04-01\n---\n\nFirst.\n\nSecond.\n").unwrap();
        assert_eq!(node.get("title").and_then(|title| title.as_str()), Some("One"));
        assert_eq!(node.get("day").map(|day| day.span.line), Some(3));
        let body = node.get("body").expect("it has one");
        assert_eq!((body.as_str(), body.span.line), (Some("First.\n\nSecond."), 6));
        let bare = read("a/tables/b/c.md", b"---\n---\nOne.\n").unwrap();
        assert_eq!(bare.get("body").and_then(|body| body.as_str()), Some("One."));
        for (text, message) in
            [("title: One", "begins with"), ("---\ntitle: One\n", "never closed"), ("---\n- 1\n---\n", "is a map")]
        {
            let problems = read("a/tables/b/c.md", text.as_bytes()).expect_err("it is wrong");
            assert!(problems[0].message.contains(message), "{text}: {problems:?}");
        }
    }
}
