//! Verbs whose SQL is the same on both databases. Each backend compiles these files as its own module and gives
//! `Conn`, `Row`, `Database` (with `pool` and `write`), and the few texts that differ (`super::dialect`).

mod definitions;
mod effects;
mod journeys;
mod outside;
mod people;
mod store;
mod values;

pub(super) use effects::ended;
pub(super) use outside::record;

