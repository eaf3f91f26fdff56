//! Which reads and comparisons are wrong.

use super::super::locations::{ABSENT, ALL_KINDS, FlowState, Ix, Kinds, OPTIONAL, Presence, THERE, bit};
use super::{Check, Ex};
use crate::source::Span;
use engine_statechart::expression::Expression;
use engine_statechart::expression::reads::{ANY_KEY, Equal, Read, ReadBy, Reads, ValueKind};
use engine_statechart::{Problem, did_you_mean};
use std::collections::{BTreeMap, BTreeSet};

/// Each mistake of an expression once.
type ProblemsByPlace = BTreeMap<(Span, String), Problem>;

/// The places that an expression needs, each with the best that is known of it at any of its moments.
type Best = Vec<(Ix, Presence)>;

impl Check<'_> {
    pub fn report(&self, states: &[Option<FlowState>]) -> Vec<Problem> {
        let mut found = ProblemsByPlace::new();
        self.expressions.iter().for_each(|e| self.names_and_kinds(e, &mut found));
        if states.is_empty() {
            return found.into_values().collect();
        }
        let mut best: Vec<Option<Best>> = vec![None; self.expressions.len()];
        let mut see = |ex: Ex, state: &FlowState| {
            let best = best[ex].get_or_insert_with(|| self.needed_places(&self.expressions[ex].1));
            best.iter_mut().for_each(|(at, level)| *level = (*level).max(state.level.get(*at)));
        };
        let (mut known, mut waiting) = (states.to_vec(), BTreeSet::new());
        for leaf in 0..self.nodes.len() {
            self.leave(leaf, &mut known, &mut waiting, &mut see);
        }
        for (ix, node) in self.nodes.iter().enumerate() {
            let of_step = self.of_steps.get(&ix).map_or(&[][..], Vec::as_slice);
            if !node.reads.is_empty() || !of_step.is_empty() {
                let inside = self.machine.subtree(ix).filter_map(|leaf| states[leaf].as_ref());
                inside.for_each(|state| node.reads.iter().chain(of_step).for_each(|ex| see(*ex, state)));
            }
        }
        for (expression, best) in self.expressions.iter().zip(&best) {
            if let Some(best) = best {
                self.absent(expression, best, &mut found);
            }
        }
        found.into_values().collect()
    }

    fn names_and_kinds(&self, (expression, reads): &(&Expression, Reads<'_>), found: &mut ProblemsByPlace) {
        for read in &reads.reads {
            let mut at = 0;
            for (depth, key) in read.path.iter().enumerate() {
                let below = self.row_or(at, key);
                // Below a row that stood in for a key only the fields of rows have places.
                if below.is_none() && self.ever.kinds[at] != bit(ValueKind::Map) {
                    break;
                }
                if *key != ANY_KEY && below.is_none_or(|ix| self.ever.level.get(ix) == 0) {
                    let known =
                        self.places.children(at).filter(|(_, ix)| self.ever.level.get(*ix) > 0).map(|(name, _)| name);
                    let shown = show(&read.path[..=depth]);
                    let message =
                        format!("`{shown}` is never defined: no form, assignment or answer of a call puts it there");
                    let (span, through) = asker(expression, &read.asked);
                    let problem =
                        Problem::error("never-defined", span, message + &through).maybe_hint(did_you_mean(key, known));
                    found.insert((span.clone(), shown), problem);
                    break;
                }
                let Some(below) = below else { break };
                at = below;
            }
        }
        for comparison in &reads.comparisons {
            let place = comparison.path.iter().try_fold(0, |at, key| self.places.find(at, key));
            let mut kinds = place
                .filter(|ix| self.ever.level.get(*ix) > 0)
                .and_then(|ix| self.ever.kinds.get(ix).copied())
                .unwrap_or(0);
            let shown = show(&comparison.path);
            if let Some(default) = comparison.default {
                kinds |= bit(default);
            }
            let literal = bit(comparison.literal);
            let (code, message) = if comparison.is_order && comparison.literal == ValueKind::Null {
                ("comparison", "null has no order: it is compared with `==` or `!=` only".to_owned())
            } else if kinds == 0 || kinds == ALL_KINDS || comparison.literal == ValueKind::Null {
                continue;
            } else if kinds & literal == 0 {
                ("comparison", format!("`{shown}` is {}, never {}", words(kinds), words(literal)))
            } else if comparison.is_order && kinds & !literal != 0 {
                (
                    "comparison",
                    format!(
                        "`{shown}` may be {}: comparing it with {} fails then",
                        words(kinds & !literal),
                        words(literal)
                    ),
                )
            } else {
                continue;
            };
            let (span, through) = asker(expression, &comparison.asked);
            let problem = Problem::error(code, span, message + &through);
            found.insert((span.clone(), format!("{shown} {literal}")), problem);
        }
    }

    /// The place of a key; a key that nothing names is a row, where rows are kept.
    fn row_or(&self, at: Ix, key: &str) -> Option<Ix> {
        let own = self.places.find(at, key);
        let row = self.places.find(at, ANY_KEY).filter(|row| self.ever.level.get(*row) > 0);
        own.filter(|ix| self.ever.level.get(*ix) > 0).or(row).or(own)
    }

    /// The places on the way to what is needed of a path.
    fn way(&self, read: &Read<'_>) -> impl Iterator<Item = Ix> {
        let below = |at: &mut Ix, key: &&str| {
            *at = self.row_or(*at, key)?;
            Some(*at)
        };
        read.path.iter().take(read.needed).scan(0, below)
    }

    fn needed_places(&self, reads: &Reads<'_>) -> Best {
        let each: BTreeSet<Ix> = reads.reads.iter().flat_map(|read| self.way(read)).collect();
        each.into_iter().map(|at| (at, ABSENT)).collect()
    }

    /// Whether a field must have been filled, other fields being what they are.
    pub fn is_shown(&self, field: Ix, equal: &[Equal<'_>]) -> bool {
        if equal.is_empty() {
            return false;
        }
        let place = |e: &Equal<'_>| e.path.iter().try_fold(0, |at, key| self.places.find(at, key));
        let holds = |(other, texts): &(Ix, Vec<String>)| {
            equal.iter().any(|e| place(e) == Some(*other) && texts.iter().any(|t| t == e.text))
        };
        self.shown.get(&field).is_some_and(|each| each.iter().any(|shown| shown.iter().all(holds)))
    }

    /// Reads of what no way has defined for certain.
    fn absent(&self, (expression, reads): &(&Expression, Reads<'_>), best: &Best, found: &mut ProblemsByPlace) {
        for read in &reads.reads {
            let Read { path, known, when, asked, .. } = read;
            for (depth, (at, key)) in self.way(read).zip(path).enumerate() {
                let level = best.iter().find(|(place, _)| *place == at).map_or(ABSENT, |(_, level)| *level);
                if depth < *known || level >= THERE || *key == ANY_KEY || self.ever.level.get(at) == ABSENT {
                    continue;
                }
                if level == OPTIONAL && self.is_shown(at, when) {
                    continue;
                }
                let shown = show(&path[..=depth]);
                let why = if level == OPTIONAL {
                    "may be absent: its field need not be filled"
                } else {
                    "is not defined on any way that leads here"
                };
                let code = if level == OPTIONAL { "maybe-absent" } else { "not-yet-defined" };
                let (span, through) = asker(expression, asked);
                let message = format!("`{shown}` {why}{through}");
                let hint = format!("`has({shown})` asks, and so does `{}.?{key}.orValue(…)`", show(&path[..depth]));
                found.entry((span.clone(), shown)).or_insert_with(|| Problem::error(code, span, message).hint(hint));
                break;
            }
        }
    }
}

/// The string that reads; and of a value, who asks for it.
fn asker<'e>(expression: &'e Expression, asked: &ReadBy<'e>) -> (&'e Span, String) {
    let by = asked.by.unwrap_or(expression.span());
    let through = asked.value.map(|name| format!(" (`{name}` is asked for at {by})")).unwrap_or_default();
    (asked.span.unwrap_or(expression.span()), through)
}

fn show(path: &[&str]) -> String {
    let mut shown = "context".to_owned();
    for key in path {
        if *key == ANY_KEY {
            shown.push_str("[…]");
        } else {
            shown.push('.');
            shown.push_str(key);
        }
    }
    shown
}

fn words(kinds: Kinds) -> String {
    let names = [
        (ValueKind::Null, "null"),
        (ValueKind::Bool, "a boolean"),
        (ValueKind::Number, "a number"),
        (ValueKind::Text, "a text"),
        (ValueKind::List, "a list"),
        (ValueKind::Map, "a map"),
    ];
    let each: Vec<&str> = names.iter().filter(|(k, _)| kinds & bit(*k) != 0).map(|(_, name)| *name).collect();
    each.join(" or ")
}
