//! `engine-runtime`: use cases over stored journeys, in parts over one core: what people do with journeys, work in the
//! background, who people are, what operators do, publishing.
//!
//! [`turn`] is the only place where a stored journey meets the statechart. It decides in memory and commits once.
//! The runtime does not know HTTP, partners' protocols, SQL, or any line of business: those are `http`, `partners`,
//! `store` and the definitions.
//! A new fact: `fact.rs`, and its consequence in `turn/apply.rs`. A new product action: `turn/effects.rs`. A new use
//! case: a file in the folder of its part.

mod actor;
mod clock;
mod comparison;
mod core;
pub mod effect;
pub mod fact;
mod journeys;
pub mod operations;
mod people;
mod publishing;
mod refusal;
mod render;
mod runtime;
pub mod state;
pub mod story;
pub mod turn;
mod uploads;
mod vault;
pub mod view;
mod work;

pub use crate::core::{Anchor, AuditReport, Bad, Fault, RuntimeError, Settled, Sight};
pub use actor::{Action, Actor, Contact, Grant, LinkAccess, Resource, can};
pub use clock::{Clock, ManualClock, SystemClock, new_id, new_token, parse_rfc3339, rfc3339};
pub use engine_definitions::FieldError;
pub use engine_store::SessionRecord;
pub use journeys::{Journeys, List, Opened, PAPER, Paper, Reading, Send, Sent, Standing, Start};
pub use operations::Operations;
pub use people::{Account, ListedToken, People, Presence, ProofOfWork, Recipient, RecordPage, SetUp, StaffMember};
pub use publishing::{PublishError, Published, Publishing, Stories};
pub use refusal::{Difference, Refusal};
pub use runtime::Runtime;
pub use turn::SignsIn;
pub use uploads::{AskFile, FileBytes, NewUpload, OpenedFile, Range, Reason, UploadState, UploadView, Uploads};
pub use vault::is_sealed;
pub use view::StepView;
pub use work::{Background, Hook};
