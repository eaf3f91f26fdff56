//! `workflows/releases.yaml`: what a change must have stood before it is published.

use crate::fields::MapReader;
use crate::source::Node;
use engine_statechart::Problem;

pub const FILE: &str = "workflows/releases.yaml";
pub(crate) const OF_STORIES: [&str; 2] = ["refuse", "warn"];

/// What is asked of a change; without the file, everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Releases {
    /// A story that fails is told, and does not keep the change back.
    pub only_warns: bool,
}

impl Releases {
    pub(crate) fn compile(node: &Node, problems: &mut Vec<Problem>) -> Releases {
        let Some(mut fields) = MapReader::open(node, "releases", &["stories"], problems) else {
            return Releases::default();
        };
        Releases { only_warns: fields.word("stories", &OF_STORIES) == Some("warn") }
    }
}
