//! Patterns that server and browser read alike, and that no browser chokes on: a small common part of both dialects,
//! in which a backtracking matcher has next to nothing to go back to.

use crate::source::{Node, Value as Source};
use engine_statechart::Problem;
use regex_syntax::ast::{self, Ast, RepetitionKind, RepetitionRange};
use regex_syntax::hir::translate::Translator;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look};

const CHARS_MAX: usize = 500;
/// Ways in which a pattern may match the same text; more take a browser too long.
const WAYS_MAX: u64 = 1_000;
/// A repetition up to here is unrolled in thought, a longer one must be unambiguous.
const SHORT_MAX: u32 = 20;

pub fn check(node: &Node, problems: &mut Vec<Problem>) {
    let Some(text) = node.as_str() else {
        if !matches!(node.value, Source::Map(_)) {
            problems.push(Problem::error("shape", &node.span, format!("a pattern is a text, not {}", node.kind())));
        }
        return;
    };
    if let Err((message, hint)) = judge(text) {
        problems.push(Problem::error("pattern", &node.span, message).maybe_hint(hint));
    }
}

type Fault = (String, Option<String>);

pub fn judge(text: &str) -> Result<(), Fault> {
    let fault = |message: &str, hint: &str| Err((message.to_owned(), Some(hint.to_owned())));
    if text.chars().count() > CHARS_MAX {
        return Err((format!("a pattern has at most {CHARS_MAX} characters"), None));
    }
    let unread = || ("the pattern cannot be read, or uses look-around or back-references".to_owned(), None);
    let ast = ast::parse::Parser::new().parse(text).map_err(|_| unread())?;
    common(&ast).map_err(|(what, instead)| {
        (format!("{what} is not read alike by browser and server"), Some(instead.to_owned()))
    })?;
    let hir = regex_syntax::parse(text).map_err(|_| unread())?;
    let mut risk = Risk { text, has_long: false };
    let found = risk.of(&ast, &First::end());
    match found {
        None => fault(
            "the pattern may match one text in many ways: a browser may hang on it",
            "what repeats must differ from what may follow: write `a+b` for `a*a+b`, `a+` for `(a+)+`",
        ),
        Some(found) if found.ways > WAYS_MAX => fault(
            "the pattern may match one text in many ways: a browser may hang on it",
            "begin the alternatives differently",
        ),
        Some(_) if risk.has_long && !starts(&hir) => {
            fault("a pattern with a long repetition is searched from every place", "begin it with `^`")
        }
        Some(_) => Ok(()),
    }
}

/// The part of the dialect that both sides read alike, else what is not and what to write instead.
fn common(ast: &Ast) -> Result<(), (&'static str, &'static str)> {
    match ast {
        Ast::Empty(_) => Ok(()),
        Ast::Literal(literal) => plain(literal, false),
        Ast::Assertion(a) => match a.kind {
            ast::AssertionKind::StartLine | ast::AssertionKind::EndLine => Ok(()),
            _ => Err(("a word boundary", "name the characters around it")),
        },
        Ast::Dot(_) => Err(("`.`", "name the characters: `[^<>]`, `[A-Za-z0-9 ]`")),
        Ast::Flags(_) => Err(("a flag", "write both cases: `[Aa]`")),
        Ast::ClassUnicode(_) | Ast::ClassPerl(_) => {
            Err(("a class with a name", "write `[0-9]` for `\\d`, `[ ]` for `\\s`"))
        }
        Ast::ClassBracketed(class) => match &class.kind {
            ast::ClassSet::Item(item) => set(item),
            ast::ClassSet::BinaryOp(_) => Err(("an operation of classes", "name the characters")),
        },
        Ast::Repetition(r) if !r.greedy => Err(("a lazy repetition", "name the characters that it may take")),
        Ast::Repetition(r) => common(&r.ast),
        Ast::Group(group) => match &group.kind {
            ast::GroupKind::CaptureName { .. } => Err(("a named group", "write `(…)`")),
            ast::GroupKind::NonCapturing(flags) if !flags.items.is_empty() => {
                Err(("a flag", "write both cases: `[Aa]`"))
            }
            _ => common(&group.ast),
        },
        Ast::Alternation(list) => list.asts.iter().try_for_each(common),
        Ast::Concat(list) => list.asts.iter().try_for_each(common),
    }
}

