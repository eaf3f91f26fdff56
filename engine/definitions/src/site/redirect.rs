//! Addresses that lead elsewhere. The query is kept. Gates: pages for some roles only.

use super::around::{has_part, is_under};
use crate::fields::MapReader;
use crate::source::Node;
use engine_statechart::Problem;
use engine_statechart::source::Span;

const REST: &str = "{rest*}";

/// `from` and `to` may both end in `{rest*}`: what follows there goes along.
#[derive(Clone, Debug, PartialEq)]
pub struct Redirect {
    /// Address that leads elsewhere; empty: any that has these `parts`.
    pub from: String,
    parts: Vec<String>,
    /// Name that its query has to say, whose value stands for `{name}` in `to`; empty: whatever it says.
    pub(super) query: String,
    /// Address below which alone `parts` count; empty: anywhere.
    under: String,
    pub to: String,
    pub status: u16,
    /// Whether it leads to another host of ours: who is signed in takes the session along.
    pub passes: bool,
    pub(super) span: Span,
}

impl Redirect {
    pub(super) fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Redirect> {
        let mut fields = MapReader::open(
            node,
            "a redirect",
            &["from", "parts", "query", "under", "to", "status", "passes"],
            problems,
        )?;
        let status = fields.int("status").unwrap_or(302);
        let Some(known) = [301, 302, 303, 307, 308].into_iter().find(|known| i64::from(*known) == status) else {
            fields.problems.push(Problem::error("value", &node.span, "`status` is 301, 302, 303, 307 or 308"));
            return None;
        };
        let (to, passes) = (fields.need_text("to"), fields.bool("passes"));
        if passes && (!to.starts_with("https://") || ![302, 303].contains(&status)) {
            let message = "`passes` leads to the https address of another host, with the status 302 or 303";
            fields.problems.push(Problem::error("value", &node.span, message));
        }
        if fields.get("parts").is_some() {
            let (parts, query) = (fields.texts("parts"), fields.need_text("query"));
            let under = fields.text("under").unwrap_or_default();
            return Some(Redirect {
                from: String::new(),
                parts,
                query,
                under,
                to,
                status: known,
                passes,
                span: node.span.clone(),
            });
        }
        let from = fields.need_text("from");
        let query = fields.text("query").unwrap_or_default();
        let place = format!("{{{query}}}");
        let is_placed = |text: &str| {
            let (before, after) = text.split_once(REST).unwrap_or((text, ""));
            !before.contains('{') && after.is_empty() && (before == text || before.ends_with(['/', '+']))
        };
        let plain = to.replace(&place, "");
        if !from.starts_with('/')
            || !is_placed(&from)
            || !is_placed(&plain)
            || plain.contains(REST) && !from.contains(REST)
        {
            let message = "`from` starts with `/`; `{rest*}` is the end of both, or of `from` alone, and beside the \
                           name of `query` in `to` no other place is there";
            fields.problems.push(Problem::error("value", &node.span, message));
            return None;
        }
        let (parts, under) = (Vec::new(), String::new());
        Some(Redirect { from, parts, query, under, to, status: known, passes, span: node.span.clone() })
    }

    /// Address to which an address leads by what its query says of a name, as it stands in addresses.
    pub(super) fn leads_by(&self, path: &str, says: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        if self.query.is_empty() {
            return None;
        }
        let is_below = self.under.is_empty() || is_under(path, &self.under);
        let has_parts = self.parts.iter().any(|part| has_part(path, part));
        let is_here = if self.from.is_empty() { is_below && has_parts } else { self.from == path };
        let said = says(&self.query).filter(|_| is_here && path != self.to)?;
        let place = format!("{{{}}}", self.query);
        (!said.is_empty() || !self.to.contains(&place)).then(|| self.to.replace(&place, below(&said)))
    }

    pub(super) fn leads(&self, path: &str) -> Option<String> {
        if self.from.is_empty() || !self.query.is_empty() {
            return None;
        }
        match self.from.strip_suffix(REST) {
            None => (self.from == path).then(|| self.to.clone()),
            Some(before) => path.strip_prefix(before).map(|rest| self.to.replace(REST, below(rest))),
        }
    }
}

/// What a visitor wrote, as it goes on within an address of ours: `/` and two more would name another host.
fn below(written: &str) -> &str {
    written.trim_start_matches(['/', '\\'])
}

/// Pages that only some roles open, until they are open to all; others are led elsewhere.
#[derive(Clone, Debug)]
pub struct Gate {
    pub(super) under: Vec<String>,
    pub(super) roles: Vec<String>,
    open: bool,
    pub(super) to: String,
    pub(super) span: Span,
}

impl Gate {
    pub(super) fn read(node: &Node, problems: &mut Vec<Problem>) -> Option<Gate> {
        let mut fields = MapReader::open(node, "a gate", &["under", "roles", "open", "to"], problems)?;
        let (under, roles, open) = (fields.texts("under"), fields.texts("roles"), fields.bool("open"));
        Some(Gate { under, roles, open, to: fields.need_text("to"), span: node.span.clone() })
    }

    /// Address to which somebody with these roles is led who opens this page.
    pub(super) fn leads(&self, path: &str, roles: &[String]) -> Option<&str> {
        let is_here = !self.open && self.under.iter().any(|under| is_under(path, under));
        (is_here && !self.roles.iter().any(|role| roles.contains(role))).then_some(self.to.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_visitor_wrote_names_no_other_host() {
        let redirect = |from: &str, query: &str, to: &str| Redirect {
            from: from.into(),
            parts: Vec::new(),
            query: query.into(),
            under: String::new(),
            to: to.into(),
            status: 302,
            passes: false,
            span: Span::unknown(),
        };
        let all = redirect("/old/{rest*}", "", "/{rest*}");
        assert_eq!(all.leads("/old/a/b").as_deref(), Some("/a/b"));
        for path in ["/old//other.example/a", "/old///other.example/a", "/old/\\other.example/a"] {
            assert_eq!(all.leads(path).as_deref(), Some("/other.example/a"), "{path}");
        }
        let named = redirect("/old", "page", "/{page}");
        assert_eq!(named.leads_by("/old", &|_| Some("/other.example".into())).as_deref(), Some("/other.example"));
    }
}
