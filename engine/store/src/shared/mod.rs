//! Verbs whose SQL is the same on both databases. Each backend compiles these files as its own module and gives
//! `Conn`, `Row`, `Database` (with `pool` and `write`), and the few texts that differ (`super::dialect`).

mod contact;
mod definitions;
mod effects;
mod journeys;
mod outside;
mod people;
mod store;
mod values;

// each backend needs some of these
#[allow(unused_imports)]
pub(super) use {
    effects::{effect_by_key, ended},
    journeys::{USED_KEY, USED_START, events, used_key},
    outside::{record, records},
    values::{json, value},
};
