//! What stands in the states: transitions, guards, timers, invokes.

use super::hash;
use super::keys;
use super::model::{After, Delay, EventIx, Guard, Invoke, NodeIx, Transition, TransitionIx, Wildcard};
use super::targets;
use super::tree::Tree;
use crate::expression::Expression;
use crate::problem::{Problem, Problems};
use crate::source::{Node, Value as Source};
use crate::suggest::did_you_mean;
use crate::vocabulary::Vocabulary;
use serde_json::Value;
use std::collections::HashSet;

pub struct Compiler<'a, 'p> {
    pub tree: Tree<'a>,
    pub vocabulary: &'p Vocabulary,
    pub problems: &'p mut Problems,
    pub transitions: Vec<Transition>,
    pub faults: Faults,
    pub events: hash::Table,
    pub event_names: Vec<Box<str>>,
    /// Fields of the named actions.
    pub named: Vec<Vec<(String, Expression)>>,
}

/// What the checks of the whole machine must not take for granted.
#[derive(Default)]
pub struct Faults {
    /// Transitions whose targets or guard hold an error: nobody knows where they lead.
    pub broken: HashSet<TransitionIx>,
    /// Targets that do not exist, as written.
    pub lost_targets: Vec<String>,
}

/// Candidates of one node: descriptor → transitions, in file order.
type Table = Vec<(String, Vec<TransitionIx>)>;

/// Candidates of one node: descriptor → transitions, sorted for the interpreter.
type Candidates<Descriptor> = Vec<(Descriptor, Vec<TransitionIx>)>;

const TARGETS_MAX: usize = 64;

