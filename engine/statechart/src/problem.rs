//! What is wrong with a definition: one `Problem` per mistake, all of them at once.

use crate::source::Span;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
}

/// An author's mistake. `code` is stable and lets a host regrade it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub severity: Severity,
    pub span: Span,
    pub message: String,
    pub hint: Option<String>,
    pub code: &'static str,
}

impl Problem {
    pub fn error(code: &'static str, span: &Span, message: impl Into<String>) -> Self {
        Problem { severity: Severity::Error, span: span.clone(), message: message.into(), hint: None, code }
    }

    pub fn warning(code: &'static str, span: &Span, message: impl Into<String>) -> Self {
        Problem { severity: Severity::Warning, ..Problem::error(code, span, message) }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub fn maybe_hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint.or(self.hint);
        self
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// `file:line:column: message (hint)`
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.span, self.message)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

/// Collects problems up to a limit, so that a hostile file cannot fill the memory with them.
#[derive(Default)]
pub(crate) struct Problems {
    pub list: Vec<Problem>,
    dropped: usize,
}

const PROBLEMS_MAX: usize = 200;

impl Problems {
    pub fn push(&mut self, problem: Problem) {
        if self.is_full() { self.dropped += 1 } else { self.list.push(problem) }
    }

    pub fn count(&self) -> usize {
        self.list.len() + self.dropped
    }

    /// Whether there is no room: further problems are counted, not kept.
    pub fn is_full(&self) -> bool {
        self.list.len() >= PROBLEMS_MAX
    }

    pub fn has_errors(&self) -> bool {
        self.dropped > 0 || self.list.iter().any(Problem::is_error)
    }

    /// Errors and warnings in file order.
    pub fn into_sorted(mut self) -> Vec<Problem> {
        self.list.sort_by(|a, b| a.span.cmp(&b.span));
        if self.dropped > 0 {
            let message = format!("{} more problems", self.dropped);
            let last = self.list.last().map_or_else(Span::unknown, |p| p.span.clone());
            self.list.push(Problem::error("more", &last, message));
        }
        self.list
    }
}
