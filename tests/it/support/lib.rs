//! What the integration tests share.

#[path = "../../chaos/mod.rs"]
pub mod chaos;
pub mod contract;
pub mod forms;
pub mod postgres;
pub mod server;
