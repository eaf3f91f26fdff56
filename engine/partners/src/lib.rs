//! `engine-partners`: the one way out to partners, and the sandbox of fake ones.
//!
//! What it is: [`client`], one HTTP client with an allow-list, limits, a circuit breaker and outcome classes per
//! partner; sign-in with a provider of identities; e-mail over SMTP; checks of incoming signatures; and [`sandbox`], which plays every partner whose
//! operations carry a `sandbox:` script, with its hosted pages, an inbox and switches for trouble.
//! What it does not know: journeys, the database, what any operation is about, when to retry (it says whether).
//! A new partner or operation is a file under `workflows/partners`, never code. A new kind of signature: `signature.rs`
//! and its name in the definitions. A new page of the sandbox: one file in `sandbox/`, one line in its router.

pub mod client;
mod email;
mod functions;
pub mod memory;
mod multipart;
pub mod pdf;
pub mod sandbox;
pub mod signature;

pub use client::{
    Attempt, Begins, BreakerState, CallFile, CallOutcome, Document, Identity, OpenidError, Order, Partners,
    PartnersError, Uncounted, WebhookRefused,
};
pub use email::{Email, EmailError, File};
