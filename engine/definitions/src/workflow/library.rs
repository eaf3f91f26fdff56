//! What a workflow can name, and which keys it has: shared by all that reads one.

use super::OnVersion;
use crate::calendar::Calendars;
use crate::contract::Contracts;
use crate::files::Files;
use crate::form::Form;
use crate::host::{VARIABLES, vocabulary};
use crate::layout;
use crate::master::Masters;
use crate::message::Message;
use crate::partner::Partner;
use crate::references::References;
use crate::source::{Key, Node, Nodes, Span};
use crate::story::Story;
use crate::table::Tables;
use crate::texts::Texts;
use crate::view::View;
use engine_statechart::Vocabulary;
use std::collections::BTreeMap;
use std::sync::Arc;

/// All that a workflow can name.
pub(crate) struct Library<'a> {
    pub files: &'a Files,
    /// Parsed files by path.
    pub nodes: &'a Nodes,
    pub forms: &'a BTreeMap<String, Arc<Form>>,
    pub views: &'a BTreeMap<String, Arc<View>>,
    pub tables: &'a Tables,
    pub texts: &'a BTreeMap<String, Arc<Texts>>,
    pub contracts: &'a Contracts,
    pub partners: &'a BTreeMap<String, Arc<Partner>>,
    pub messages: &'a BTreeMap<String, Arc<Message>>,
    pub masters: &'a Masters,
    pub calendars: &'a Calendars,
    pub stories: &'a BTreeMap<String, Vec<Arc<Story>>>,
    /// Languages of translations.
    pub languages: &'a [String],
    /// Whether everything that a version pins could be read.
    pub is_whole: bool,
    /// What is read was found good before: no way is followed again.
    pub was_checked: bool,
    /// Whether all partners and operations could be read.
    pub has_all_partners: bool,
}

impl Library<'_> {
    pub fn references(&self) -> References<'_> {
        References { tables: self.tables, masters: self.masters, calendars: self.calendars }
    }

    /// Whether a file is there at all: if it is broken, that was said where it is broken.
    pub fn has_file(&self, path: &str) -> bool {
        self.files.contains(path) || self.nodes.contains_key(path)
    }

    /// Whether there is a file of this kind, by what it holds.
    pub fn has_kind(&self, is: impl Fn(&layout::FileKind) -> bool) -> bool {
        self.files.iter().filter_map(|(path, _)| layout::kind_of(path)).any(|kind| is(&kind))
    }
}

/// Keys of the root beside those of a state.
pub const ROOT_KEYS: [&str; 19] = [
    "title",
    "base",
    "timezone",
    "language",
    "ttl",
    "signs_in",
    "track",
    "presence",
    "listed",
    "delays",
    "scene",
    "sections",
    "extends",
    "merge",
    "params",
    "aliases",
    "links",
    "variants",
    "description",
];

/// Keys of a state that the root has too.
pub const STATE_KEYS: [&str; 16] = [
    "id", "type", "initial", "context", "states", "on", "always", "after", "entry", "exit", "onDone", "invoke",
    "output", "tags", "meta", "step",
];

pub(super) fn machine_vocabulary(delays: &BTreeMap<String, (OnVersion, Node)>) -> Vocabulary {
    let delays = delays.iter().map(|(name, (_, ms))| (name.clone(), ms.clone())).collect();
    Vocabulary {
        actions: crate::keys::actions::of_dialect(),
        delays,
        strict_actions: true,
        ..vocabulary(&VARIABLES, false)
    }
}

/// A generated key.
pub(super) fn key(name: &str, span: &Span) -> Key {
    Key { span: span.clone(), name: name.to_owned() }
}