impl<'a> Compiler<'a, '_> {
    pub fn bodies(&mut self) {
        for ix in 0..self.tree.nodes.len() {
            self.body(ix as NodeIx, self.tree.sources[ix]);
        }
    }

    pub fn report(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    fn body(&mut self, ix: NodeIx, source: &'a Node) {
        let id = self.tree.nodes[ix as usize].id.clone();
        let entry = self.actions(source.get("entry"));
        let exit = self.actions(source.get("exit"));
        let initial_actions = self.actions(source.get("initial").and_then(|i| i.get("actions")));
        let output = source.get("output").map(|o| self.output(o));
        let defaults = source.get("target").map_or_else(Vec::new, |t| self.targets(ix, t));
        let always = source.get("always").map_or_else(Vec::new, |t| self.transitions(ix, t));

        let mut table = Table::new();
        self.on(ix, source, &mut table);
        if let Some(done) = source.get("onDone") {
            let list = self.transitions(ix, done);
            add(&mut table, format!("xstate.done.state.{id}"), list);
        }
        let invokes = self.invokes(ix, &id, source, &mut table);
        let after = self.after(ix, &id, source, &mut table);

        let (on, wildcards) = self.intern(table);
        let node = &mut self.tree.nodes[ix as usize];
        (node.entry, node.exit, node.initial_actions) = (entry, exit, initial_actions);
        (node.output, node.defaults, node.always) = (output, defaults, always);
        (node.on, node.wildcards, node.invokes, node.after) = (on, wildcards, invokes, after);
    }

    fn on(&mut self, ix: NodeIx, source: &Node, table: &mut Table) {
        let Some(on) = source.get("on") else { return };
        if !on.is_map() {
            self.report(Problem::error(
                "shape",
                &on.span,
                format!("`on` is a map from event to transition, not {}", on.kind()),
            ));
        }
        for (descriptor, written) in on.map() {
            let name = &descriptor.name;
            if name.is_empty() {
                self.report(
                    Problem::error("shape", &descriptor.span, "event type is empty")
                        .hint("a transition without event stands in `always`"),
                );
            }
            let star = name.find('*').filter(|i| *i + 1 != name.len() || (*i > 0 && !name[..*i].ends_with('.')));
            if star.is_some() {
                let message = format!("`{name}` matches no event");
                self.report(
                    Problem::warning("wildcard", &descriptor.span, message)
                        .hint("`*` stands alone or as the last part: `a.b.*`"),
                );
            }
            let list = self.transitions(ix, written);
            add(table, name.clone(), list);
        }
    }

    fn invokes(&mut self, ix: NodeIx, id: &str, source: &Node, table: &mut Table) -> Vec<Invoke> {
        let mut invokes = Vec::new();
        for (index, written) in source.get("invoke").map_or(&[][..], Node::items).iter().enumerate() {
            if !keys::check(written, keys::INVOKE, "`invoke`", self.problems) {
                continue;
            }
            let src = keys::string(written, "src", self.problems);
            if written.get("src").is_none() {
                self.report(Problem::error("shape", &written.span, "`invoke` needs a `src`"));
            }
            let invoke_id: Box<str> =
                keys::string(written, "id", self.problems).map_or_else(|| format!("{index}.{id}").into(), Into::into);
            for (key, event) in [("onDone", "done"), ("onError", "error")] {
                if let Some(handler) = written.get(key) {
                    let list = self.transitions(ix, handler);
                    add(table, format!("xstate.{event}.actor.{invoke_id}"), list);
                }
            }
            let input = written.get("input").map_or_else(|| Expression::literal(Value::Null), |i| self.mapping(i));
            let src = src.unwrap_or_default().into();
            invokes.push(Invoke { id: invoke_id, src, input });
        }
        invokes
    }

    fn after(&mut self, ix: NodeIx, id: &str, source: &Node, table: &mut Table) -> Vec<After> {
        let Some(after) = source.get("after") else { return Vec::new() };
        if !after.is_map() {
            self.report(Problem::error(
                "shape",
                &after.span,
                format!("`after` is a map from duration to transition, not {}", after.kind()),
            ));
        }
        let mut timers = Vec::new();
        for (key, written) in after.map() {
            let list = self.transitions(ix, written);
            let Some(delay) = self.delay(&Value::String(key.name.clone()), &key.span) else {
                // Still leads somewhere, for the checks.
                add(table, format!("xstate.after.{}.{id}", key.name), list);
                continue;
            };
            let event = match &delay {
                Delay::Fixed(ms) => format!("xstate.after.{ms}.{id}"),
                Delay::Named(name, _) => format!("xstate.after.{name}.{id}"),
            };
            add(table, event.clone(), list);
            timers.push(After { delay, event: event.into() });
        }
        timers.sort_by_key(|timer| match timer.delay {
            Delay::Fixed(ms) => ms,
            Delay::Named(..) => i64::MAX,
        });
        timers
    }

    /// Exact descriptors by number, wildcards from the longest to the shortest.
    fn intern(&mut self, table: Table) -> (Candidates<EventIx>, Candidates<Wildcard>) {
        let mut on = Vec::new();
        let mut wildcards = Vec::new();
        for (descriptor, list) in table {
            let prefix = if descriptor == "*" { Some("") } else { descriptor.strip_suffix(".*") };
            if let Some(prefix) = prefix {
                wildcards.push((Wildcard { prefix: prefix.into(), descriptor: descriptor.as_str().into() }, list));
                continue;
            }
            let next = self.event_names.len() as EventIx;
            let event = *self.events.entry(descriptor.as_str().into()).or_insert(next);
            if event == next {
                self.event_names.push(descriptor.into());
            }
            on.push((event, list));
        }
        on.sort_by_key(|(event, _)| *event);
        wildcards.sort_by_key(|(wildcard, _)| std::cmp::Reverse(wildcard.descriptor.len()));
        (on, wildcards)
    }

    /// A target, a map, or a list of these.
    fn transitions(&mut self, source: NodeIx, node: &Node) -> Vec<TransitionIx> {
        let list: Vec<TransitionIx> = node.items().iter().filter_map(|item| self.transition(source, item)).collect();
        let unguarded = list.iter().position(|t| self.transitions[*t as usize].guard.is_none());
        if let Some(shadowed) = unguarded.and_then(|i| list.get(i + 1)) {
            let span = self.transitions[*shadowed as usize].span.clone();
            self.report(Problem::warning(
                "shadowed-transition",
                &span,
                "this transition is never taken: the one before it has no guard",
            ));
        }
        list
    }

    fn transition(&mut self, source: NodeIx, node: &Node) -> Option<TransitionIx> {
        if self.transitions.len() >= self.vocabulary.limits.transitions_max {
            if self.transitions.len() == self.vocabulary.limits.transitions_max {
                let message = format!("more than {} transitions", self.vocabulary.limits.transitions_max);
                self.report(Problem::error("too-many-transitions", &node.span, message));
            }
            return None;
        }
        let before = self.problems.count();
        let (targets, guard) = match &node.value {
            Source::String(_) => (self.targets(source, node), None),
            Source::Map(_) => {
                keys::check(node, keys::TRANSITION, "a transition", self.problems);
                let targets = node.get("target").map_or_else(Vec::new, |t| self.targets(source, t));
                (targets, node.get("guard").map(|g| self.guard(g, 0)))
            }
            _ => {
                let message = format!("a transition is a target, a map or a list of these, not {}", node.kind());
                self.report(Problem::error("shape", &node.span, message).hint("`{}` forbids an event"));
                return None;
            }
        };
        let broken = self.problems.count() > before;
        let actions = self.actions(node.get("actions"));
        let reenter = node.get("reenter").is_some_and(|r| {
            r.as_bool().unwrap_or_else(|| {
                self.report(Problem::error("shape", &r.span, format!("`reenter` is true or false, not {}", r.kind())));
                false
            })
        });
        let ix = self.transitions.len() as TransitionIx;
        if broken {
            self.faults.broken.insert(ix);
        }
        self.transitions.push(Transition {
            source,
            targets,
            guard,
            actions,
            reenter,
            plan: None,
            span: node.span.clone(),
        });
        Some(ix)
    }

    fn targets(&mut self, owner: NodeIx, node: &Node) -> Vec<NodeIx> {
        if node.items().len() > TARGETS_MAX {
            self.report(Problem::error("too-many-targets", &node.span, format!("more than {TARGETS_MAX} targets")));
            return Vec::new();
        }
        let mut found = Vec::new();
        for item in node.items() {
            let resolved = match item.as_str() {
                Some(text) => targets::resolve(&self.tree, owner, text, &item.span).map_err(|mut problem| {
                    problem.message.push_str(&format!(" in state `{}`", self.tree.nodes[owner as usize].id));
                    problem
                }),
                None => Err(Problem::error("shape", &item.span, format!("a target is a string, not {}", item.kind()))),
            };
            match resolved {
                Ok(ix) => found.push(ix),
                Err(problem) => {
                    self.report(problem);
                    self.faults.lost_targets.extend(item.as_str().map(str::to_owned));
                }
            }
        }
        if let Err(problem) = targets::check_regions(&self.tree.nodes, &found, &node.span) {
            self.report(problem);
        }
        found
    }

    fn guard(&mut self, node: &Node, depth: usize) -> Guard {
        if depth > self.vocabulary.limits.state_depth_max {
            self.report(Problem::error("too-deep", &node.span, "guards are nested too deep"));
            return Guard::Constant(false);
        }
        match &node.value {
            Source::Bool(b) => Guard::Constant(*b),
            Source::String(_) => self.condition(node),
            Source::Map(entries) => {
                let list = |compiler: &mut Self, node: &Node| {
                    if !node.is_list() {
                        compiler.report(Problem::error(
                            "shape",
                            &node.span,
                            format!("`and` and `or` take a list of guards, not {}", node.kind()),
                        ));
                    }
                    node.list().iter().map(|g| compiler.guard(g, depth + 1)).collect()
                };
                match entries.as_slice() {
                    [(key, inner)] if key.name == "and" => Guard::And(list(self, inner)),
                    [(key, inner)] if key.name == "or" => Guard::Or(list(self, inner)),
                    [(key, inner)] if key.name == "not" => Guard::Not(Box::new(self.guard(inner, depth + 1))),
                    _ => {
                        let key = entries.iter().find(|(k, _)| !keys::GUARD.contains(&k.name.as_str()));
                        let hint = key.and_then(|(k, _)| did_you_mean(&k.name, keys::GUARD.iter().copied()));
                        let span = key.map_or(&node.span, |(k, _)| &k.span);
                        self.report(
                            Problem::error(
                                "shape",
                                span,
                                "a guard is an expression, or a map with one of `and`, `or`, `not`",
                            )
                            .maybe_hint(hint),
                        );
                        Guard::Constant(false)
                    }
                }
            }
            _ => {
                self.report(Problem::error(
                    "shape",
                    &node.span,
                    format!("a guard is an expression or a map, not {}", node.kind()),
                ));
                Guard::Constant(false)
            }
        }
    }

    fn condition(&mut self, node: &Node) -> Guard {
        let states = |name: &str| targets::state(&self.tree, name);
        let mut problems = Vec::new();
        let expression = Expression::read_in(node, self.vocabulary, &[], Some(&states), &mut problems);
        problems.into_iter().for_each(|problem| self.report(problem));
        match expression {
            Some(expression) => match expression.constant_bool() {
                Some(constant) => Guard::Constant(constant),
                None => Guard::Expression(expression),
            },
            None => Guard::Constant(false),
        }
    }
}

fn add(table: &mut Table, descriptor: String, list: Vec<TransitionIx>) {
    match table.iter_mut().find(|(d, _)| *d == descriptor) {
        Some((_, known)) => known.extend(list),
        None => table.push((descriptor, list)),
    }
}