fn set(item: &ast::ClassSetItem) -> Result<(), (&'static str, &'static str)> {
    match item {
        ast::ClassSetItem::Empty(_) => Ok(()),
        ast::ClassSetItem::Literal(literal) => plain(literal, true),
        ast::ClassSetItem::Range(range) => plain(&range.start, true).and(plain(&range.end, true)),
        ast::ClassSetItem::Union(union) => union.items.iter().try_for_each(set),
        ast::ClassSetItem::Bracketed(_) => Err(("a class in a class", "write `\\[` for the bracket")),
        ast::ClassSetItem::Ascii(_) | ast::ClassSetItem::Unicode(_) | ast::ClassSetItem::Perl(_) => {
            Err(("a class with a name", "write `0-9` for `\\d`"))
        }
    }
}

/// A character as itself, or behind a backslash where the browser takes one too.
fn plain(literal: &ast::Literal, in_class: bool) -> Result<(), (&'static str, &'static str)> {
    let escaped = literal.kind != ast::LiteralKind::Verbatim;
    let known = "^$\\.*+?()[]{}|/".contains(literal.c) || in_class && literal.c == '-';
    if escaped && !known { Err(("this escape", "write the character itself, or `[…]`")) } else { Ok(()) }
}

/// What may come first, and whether the text may end.
#[derive(Clone)]
struct First {
    class: ClassUnicode,
    can_end: bool,
}

impl First {
    fn end() -> First {
        First { class: ClassUnicode::empty(), can_end: true }
    }

    fn nothing() -> First {
        First { class: ClassUnicode::empty(), can_end: false }
    }

    fn or(mut self, other: &First) -> First {
        self.class.union(&other.class);
        self.can_end |= other.can_end;
        self
    }

    fn overlaps(&self, other: &First) -> bool {
        let mut both = self.class.clone();
        both.intersect(&other.class);
        !both.ranges().is_empty()
    }
}

struct PatternFacts {
    first: First,
    /// Whether it may match nothing.
    is_empty: bool,
    ways: u64,
}

/// Looks at what is written, not at what the regex engine would simplify it to: a browser does not simplify.
struct Risk<'t> {
    text: &'t str,
    /// Whether some repetition has no small bound.
    has_long: bool,
}

