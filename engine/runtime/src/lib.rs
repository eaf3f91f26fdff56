//! `engine-runtime`: use cases over stored journeys: start, send, view, publish, sessions, one-time passwords, jobs.
//!
//! The only place where a stored journey meets the statechart ([`turn`]). It decides in memory and commits once.
//! It does not know HTTP, partners' protocols, SQL, or any line of business: those are `http`, `partners`, `store`
//! and the definitions.
//! A new fact: `fact.rs`, and its consequence in `turn/apply.rs`. A new product action: `turn/effects.rs`. A new use
//! case: one file here, one `impl Runtime` block.

mod actor;
mod clock;
mod contact;
pub mod effect;
pub mod fact;
mod jobs;
mod journeys;
mod keys;
mod links;
pub mod operator;
mod otp;
mod proof;
mod publish;
mod recent;
mod refusal;
mod render;
mod replay;
mod returns;
mod runtime;
mod send_gate;
mod sessions;
pub mod state;
pub mod story;
pub mod turn;
pub mod view;

pub use actor::{Action, Actor, CameBy, Grant, Resource, can};
pub use clock::{Clock, ManualClock, SystemClock, new_id, parse_rfc3339, rfc3339};
pub use contact::{Presence, Recipient};
pub use engine_definitions::FieldError;
pub use engine_store::SessionRecord;
pub use jobs::{Hook, Settled};
pub use journeys::{Opened, Send, Sent, Start};
pub use proof::Challenge;
pub use publish::{PublishError, Published};
pub use refusal::{Difference, Refusal};
pub use runtime::{Runtime, RuntimeError};
pub use view::StepView;
