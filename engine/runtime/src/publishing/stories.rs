//! Stories of what a change reaches are played before it is published.

use crate::core::load_blocking;
use crate::story::{Failure, Outcome, Runner};
use engine_definitions::{Catalog, Files, Problem, Severity};
use engine_statechart::source::Span;
use engine_store::DefinitionFile;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Which stories are played, and what one that fails does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stories {
    /// Plays the stories of all that is new. A failure refuses the publication, where `workflows/releases.yaml` does
    /// not say otherwise.
    Play,
    /// Plays the stories of changes alone, for the first publication has nobody to harm; a failure refuses as with
    /// `Play`.
    OfChanges,
    /// Plays the stories of changes alone; a failure is only told.
    Tell,
}

/// What came of them.
pub(super) struct Played {
    pub count: usize,
    /// Where and how stories failed, each with the first difference alone.
    pub failures: Vec<Problem>,
}

/// Plays the stories of workflows that changed, and those that changed themselves.
pub(super) async fn play(
    catalog: &Arc<Catalog>,
    changed: &[String],
    files: &Files,
    before: &[DefinitionFile],
) -> Played {
    let known: BTreeMap<&str, &str> = before.iter().map(|file| (file.path.as_str(), file.hash.as_str())).collect();
    let is_new = |path: &str| known.get(path).copied() != Some(files.hash(path).as_str());
    let stories = catalog.workflows().flat_map(|workflow| workflow.stories());
    let reached = stories.filter(|story| changed.contains(&story.workflow) || is_new(&story.path));
    let reached: BTreeSet<String> = reached.map(|story| story.path.clone()).collect();
    let catalog = Arc::clone(catalog);
    load_blocking(Files::new(), move |_| play_reached(&catalog, &reached)).await
}

fn play_reached(catalog: &Catalog, reached: &BTreeSet<String>) -> Played {
    let mut runner = Runner::new(catalog);
    let stories = catalog.workflows().flat_map(|workflow| workflow.stories());
    let mut failures = Vec::new();
    for story in stories.filter(|story| reached.contains(&story.path)) {
        let told = match runner.run(story) {
            Outcome::Held => continue,
            Outcome::Failed(found) => {
                found.into_iter().next().map(|Failure { place, difference }| (place, difference.to_string()))
            }
            Outcome::NotBegun { beginning } => {
                Some((Span::new(&Arc::from(story.path.as_str()), 1, 1), format!("`{beginning}` does not come as far")))
            }
        };
        let problem = |(place, why)| Problem::error("story", &place, format!("story `{}`: {why}", story.name));
        failures.extend(told.map(problem));
    }
    Played { count: reached.len(), failures }
}

/// What refuses nothing.
pub(super) fn as_warnings(failures: Vec<Problem>) -> impl Iterator<Item = Problem> {
    failures.into_iter().map(|problem| Problem { severity: Severity::Warning, ..problem })
}
