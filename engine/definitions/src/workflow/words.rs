//! The words of an expression: enough of CEL's lexical rules to replace free names and to find the
//! literal names that functions are called with. Understanding expressions is the core's work.

/// Replaces every free name (no member, no function) for which `replace` gives a text.
pub fn rewrite(text: &str, mut replace: impl FnMut(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    for piece in pieces(text) {
        match piece.kind {
            Kind::Name => match replace(piece.text) {
                Some(new) => out.push_str(&new),
                None => out.push_str(piece.text),
            },
            Kind::Member | Kind::Function | Kind::Text | Kind::Other => out.push_str(piece.text),
        }
    }
    out
}

/// Calls of global functions with their first argument, when that is a literal text.
pub fn calls(text: &str) -> Vec<(&str, Option<&str>)> {
    let pieces: Vec<Piece<'_>> = pieces(text).filter(|p| !p.text.trim().is_empty()).collect();
    let mut found = Vec::new();
    for (i, piece) in pieces.iter().enumerate() {
        if piece.kind == Kind::Function {
            let first = pieces.get(i + 2).filter(|p| p.kind == Kind::Text);
            let alone = pieces.get(i + 3).is_some_and(|p| p.text == "," || p.text == ")");
            found.push((piece.text, first.filter(|_| alone).map(|p| p.text.trim_matches(|c| c == '\'' || c == '"'))));
        }
    }
    found
}

/// Variables that comprehensions introduce: the first argument of `exists(p, …)` and its like.
pub fn locals(text: &str) -> Vec<&str> {
    let is_macro =
        |p: &Piece<'_>| p.kind == Kind::Member && matches!(p.text, "all" | "exists" | "exists_one" | "filter" | "map");
    // Most expressions have none.
    if !["all", "exists", "filter", "map"].iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let pieces: Vec<Piece<'_>> = pieces(text).filter(|p| !p.text.trim().is_empty()).collect();
    let mut found = Vec::new();
    for window in pieces.windows(4) {
        if is_macro(&window[0]) && window[1].text == "(" && window[2].kind == Kind::Name && window[3].text == "," {
            found.push(window[2].text);
        }
    }
    found
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Name,
    /// After a `.`
    Member,
    /// Before a `(`
    Function,
    Text,
    Other,
}

struct Piece<'a> {
    kind: Kind,
    text: &'a str,
}

fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut at = 0;
    let mut after_dot = false;
    std::iter::from_fn(move || {
        let rest = &text[at..];
        let first = rest.chars().next()?;
        let (kind, length) = if first == '\'' || first == '"' {
            (Kind::Text, quoted(rest, 0, false))
        } else if matches!(first, 'r' | 'R') && rest[1..].starts_with(['\'', '"']) {
            (Kind::Text, quoted(rest, 1, true))
        } else if first.is_ascii_alphabetic() || first == '_' {
            let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let is_call = rest[length..].trim_start().starts_with('(');
            let is_word = matches!(&rest[..length], "true" | "false" | "null" | "in");
            (
                if is_word {
                    Kind::Other
                } else if after_dot {
                    Kind::Member
                } else if is_call {
                    Kind::Function
                } else {
                    Kind::Name
                },
                length,
            )
        } else if first.is_ascii_digit() {
            (
                Kind::Other,
                rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '_')).unwrap_or(rest.len()),
            )
        } else {
            (Kind::Other, first.len_utf8())
        };
        let piece = Piece { kind, text: &rest[..length] };
        at += length;
        if !piece.text.trim().is_empty() {
            after_dot = piece.text == "." || after_dot && piece.text == "?";
        }
        Some(piece)
    })
}

/// Bytes of a quoted text that starts at `start`, up to its closing quote or the end.
fn quoted(rest: &str, start: usize, is_raw: bool) -> usize {
    let bytes = rest.as_bytes();
    let quote = bytes[start];
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if !is_raw => at += 2,
            b if b == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_free_names_only() {
        for (text, expected) in [
            ("a && b.a", "(A) && b.a"),
            ("'a' + a", "'a' + (A)"),
            ("f(a) + a(b)", "f((A)) + a(b)"),
            ("{'a': a, a: 1}", "{'a': (A), (A): 1}"),
            ("x . a + \"it\\\"s a\"", "x . a + \"it\\\"s a\""),
            ("r'\\' + a", "r'\\' + (A)"),
            ("ä + a2 + 1a", "ä + a2 + 1a"),
        ] {
            assert_eq!(rewrite(text, |n| (n == "a").then(|| "(A)".to_owned())), expected, "{text}");
        }
    }

    #[test]
    fn finds_calls_and_locals() {
        assert_eq!(
            calls("table('x/y', {}) + rows(p) + l.map(i, lookup( \"m\" , i))"),
            vec![("table", Some("x/y")), ("rows", None), ("lookup", Some("m"))]
        );
        assert_eq!(calls("rows('a' + b)"), vec![("rows", None)]);
        assert_eq!(locals("l.exists(p, p.x) && q.map(r, r)"), vec!["p", "r"]);
    }
}
