//! What the integration tests share.

#[path = "../../chaos/mod.rs"]
pub mod chaos;
pub mod contract;
pub mod postgres;
pub mod server;
