//! A pure statechart interpreter: `start`, `step`, `fire` map (machine, snapshot, event, now) to
//! (snapshot, effects). The algorithm carries the names of W3C SCXML (exit set, entry set,
//! transition domain), the definition has the shape of an XState v5 machine with CEL strings.
//!
//! The crate knows no clock, randomness, I/O, async, file format or product word: text files become
//! [`source::Node`]s elsewhere, the host's names arrive as a [`Vocabulary`], its values through
//! [`Host`]. Whatever a definition or an event holds, the answer is a value: problems at compile
//! time, an [`EvalError`] at run time, never a panic.
//!
//! To add a function of the dialect: `expression/functions.rs`. To add a key of a state node:
//! `machine/tree.rs` reads it, `machine/model.rs` keeps it, `interpret/` gives it meaning. To add a
//! check: `machine/check.rs`. To add a function, variable or action of a host: nothing here.

mod duration;
mod event;
pub mod expression;
mod host;
mod interpret;
mod machine;
mod problem;
pub mod simulate;
mod snapshot;
pub mod source;
mod suggest;
pub mod template;
mod vocabulary;
pub mod xstate;

pub use duration::parse_duration_ms;
pub use event::Event;
pub use expression::{EvalError, Scope};
pub use host::{Env, Host, NoHost, Spoken, Worked};
pub use interpret::{Effect, Outcome, fire, is_in, jump, start, step, value};
pub use machine::{Machine, NodeKind, NodeView, flow};
pub use problem::{Problem, Severity};
pub use snapshot::{Snapshot, Status, Timer};
pub use suggest::did_you_mean;
pub use vocabulary::{Dialect, Field, Limits, Vocabulary};
