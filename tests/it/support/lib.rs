//! What the integration tests share.

#![allow(clippy::disallowed_methods)] // tests are customers, partners and machines

pub mod buyer;
#[path = "../../chaos/mod.rs"]
pub mod chaos;
pub mod contract;
pub mod forms;
pub mod kept;
pub mod people;
pub mod postgres;
pub mod proxy;
pub mod server;
