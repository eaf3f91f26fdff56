//! A compiled machine.

mod model;

pub use model::{NodeKind, NodeView};

use crate::problem::Problem;
use crate::snapshot::Snapshot;
use crate::source::Node;
use crate::vocabulary::Vocabulary;

pub struct Machine {
    id: String,
}

impl Machine {
    pub fn compile(_node: &Node, _vocabulary: &Vocabulary) -> Result<(Machine, Vec<Problem>), Vec<Problem>> {
        Ok((Machine { id: String::new() }, Vec::new()))
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn nodes(&self) -> impl Iterator<Item = NodeView<'_>> {
        std::iter::empty()
    }

    pub fn ancestors<'a>(&'a self, _id: &str) -> impl Iterator<Item = &'a str> {
        std::iter::empty()
    }

    pub fn events_of(&self, _id: &str) -> impl Iterator<Item = &str> {
        std::iter::empty()
    }

    pub fn snapshot_fits(&self, _snapshot: &Snapshot) -> Result<(), String> {
        Ok(())
    }
}
