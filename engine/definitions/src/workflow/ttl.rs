//! How long a journey is kept that nobody touches.

use super::desugar::Builder;
use crate::fields::MapReader;
use crate::source::Node;
use engine_statechart::Problem;
use engine_statechart::expression::{Expression, Scope};
use serde_json::Value;

/// The first choice whose condition holds when somebody acts counts from that moment.
#[derive(Debug, Default)]
pub struct Ttl {
    choices: Vec<(Option<Expression>, i64)>,
}

impl Ttl {
    /// Milliseconds from now; `None`: it does not expire. A condition that cannot be evaluated does not hold.
    pub fn ms(&self, scope: &Scope<'_>) -> Option<i64> {
        let holds = |when: &Expression| when.eval(scope).is_ok_and(|held| held == Value::Bool(true));
        self.choices.iter().find(|(when, _)| when.as_ref().is_none_or(holds)).map(|(_, ms)| *ms)
    }
}

impl Builder<'_> {
    /// `ttl: 45d`, or choices: `[{when: context.bought != {}, for: 400d}, {for: 45d}]`.
    pub fn ttl(&mut self, tree: &Node) -> Ttl {
        let mut problems = std::mem::take(&mut self.problems);
        let mut root = MapReader { node: tree, problems: &mut problems, what: "a workflow" };
        let choices = match root.get("ttl") {
            Some(node) if node.is_list() => self.ttl_choices(node, root.problems),
            _ => root.duration("ttl").map(|ms| (None, ms)).into_iter().collect(),
        };
        problems.append(&mut self.problems);
        self.problems = problems;
        Ttl { choices }
    }

    fn ttl_choices(&mut self, node: &Node, problems: &mut Vec<Problem>) -> Vec<(Option<Expression>, i64)> {
        let mut choices = Vec::new();
        for item in node.list() {
            let Some(mut choice) = MapReader::open(item, "a choice of `ttl`", &["when", "for"], problems) else {
                continue;
            };
            let when = choice.get("when").map(|when| self.expression(when, &[], choice.problems));
            choice.need("for");
            let Some(ms) = choice.duration("for") else { continue };
            choices.push((when.flatten(), ms));
        }
        let is_open = |item: &&Node| item.get("when").is_none();
        if node.list().iter().position(|item| is_open(&item)) != node.list().len().checked_sub(1) {
            let problem = Problem::error("value", &node.span, "the last choice of `ttl`, and no other, has no `when`");
            problems.push(problem.hint("[{when: context.bought != {}, for: 400d}, {for: 45d}]"));
        }
        choices
    }
}