impl Risk<'_> {
    /// `None`: a long repetition is ambiguous.
    fn of(&mut self, ast: &Ast, follow: &First) -> Option<PatternFacts> {
        match ast {
            Ast::Literal(_) | Ast::ClassBracketed(_) => {
                let hir = Translator::new().translate(self.text, ast).ok()?;
                let class = match hir.kind() {
                    HirKind::Class(Class::Unicode(class)) => class.clone(),
                    HirKind::Literal(literal) => {
                        let c = std::str::from_utf8(&literal.0).ok()?.chars().next()?;
                        ClassUnicode::new([ClassUnicodeRange::new(c, c)])
                    }
                    _ => return None,
                };
                Some(PatternFacts { first: First { class, can_end: false }, is_empty: false, ways: 1 })
            }
            Ast::Group(group) => self.of(&group.ast, follow),
            Ast::Concat(list) => self.concat(&list.asts, follow),
            Ast::Alternation(list) => self.alternation(&list.asts, follow),
            Ast::Repetition(r) => self.repetition(r, follow),
            // All else of the common part matches no character.
            _ => Some(PatternFacts { first: First::nothing(), is_empty: true, ways: 1 }),
        }
    }

    fn concat(&mut self, list: &[Ast], follow: &First) -> Option<PatternFacts> {
        let mut rest = PatternFacts { first: First::nothing(), is_empty: true, ways: 1 };
        for ast in list.iter().rev() {
            let after = if rest.is_empty { rest.first.clone().or(follow) } else { rest.first.clone() };
            let found = self.of(ast, &after)?;
            rest = PatternFacts {
                first: if found.is_empty { found.first.or(&rest.first) } else { found.first },
                is_empty: found.is_empty && rest.is_empty,
                ways: found.ways.saturating_mul(rest.ways),
            };
        }
        Some(rest)
    }

    /// Alternatives that begin alike are tried one after the other.
    fn alternation(&mut self, list: &[Ast], follow: &First) -> Option<PatternFacts> {
        let mut all = PatternFacts { first: First::nothing(), is_empty: false, ways: 1 };
        for ast in list {
            let found = self.of(ast, follow)?;
            let entry =
                |one: &PatternFacts| if one.is_empty { one.first.clone().or(follow) } else { one.first.clone() };
            let is_ambiguous = entry(&found).overlaps(&entry(&all));
            all.ways = if is_ambiguous { all.ways.saturating_add(found.ways) } else { all.ways.max(found.ways) };
            all.is_empty |= found.is_empty;
            all.first = all.first.or(&found.first);
        }
        Some(all)
    }

    fn repetition(&mut self, r: &ast::Repetition, outer: &First) -> Option<PatternFacts> {
        let (min, max) = match &r.op.kind {
            RepetitionKind::ZeroOrOne => (0, Some(1)),
            RepetitionKind::ZeroOrMore => (0, None),
            RepetitionKind::OneOrMore => (1, None),
            RepetitionKind::Range(RepetitionRange::Exactly(n)) => (*n, Some(*n)),
            RepetitionKind::Range(RepetitionRange::AtLeast(n)) => (*n, None),
            RepetitionKind::Range(RepetitionRange::Bounded(min, max)) => (*min, Some(*max)),
        };
        // What it repeats may follow itself; how that begins is known after a first look.
        let first = self.of(&r.ast, outer)?.first;
        let follow = if max.is_none_or(|max| max > 1) { first.or(outer) } else { outer.clone() };
        let found = self.of(&r.ast, &follow)?;
        let is_long = max.is_none_or(|max| max > SHORT_MAX);
        self.has_long |= is_long && max != Some(min);
        let is_ambiguous = max != Some(min) && (found.is_empty || found.first.overlaps(outer));
        if is_long && (is_ambiguous || found.ways > 1 || found.is_empty) {
            return None;
        }
        let choices = if is_ambiguous { u64::from(max.unwrap_or(1).saturating_sub(min)) + 1 } else { 1 };
        let inner = if is_long { 1 } else { found.ways.saturating_pow(max.unwrap_or(1).max(1)) };
        Some(PatternFacts {
            is_empty: min == 0 || found.is_empty,
            ways: choices.saturating_mul(inner),
            first: found.first,
        })
    }
}

/// Whether it can only match at the beginning.
fn starts(hir: &Hir) -> bool {
    hir.properties().look_set_prefix().contains(Look::Start)
}

#[cfg(test)]
mod tests {
    use super::judge;

    #[test]
    fn lets_through_what_is_linear() {
        let fields = include_str!("../../../../forms/shared/fields.json");
        let known = fields.split("\"pattern\": \"^").skip(1).filter_map(|t| t.split('"').next());
        let known: Vec<String> = known.map(|t| format!("^{}", t.replace("\\\\", "\\"))).collect();
        let more = ["^[A-Z]{1,2}-[0-9]{1,2}$", "[^A-Z0-9]", "^([a-z]+)( [a-z]+)*$", "^[a-z]*1[a-z]*$", "^a{0,50}$"];
        for text in known.iter().map(String::as_str).chain(more) {
            assert_eq!(judge(text), Ok(()), "{text}");
        }
        assert!(known.len() > 5);
    }

    #[test]
    fn refuses_what_a_browser_may_hang_on() {
        for text in [
            "^([0-9]+)+$",
            "^(x|x)*y$",
            "^(a|a?)+$",
            "^a*a*b$",
            "^[a-z]*[a-c]+1$",
            "^(a|ab)(c|bcd)*(d*)*$",
            "^(a?){40}$",
            "^(a|a){20}$",
            "[a-z]+$",
            "^([a-z]*)*$",
            "^(ab?)*b*$",
            "^([0-9]{1,2}){30}$",
        ] {
            let fault = judge(text).expect_err(text).0;
            assert!(fault.contains("many ways") || fault.contains("every place"), "{text}: {fault}");
        }
        for text in ["^\\d+$", "(?i)a", "^.*$", "a\\b", "(?P<x>a)", "[[:alpha:]]", "^a+?$", "[a&&b]", "\\-", "\\pL"] {
            let fault = judge(text).expect_err(text).0;
            assert!(fault.contains("read alike"), "{text}: {fault}");
        }
        assert!(judge("(?=a)").is_err() && judge("(a)\\1").is_err());
    }
}
