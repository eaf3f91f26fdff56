//! What a browser keeps of answers of our own calls, under a name of its storage.

use super::around::is_under;
use crate::fields::MapReader;
use crate::source::{Key, Node};
use engine_statechart::Problem;
use engine_statechart::source::Span;
use serde_json::{Value, json};

/// What a browser keeps of an answer: of everybody's below an address, or of the visitor's own, for the tab.
#[derive(Clone, Debug)]
pub(crate) struct KeptAnswer {
    name: String,
    /// The call, without a query.
    pub call: String,
    /// Names that lead to the value in its answer: `result.city`.
    take: String,
    /// Address at and below which it is kept; `None`: wherever a visitor is who came by an agent, a partner, a campaign.
    under: Option<String>,
    /// Whether it lies there encoded, so that nobody reads it in passing.
    is_encoded: bool,
    pub span: Span,
}

impl KeptAnswer {
    pub fn read(name: &Key, node: &Node, problems: &mut Vec<Problem>) -> Option<KeptAnswer> {
        const KEYS: [&str; 5] = ["call", "take", "under", "of", "encoded"];
        let mut fields = MapReader::open(node, "an answer that is kept", &KEYS, problems)?;
        let (call, take, under) = (fields.need_text("call"), fields.need_text("take"), fields.text("under"));
        if under.is_some() == fields.word("of", &["visitor"]).is_some() {
            let message = "it is kept `under` an address, or `of: visitor`";
            fields.problems.push(Problem::error("shape", &node.span, message));
        }
        let is_encoded = fields.bool("encoded");
        Some(KeptAnswer { name: name.name.clone(), call, take, under, is_encoded, span: node.span.clone() })
    }

    /// As a page's script reads it: `{name, call, take, tab, encoded}`; `None` where the page keeps nothing of it.
    pub fn on(&self, path: &str, is_personal: bool) -> Option<Value> {
        let is_here = self.under.as_deref().map_or(is_personal, |under| is_under(path, under));
        let tab = self.under.is_none();
        is_here.then(
            || json!({"name": self.name, "call": self.call, "take": self.take, "tab": tab, "encoded": self.is_encoded}),
        )
    }
}
