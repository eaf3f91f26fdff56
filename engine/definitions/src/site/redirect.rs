//! Addresses that lead elsewhere. The query is kept.

use crate::fields::Fields;
use crate::source::Node;
use engine_statechart::Problem;
use engine_statechart::source::Span;

const REST: &str = "{rest*}";

/// `from` and `to` may both end in `{rest*}`: what follows there goes along.
#[derive(Clone, Debug, PartialEq)]
pub struct Redirect {
    pub from: String,
    pub to: String,
    pub status: u16,
    pub(super) span: Span,
}

impl Redirect {
    pub(super) fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Redirect> {
        let mut fields = Fields::open(node, "a redirect", &["from", "to", "status"], problems)?;
        let status = fields.int("status").unwrap_or(302);
        let Some(known) = [301, 302, 303, 307, 308].into_iter().find(|known| i64::from(*known) == status) else {
            fields.problems.push(Problem::error("value", &node.span, "`status` is 301, 302, 303, 307 or 308"));
            return None;
        };
        let (from, to) = (fields.need_text("from"), fields.need_text("to"));
        let is_placed =
            |text: &str| text.split_once(REST).is_none_or(|(before, after)| before.ends_with('/') && after.is_empty());
        if !from.starts_with('/') || !is_placed(&from) || !is_placed(&to) || to.contains(REST) && !from.contains(REST) {
            let message = "`from` starts with `/`; `{rest*}` is the end of both, or of `from` alone";
            fields.problems.push(Problem::error("value", &node.span, message));
            return None;
        }
        Some(Redirect { from, to, status: known, span: node.span.clone() })
    }

    pub(super) fn leads(&self, path: &str) -> Option<String> {
        match self.from.strip_suffix(REST) {
            None => (self.from == path).then(|| self.to.clone()),
            Some(before) => path.strip_prefix(before).map(|rest| self.to.replace(REST, rest)),
        }
    }
}
