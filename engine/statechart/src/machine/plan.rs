//! Plans: what a transition enters, when that depends on nothing but the definition.

use super::Machine;
use super::model::{Plan, Transition};
use crate::interpret::domain::transition_domain;
use crate::interpret::entry_set::{EntrySet, effective_targets};

/// Larger ones are computed when needed, so that a hostile file cannot fill the memory with plans.
const PLAN_NODES_MAX: usize = 16;

pub fn make(machine: &mut Machine) {
    let plans: Vec<Option<Plan>> = machine.transitions.iter().map(|t| plan(machine, t)).collect();
    for (transition, plan) in machine.transitions.iter_mut().zip(plans) {
        transition.plan = plan;
    }
}

fn plan(machine: &Machine, transition: &Transition) -> Option<Plan> {
    if transition.targets.is_empty() {
        return None;
    }
    let no_history = |_| None;
    // Whatever passes a history node depends on the snapshot.
    let mut set = EntrySet::new(machine, &no_history).without_history();
    let effective = effective_targets(machine, &transition.targets, &no_history).ok()?;
    if effective != transition.targets {
        return None;
    }
    let domain = transition_domain(machine, transition.source, transition.reenter, &effective);
    set.enter(&transition.targets, &effective, domain).ok()?;
    let entry = set.into_sorted();
    (entry.len() <= PLAN_NODES_MAX).then_some(Plan { domain, entry })
}
