//! Runs stories: given events → expected states and effects, on the real turn, without a store or a partner.

mod stage;

pub use crate::comparison::Difference;

use engine_definitions::story::Story;
use engine_definitions::{Catalog, Workflow};
use engine_statechart::Problem;
use engine_statechart::source::Span;
use serde_json::Value;
use stage::Stage;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// An expectation that did not hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    pub place: Span,
    pub difference: Difference,
}

/// How a story ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Held,
    Failed(Vec<Failure>),
    /// The story that it goes on from failed, or never came that far: the reason.
    NotBegun {
        beginning: String,
    },
}

/// Plays stories; one that others go on from is played once.
pub struct Runner<'a> {
    catalog: &'a Catalog,
    played: HashMap<(&'a str, &'a str), Rc<Played<'a>>>,
}

/// A story from its beginning to its end.
struct Played<'a> {
    /// Before the first step, and after each.
    stages: Vec<Stage<'a>>,
    /// Number of the step, 0 for the beginning itself.
    failures: Vec<(usize, Failure)>,
}

impl<'a> Runner<'a> {
    pub fn new(catalog: &'a Catalog) -> Self {
        Runner { catalog, played: HashMap::new() }
    }

    pub fn run(&mut self, story: &'a Story) -> Outcome {
        let Some(workflow) = self.catalog.workflow(&story.workflow) else {
            return Outcome::NotBegun { beginning: story.workflow.clone() };
        };
        match self.play(workflow, story) {
            Ok(played) if played.failures.is_empty() => Outcome::Held,
            Ok(played) => Outcome::Failed(played.failures.iter().map(|(_, failure)| failure.clone()).collect()),
            Err(beginning) => Outcome::NotBegun { beginning },
        }
    }

    /// What an expression of a flow gives where a story stands when the state `until` is first active: without `until`
    /// at its end, without a story where the flow begins. An error says what is wrong, in words.
    pub fn evaluate(
        &mut self,
        workflow: &'a Arc<Workflow>,
        story: Option<&str>,
        until: Option<&str>,
        expression: &str,
    ) -> Result<Value, String> {
        let stage = match story {
            None => Stage::open(self.catalog, workflow, &Story::default())?,
            Some(name) => {
                let story = workflow.stories().iter().find(|story| story.id == name || story.name == name);
                let story = story.ok_or_else(|| format!("`{}` has no story `{name}`", workflow.id))?;
                let first = self.beginning(workflow, story).map_err(|why| format!("the story `{why}` fails"))?;
                let mut stages = play(story, first, true).stages;
                let at = match until {
                    Some(state) => stages.iter().position(|stage| stage.is_active(state)),
                    None => stages.len().checked_sub(1),
                };
                let at = at.ok_or_else(|| format!("`{name}` never comes to `{}`", until.unwrap_or_default()))?;
                stages.swap_remove(at)
            }
        };
        let lines = |problems: Vec<Problem>| problems.iter().map(|p| p.message.clone()).collect::<Vec<_>>().join("\n");
        stage.evaluate(&workflow.expression(expression).map_err(lines)?)
    }

    /// The beginning that is to blame is the error.
    fn play(&mut self, workflow: &'a Arc<Workflow>, story: &'a Story) -> Result<Rc<Played<'a>>, String> {
        let key = (workflow.id.as_str(), story.id.as_str());
        if let Some(played) = self.played.get(&key) {
            return Ok(Rc::clone(played));
        }
        let first = self.beginning(workflow, story)?;
        let begins_others = workflow.stories().iter().any(|s| s.after.as_ref().is_some_and(|a| a.story == story.id));
        let played = Rc::new(play(story, first, begins_others));
        if begins_others {
            self.played.insert(key, Rc::clone(&played));
        }
        Ok(played)
    }

    fn beginning(&mut self, workflow: &'a Arc<Workflow>, story: &'a Story) -> Result<Stage<'a>, String> {
        let Some(after) = &story.after else { return Stage::open(self.catalog, workflow, story) };
        let Some(base) = workflow.stories().iter().find(|s| s.id == after.story) else {
            return Err(after.story.clone());
        };
        let base = self.play(workflow, base)?;
        let at = match &after.until {
            Some(state) => base.stages.iter().position(|stage| stage.is_active(state)),
            None => base.stages.len().checked_sub(1),
        };
        let clean = |at: &usize| base.failures.iter().all(|(step, _)| step > at);
        match at.filter(clean) {
            Some(at) => Ok(base.stages[at].clone()),
            None => Err(after.story.clone()),
        }
    }
}

fn play<'a>(story: &Story, mut stage: Stage<'a>, keeps_all: bool) -> Played<'a> {
    let mut played = Played { stages: Vec::new(), failures: Vec::new() };
    for (number, step) in story.steps.iter().enumerate() {
        if keeps_all {
            played.stages.push(stage.clone());
        }
        let seen = stage.play(step);
        for difference in stage.compare(&step.expect, &seen) {
            played.failures.push((number + 1, Failure { place: step.span.clone(), difference }));
        }
    }
    for difference in stage.replay_differences() {
        let place = Span::new(&Arc::from(story.path.as_str()), 1, 1);
        played.failures.push((story.steps.len(), Failure { place, difference }));
    }
    played.stages.push(stage);
    played
}
