//! What a host adds to the dialect: names only, for checking. Values come through `Host`.

use crate::source::Node;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// The plain dialect is `Vocabulary::default()`.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// Variables beside `context` and `event`.
    pub variables: BTreeSet<String>,
    /// Global functions: name → number of arguments.
    pub functions: BTreeMap<String, RangeInclusive<usize>>,
    /// Named actions: type → its fields.
    pub actions: BTreeMap<String, BTreeMap<String, Field>>,
    /// Names usable in `after` and `raise.delay`: CEL string or integer, milliseconds from now
    /// (an integer; 0 and below: due at once).
    pub delays: BTreeMap<String, Node>,
    /// Action types outside `actions` are errors, and messages about them name the known ones.
    pub strict_actions: bool,
    /// Functions with the position of the argument that is the name of something that the host keeps.
    pub naming: BTreeMap<String, usize>,
    pub dialect: Dialect,
    /// Names that nobody knows are taken for values that whoever evaluates brings along: for files that
    /// several definitions share.
    pub late_values: bool,
    pub limits: Limits,
}

/// What a definition may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Dialect {
    /// What XState's machines say, with CEL.
    #[default]
    Plain,
    /// The plain dialect and more: optional selection (`a.?b`); keys of `assign` are paths (`a.b` writes `b` into the
    /// map `a`); wherever a value stands, a map or list of expressions, in lists with `each`, `as`, `when`.
    Rich,
}

/// How the field of a named action is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// A literal, kept as it is.
    Name,
    /// A mapping: every string in it is CEL, other JSON is literal.
    Value,
}

/// Bounds of a definition and of one macrostep. Beyond them: a problem, or an evaluation error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    pub expression_chars_max: usize,
    /// Characters beyond which an expression is a warning.
    pub expression_chars_long: usize,
    pub expression_nodes_max: usize,
    /// Height of an expression's tree, parentheses included.
    pub expression_depth_max: usize,
    /// `all`, `exists`, `map` … inside one another.
    pub comprehension_nesting_max: usize,
    pub states_max: usize,
    pub state_depth_max: usize,
    pub transitions_max: usize,
    pub microsteps_max: u32,
    /// Work of all expressions and actions of one macrostep: nodes visited and 16-byte pieces copied.
    pub evaluation_steps_max: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            expression_chars_max: 4_096,
            expression_chars_long: usize::MAX,
            expression_nodes_max: 1_000,
            expression_depth_max: 100,
            comprehension_nesting_max: 2,
            states_max: 1_000,
            state_depth_max: 32,
            transitions_max: 20_000,
            microsteps_max: 2_000,
            evaluation_steps_max: 2_000_000,
        }
    }
}
