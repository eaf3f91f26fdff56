//! Verbs whose SQL is the same on both databases, a file for each subject: the trait first, its SQL below. Each backend
//! compiles these files as its own module and gives `Conn`, `Row`, `Database` (with `pool` and `write`), and the few
//! texts that differ (`super::dialect`). Reads go to the pool, writes to `Database::write`.

/// A write of one statement, with owned arguments: `write!(self, conn => people::save_session(conn, &session))`.
macro_rules! write {
    ($self:ident, $conn:ident => $call:expr) => {
        $self.write(move |$conn| Box::pin(async move { $call.await })).await
    };
}

/// A write of several statements: all of them or none.
macro_rules! transact {
    ($self:ident, $conn:ident => $call:expr) => {
        $self.transact(move |$conn| Box::pin(async move { $call.await })).await
    };
}

/// Pooled connections that a restarted server cut are noticed when they are used; reading again does no harm.
const READS_MAX: usize = 12;

macro_rules! read {
    ($call:expr) => {{
        let mut reads = 1;
        loop {
            match $call.await {
                Err(error) if reads < super::READS_MAX && super::super::lost(&error) => reads += 1,
                result => break result,
            }
        }
    }};
}

mod audit;
mod contact;
mod definitions;
mod inbox;
mod journeys;
mod json;
mod keys;
mod people;
mod queue;
mod results;
mod upkeep;
mod uploads;
mod values;

// each backend needs some of these
#[allow(unused_imports)]
pub(super) use {
    journeys::{USED_KEY, USED_START, events, list, used_key},
    json::{json, value},
    queue::{effect_by_key, end_columns},
    results::{record, records},
};
