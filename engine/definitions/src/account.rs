//! Which parts of a person's account a page or an endpoint reads: nothing else is looked up for it.

use engine_statechart::expression::Expression;
use std::collections::BTreeSet;

/// Parts of `account` beside names and profile, which are always there; what is not read is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccountParts {
    pub journeys: bool,
    pub records: RecordKinds,
    pub documents: bool,
    pub sessions: bool,
    pub seen: bool,
}

/// Kinds of records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordKinds {
    All,
    These(BTreeSet<String>),
}

impl Default for RecordKinds {
    fn default() -> Self {
        RecordKinds::These(BTreeSet::new())
    }
}

impl RecordKinds {
    pub fn are_none(&self) -> bool {
        matches!(self, RecordKinds::These(kinds) if kinds.is_empty())
    }
}

impl AccountParts {
    pub fn everything() -> AccountParts {
        AccountParts { journeys: true, records: RecordKinds::All, documents: true, sessions: true, seen: true }
    }

    /// What these read of the account, which stands below `place` of a variable.
    pub(crate) fn of<'e>(
        expressions: impl Iterator<Item = &'e Expression>,
        variable: &'static str,
        place: &[&str],
    ) -> AccountParts {
        let mut parts = AccountParts::default();
        for expression in expressions {
            for read in expression.reads_of(variable, None).reads {
                if let Some(path) = read.path.strip_prefix(place) {
                    parts.add(path);
                }
            }
        }
        parts
    }

    fn add(&mut self, path: &[&str]) {
        match path {
            [] => *self = AccountParts::everything(),
            ["journeys", ..] => self.journeys = true,
            ["documents", ..] => self.documents = true,
            ["sessions", ..] => self.sessions = true,
            ["seen" | "helpers", ..] => self.seen = true,
            ["records"] => self.records = RecordKinds::All,
            ["records", kind, ..] => {
                if let RecordKinds::These(kinds) = &mut self.records {
                    kinds.insert((*kind).to_owned());
                }
            }
            _ => {}
        }
    }
}
